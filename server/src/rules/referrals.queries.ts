import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { questIdsOf } from './history.queries.ts'

export interface Referral {
  address: string
  referrer: string
  recordedAt: Date
  /** The id of the first claim that rules have counted. */
  firstClaim: string | null
}

export async function findReferrals(
  kysely: Kysely<DB>,
  spaceId: number,
  addresses: readonly string[],
): Promise<Map<string, Referral>> {
  const { rows } = await sql<Referral>`
    SELECT address, referrer, recorded_at AS "recordedAt", first_claim AS "firstClaim" FROM referrals
    WHERE space_id = ${spaceId} AND address = ANY(${textArray(addresses)}::text[])`.execute(kysely)
  return new Map(rows.map((row) => [row.address, row]))
}

export async function insertReferrals(
  trx: Kysely<DB>,
  spaceId: number,
  referrals: readonly Omit<Referral, 'firstClaim'>[],
): Promise<void> {
  if (referrals.length === 0) return
  await trx
    .insertInto('referrals')
    .values(
      referrals.map(({ address, referrer, recordedAt }) => ({
        space_id: spaceId,
        address,
        referrer,
        recorded_at: recordedAt,
      })),
    )
    .execute()
}

/** Stores the first claims of referred members. */
export async function noteFirstClaims(
  trx: Kysely<DB>,
  spaceId: number,
  firsts: readonly { address: string; claimId: string }[],
): Promise<void> {
  if (firsts.length === 0) return
  await sql`
    UPDATE referrals r SET first_claim = f.claim_id::uuid FROM unnest(
      ${textArray(firsts.map(({ address }) => address))}::text[],
      ${textArray(firsts.map(({ claimId }) => claimId))}::text[]) AS f (address, claim_id)
    WHERE r.space_id = ${spaceId} AND r.address = f.address`.execute(trx)
}

/** The accounts of the given addresses, and all addresses of these accounts. */
export async function accountsOfAddresses(
  kysely: Kysely<DB>,
  addresses: readonly string[],
): Promise<{ address: string; accountId: string }[]> {
  const { rows } = await sql<{ address: string; accountId: string }>`
    WITH found AS (
      SELECT account_id FROM identity_subjects
      WHERE subject = ANY(${textArray(addresses)}::text[]) AND kind LIKE '%Address'
      UNION SELECT account_id FROM identity_aliases
      WHERE alias = ANY(${textArray(addresses)}::text[]) AND kind LIKE '%Address'
    )
    SELECT i.subject AS address, i.account_id AS "accountId" FROM identities i JOIN found USING (account_id)
    WHERE i.kind LIKE '%Address'
    UNION SELECT a.alias, a.account_id FROM identity_aliases a JOIN found USING (account_id)
    WHERE a.kind LIKE '%Address'`.execute(kysely)
  return rows
}

/** Returns the given addresses that have claimed a quest of the space. */
export async function claimantsAmong(
  trx: Kysely<DB>,
  spaceId: number,
  addresses: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT address FROM quest_claims
    WHERE quest_id = ANY(${textArray(await questIdsOf(trx, spaceId))}::text[])
      AND address = ANY(${textArray(addresses)}::text[])`.execute(trx)
  return new Set(rows.map(({ address }) => address))
}
