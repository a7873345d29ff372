import { type Kysely, type RawBuilder, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { type LogList, type PastLog, selectPastLogs } from './logs.queries.ts'
import { ERASED } from '../ranking/ledger.ts'
import { REPLAY_REVERSAL } from './gift-keys.ts'

const FETCH = 1_000

/**
 * Reads all rows of a query without parameters, a thousand at a time. Several cursors can be open in a transaction. Changes of
 * the transaction after the first row are not visible.
 */
async function* rowsOf<Row>(trx: Kysely<DB>, name: string, query: RawBuilder<Row>): AsyncGenerator<Row[]> {
  const cursor = sql.id(`history_${name}`)
  await sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Row>`FETCH ${sql.lit(FETCH)} FROM ${cursor}`.execute(trx)
    if (rows.length > 0) yield rows
    if (rows.length < FETCH) break
  }
  await sql`CLOSE ${cursor}`.execute(trx)
}

/** The order of members in all histories: by bytes. */
const inOrder = (address: RawBuilder<unknown>) => sql`ORDER BY ${address} COLLATE "C"`

const isReversed = (id: RawBuilder<unknown>, spaceId: number, by = sql``) => sql`EXISTS (
  SELECT FROM ledger_entries r
  WHERE r.space_id = ${sql.lit(spaceId)} AND r.source = 'reversal' AND r.reverses = ${id} ${by})`
const byReplay = sql`starts_with(coalesce(r.key, ''), ${sql.lit(REPLAY_REVERSAL)})`
const idOf = sql`(e.version || '-' || e.position)`
const amount = sql`(e.points_after::bigint - coalesce(e.points_before, 0))`
const living = (address: RawBuilder<unknown>) => sql`NOT starts_with(${address}, ${sql.lit(ERASED)})`

export interface PastEvent {
  ref: string
  address: string
  points: number
  happenedAt: Date
  /** The quest of a claim. */
  questId: string | null
}

/** The awards of a space that were not reversed, as the rules count them, in the order of members. */
export function pastAwards(trx: Kysely<DB>, spaceId: number, since: Date): AsyncGenerator<PastEvent[]> {
  return rowsOf(
    trx,
    'awards',
    sql<PastEvent>`
      SELECT ${idOf} AS ref, e.address, ${amount} AS points, e.entered_at AS "happenedAt", NULL AS "questId"
      FROM ledger_entries e
      WHERE e.space_id = ${sql.lit(spaceId)} AND e.entered_at >= ${sql.lit(since.toISOString())}
        AND (e.source IN ('award', 'availability') OR (e.source = 'import' AND e.key IS NOT NULL))
        AND ${amount} > 0 AND ${living(sql`e.address`)} AND NOT ${isReversed(idOf, spaceId)}
        AND NOT (e.award IS NOT NULL AND ${isReversed(sql`e.award`, spaceId)})
      ${inOrder(sql`e.address`)}`,
  )
}

