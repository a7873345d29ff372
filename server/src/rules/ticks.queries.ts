import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'

/** The spaces with rules about days, lists or logs. */
export async function tickingSpaces(kysely: Kysely<DB>): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT space_id AS "spaceId" FROM space_rules WHERE on_ticks ORDER BY space_id`.execute(kysely)
  return rows.map(({ spaceId }) => spaceId)
}

/** The progress of a rule. */
export interface Run {
  /** The day, or the state of the list. */
  startedFor: string
  /** The last processed member. */
  lastAddress: string
  /** The number of members that got points. */
  given: number
  done: boolean
  /** Whether members are recorded without points. */
  silent: boolean
}

export async function readRun(trx: Kysely<DB>, spaceId: number, ruleId: string): Promise<Run | undefined> {
  const { rows } = await sql<Run>`
    SELECT started_for AS "startedFor", last_address AS "lastAddress", given, done, silent FROM rule_runs
    WHERE space_id = ${spaceId} AND rule_id = ${ruleId}`.execute(trx)
  return rows[0]
}

export async function storeRun(trx: Kysely<DB>, spaceId: number, ruleId: string, run: Run): Promise<void> {
  const { startedFor, lastAddress, given, done, silent } = run
  const row = { started_for: startedFor, last_address: lastAddress, given, done, silent }
  await trx
    .insertInto('rule_runs')
    .values({ space_id: spaceId, rule_id: ruleId, ...row })
    .onConflict((conflict) => conflict.columns(['space_id', 'rule_id']).doUpdateSet(row))
    .execute()
}

/** The next members of the overall board with at least these points, also banned ones, in the order of addresses. */
export async function membersAbove(
  trx: Kysely<DB>,
  spaceId: number,
  { minPoints, after, limit }: { minPoints: number; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM (
      SELECT address FROM board_entries
      WHERE space_id = ${spaceId} AND sprint_id = 0 AND points >= ${minPoints} AND address > ${after}
      UNION ALL
      SELECT address FROM banned_entries
      WHERE space_id = ${spaceId} AND sprint_id = 0 AND points >= ${minPoints} AND address > ${after}
    ) AS members ORDER BY address LIMIT ${limit}`.execute(trx)
  return rows.map(({ address }) => address)
}

export interface HolderList {
  generation: number
  /** Changes with the list. */
  state: string
}

/** The list of a credential; undefined while it is not complete. */
export async function findList(trx: Kysely<DB>, credentialId: string): Promise<HolderList | undefined> {
  const { rows } = await sql<HolderList>`
    SELECT generation, generation || ' ' || extract(epoch FROM last_update) AS state FROM credentials
    WHERE credential_id = ${credentialId}::bigint AND sync_status = 'SYNCED'`.execute(trx)
  return rows[0]
}

/** Members on boards have at most this many bytes. */
const MAX_ADDRESS_BYTES = 90

/**
 * The next holders in the order of addresses. Names that are too long for members are omitted.
 * @param unseenBy only those that this rule has not seen
 */
export async function holdersAfter(
  trx: Kysely<DB>,
  credentialId: string,
  { generation, after, limit }: { generation: number; after: string; limit: number },
  unseenBy?: { spaceId: number; ruleId: string },
): Promise<string[]> {
  const unseen =
    unseenBy === undefined
      ? sql`true`
      : sql`NOT EXISTS (
          SELECT FROM rule_holders r WHERE r.credential_id = ${credentialId}::bigint
            AND r.space_id = ${unseenBy.spaceId} AND r.rule_id = ${unseenBy.ruleId} AND r.address = h.address)`
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM credential_holders h
    WHERE h.credential_id = ${credentialId}::bigint AND h.generation = ${generation} AND h.address > ${after}
      AND octet_length(h.address) <= ${MAX_ADDRESS_BYTES} AND ${unseen}
    ORDER BY h.address LIMIT ${limit}`.execute(trx)
  return rows.map(({ address }) => address)
}

export async function noteHolders(
  trx: Kysely<DB>,
  credentialId: string,
  { spaceId, ruleId }: { spaceId: number; ruleId: string },
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  await sql`
    INSERT INTO rule_holders (credential_id, space_id, rule_id, address)
    SELECT ${credentialId}::bigint, ${spaceId}::int, ${ruleId}::text, address
    FROM unnest(${textArray(addresses)}::text[]) AS a (address)`.execute(trx)
}