/** The quests of a space. A separate statement, because a cluster cannot join claims with quests. */
export async function questIdsOf(trx: Kysely<DB>, spaceId: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT quest_id AS id FROM quests WHERE space_id = ${spaceId}`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Assigns IDs to claims from releases without IDs. @param salt prevents that an ID reveals the member */
export async function identifyClaims(trx: Kysely<DB>, questIds: readonly string[], salt: string): Promise<void> {
  await sql`
    UPDATE quest_claims SET claim_id = md5(${salt}::text || quest_id || ' ' || address)::uuid
    WHERE quest_id = ANY(${textArray(questIds)}::text[]) AND claim_id IS NULL`.execute(trx)
}

// In a transaction that only reads, older claims get ids that are valid for this call.
const claimColumns = sql`
  coalesce(c.claim_id, gen_random_uuid())::text AS ref, c.address, c.points, c.claimed_at AS "happenedAt",
  c.quest_id AS "questId"`
const claimsOf = (questIds: readonly string[], since: Date) => sql`
  FROM quest_claims c
  WHERE c.quest_id = ANY(${sql.lit(textArray(questIds))}::text[]) AND c.claimed_at >= ${sql.lit(since.toISOString())}`

/** The claims of quests, in the order of members. */
export function pastClaims(trx: Kysely<DB>, questIds: readonly string[], since: Date): AsyncGenerator<PastEvent[]> {
  return rowsOf(
    trx,
    'claims',
    sql<PastEvent>`SELECT ${claimColumns} ${claimsOf(questIds, since)} ${inOrder(sql`c.address`)}`,
  )
}

/** The claims of the given members: at most `most` + 1, so that the caller notices more. */
export async function pastClaimsOf(
  trx: Kysely<DB>,
  questIds: readonly string[],
  since: Date,
  addresses: readonly string[],
  most: number,
): Promise<PastEvent[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<PastEvent>`
    SELECT ${claimColumns} ${claimsOf(questIds, since)}
      AND c.address = ANY(${textArray(addresses)}::text[])
    LIMIT ${most === Infinity ? null : most + 1}::bigint`.execute(trx)
  return rows
}

/** The refs of the claims whose points were reversed. */
export async function reversedClaims(trx: Kysely<DB>, spaceId: number, since: Date): Promise<Set<string>> {
  const { rows } = await sql<{ ref: string }>`
    SELECT split_part(e.key, E'\\t', 3) AS ref FROM ledger_entries e
    WHERE e.space_id = ${spaceId} AND e.entered_at >= ${since} AND e.source = 'quest'
      AND ${isReversed(idOf, spaceId)}`.execute(trx)
  return new Set(rows.map(({ ref }) => ref))
}

/** The logs of events, in the order of members. */
export const pastLogs = (
  trx: Kysely<DB>,
  lists: readonly (LogList & { upTo: number })[],
  since: Date,
): AsyncGenerator<PastLog[]> => rowsOf(trx, 'logs', selectPastLogs(lists, since))

/** An entry of points that a rule gave. */
export interface PastGift {
  id: string
  key: string
  address: string
  sprintId: number
  points: number
  /** Whether a person has reversed it. Replays do not add such points again. */
  withdrawn: boolean
}

/** The points that rules gave and that no replay has reversed, in the order of members. */
export function pastGifts(trx: Kysely<DB>, spaceId: number, since: Date): AsyncGenerator<PastGift[]> {
  return rowsOf(
    trx,
    'gifts',
    sql<PastGift>`
      SELECT ${idOf} AS id, e.key, e.address, e.sprint_id AS "sprintId", ${amount} AS points,
        ${isReversed(idOf, spaceId)} AS withdrawn
      FROM ledger_entries e
      WHERE e.space_id = ${sql.lit(spaceId)} AND e.entered_at >= ${sql.lit(since.toISOString())} AND e.source = 'rule'
        AND ${living(sql`e.address`)} AND NOT ${isReversed(idOf, spaceId, sql`AND ${byReplay}`)}
      ${inOrder(sql`e.address`)}`,
  )
}

/** A referral, as a part of the history of the referrer. */
export interface PastReferral {
  /** The referrer. */
  address: string
  referred: string
  recordedAt: Date
  firstClaim: string | null
}

/** The referrals of a space, in the order of referrers. */
export function pastReferrals(trx: Kysely<DB>, spaceId: number): AsyncGenerator<PastReferral[]> {
  return rowsOf(
    trx,
    'referrals',
    sql<PastReferral>`
      SELECT referrer AS address, address AS referred, recorded_at AS "recordedAt", first_claim AS "firstClaim"
      FROM referrals WHERE space_id = ${sql.lit(spaceId)} ${inOrder(sql`referrer`)}`,
  )
}

/** Returns the given events that the rules have not counted yet. */
export async function pendingAmong(trx: Kysely<DB>, spaceId: number, refs: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ ref: string }>`
    SELECT ref FROM rule_events
    WHERE space_id = ${spaceId} AND ref = ANY(${textArray(refs)}::text[])`.execute(trx)
  return new Set(rows.map(({ ref }) => ref))
}

export async function knownSprintIds(trx: Kysely<DB>, spaceId: number): Promise<Set<number>> {
  const { rows } = await sql<{ sprintId: number }>`
    SELECT sprint_id AS "sprintId" FROM sprints WHERE space_id = ${spaceId}`.execute(trx)
  return new Set(rows.map(({ sprintId }) => sprintId))
}
