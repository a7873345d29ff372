import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { STAGED } from './staging.queries.ts'

/** The COPY target for lists that are filled without staging. */
export const HOLDERS = 'credential_holders (credential_id, generation, address)'

/** A new holder list that a run fills while the current list remains in use. */
export interface PendingList {
  credentialId: string
  generation: number
}

/** How far the replacement of a list of holders is, as stored with the list. */
export interface ReplacementProgress {
  /** The hash of the file and of the credential ID; null if the replacement cannot be resumed. */
  source: Buffer | null
  /** The number of stored chunks of the file. */
  chunks: number
  /** Incremented when another run resumes the replacement; older runs then stop. */
  takeovers: number
}

const pendingRows = (lists: readonly PendingList[]) => sql`
  unnest(${lists.map((list) => list.credentialId)}::bigint[], ${lists.map((list) => list.generation)}::int[])
    AS pending (credential_id, generation)`

export async function lockCredentials(trx: Kysely<DB>, ids: readonly string[]): Promise<void> {
  // Rows are locked in one order, to avoid deadlocks. One statement per credential, because a cluster locks rows on one
  // node only.
  for (const id of ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))))
    await sql`SELECT FROM credentials WHERE credential_id = ${id}::bigint FOR NO KEY UPDATE`.execute(trx)
}

/** Creates the next list of each credential and sets the credential's status to SYNCING. */
export async function createPendingLists(
  trx: Kysely<DB>,
  ids: readonly string[],
  now: Date,
  { source = null, chunks = 0, takeovers = 0 }: Partial<ReplacementProgress> = {},
): Promise<PendingList[]> {
  await lockCredentials(trx, ids)
  const { rows } = await sql<PendingList>`
    INSERT INTO credential_generations
      (credential_id, generation, state, sync_status_before, touched_at, source, chunks, takeovers)
    SELECT credential_id, greatest(generation, (
      SELECT max(generation) FROM credential_generations g WHERE g.credential_id = c.credential_id)) + 1,
      'filling', sync_status, ${now}, ${source}::bytea, ${chunks}::int, ${takeovers}::int
    FROM credentials c WHERE credential_id = ANY(${ids}::bigint[]) ORDER BY credential_id
    RETURNING credential_id::text AS "credentialId", generation`.execute(trx)
  await sql`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = ANY(${ids}::bigint[])`.execute(trx)
  return rows
}

/** Records activity. Returns how many lists this run still owns: the sweeper or another run may have taken some. */
export async function touchLists(
  trx: Kysely<DB>,
  lists: readonly PendingList[],
  last: Date,
  now: Date,
  takeovers = 0,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE credential_generations g SET touched_at = ${now} FROM ${pendingRows(lists)}
    WHERE g.credential_id = pending.credential_id AND g.generation = pending.generation
      AND g.state = 'filling' AND g.touched_at = ${last} AND g.takeovers = ${takeovers}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Takes over the pending lists of an earlier run with this source, if all of them have the same progress. */
export async function takeOverLists(
  trx: Kysely<DB>,
  source: Buffer,
  now: Date,
): Promise<{ lists: (PendingList & { count: number })[]; chunks: number; takeovers: number } | undefined> {
  const { rows } = await sql<PendingList & { count: number; chunks: number; takeovers: number }>`
    UPDATE credential_generations SET touched_at = ${now}, takeovers = takeovers + 1
    WHERE source = ${source} AND state = 'filling'
    RETURNING credential_id::text AS "credentialId", generation, holders AS count, chunks, takeovers`.execute(trx)
  const [first] = rows
  const agree = rows.every(({ chunks, takeovers }) => chunks === first?.chunks && takeovers === first.takeovers)
  return first && agree ? { lists: rows, chunks: first.chunks, takeovers: first.takeovers } : undefined
}

/** Records a chunk in the transaction that stores it. Returns how many lists this run still owns. */
export async function updateProgress(
  trx: Kysely<DB>,
  lists: readonly (PendingList & { count: number })[],
  { chunks, takeovers }: ReplacementProgress,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE credential_generations g SET chunks = ${chunks}, holders = pending.count
    FROM unnest(${lists.map((list) => list.credentialId)}::bigint[], ${lists.map((list) => list.generation)}::int[],
      ${lists.map((list) => list.count)}::int[]) AS pending (credential_id, generation, count)
    WHERE g.credential_id = pending.credential_id AND g.generation = pending.generation
      AND g.state = 'filling' AND g.takeovers = ${takeovers}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** The number of holders that were added to a list. */
export interface Filled {
  credentialId: string
  count: number
}

/** Inserts the staged holders into the pending lists. Existing holders are ignored. */
export async function fillLists(trx: Kysely<DB>, lists: readonly PendingList[]): Promise<Filled[]> {
  const { rows } = await sql<Filled>`
    WITH filled AS (
      INSERT INTO credential_holders (credential_id, generation, address)
      SELECT DISTINCT s.credential_id, pending.generation, s.address
      FROM ${STAGED} s JOIN ${pendingRows(lists)} ON pending.credential_id = s.credential_id
      ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING RETURNING credential_id
    )
    SELECT credential_id::text AS "credentialId", count(*) AS count FROM filled GROUP BY credential_id`.execute(trx)
  return rows
}

/** The number of holders in the current lists, and in both the pending and the current lists. */
export async function countKept(
  kysely: Kysely<DB>,
  lists: readonly PendingList[],
): Promise<{ former: number; kept: number }> {
  let former = 0
  let kept = 0
  // One statement per credential, so that a cluster reads from one node.
  for (const { credentialId, generation } of lists) {
    const { rows } = await sql<{ kept: number }>`
      SELECT count(*) AS kept FROM credential_holders o JOIN credential_holders n
        ON n.credential_id = o.credential_id AND n.address = o.address
      WHERE o.credential_id = ${credentialId} AND n.credential_id = ${credentialId} AND n.generation = ${generation}
        AND o.generation = (SELECT generation FROM credentials WHERE credential_id = ${credentialId})`.execute(kysely)
    kept += rows[0]?.kept ?? 0
    const sizes = await sql<{ size: number }>`
      SELECT item_count AS size FROM credentials WHERE credential_id = ${credentialId}`.execute(kysely)
    former += sizes.rows[0]?.size ?? 0
  }
  return { former, kept }
}

/** Makes the pending lists current and sets their sizes. The sweeper deletes the previous lists. */
export async function publishLists(
  trx: Kysely<DB>,
  lists: readonly (PendingList & { count: number })[],
  now: Date,
): Promise<void> {
  const ids = lists.map((list) => list.credentialId)
  await lockCredentials(trx, ids)
  await sql`
    INSERT INTO credential_generations (credential_id, generation, state, sync_status_before, touched_at)
    SELECT credential_id, generation, 'dead', 'SYNCED', ${now} FROM credentials
    WHERE credential_id = ANY(${ids}::bigint[]) ORDER BY credential_id`.execute(trx)
  await sql`
    UPDATE credentials c SET generation = pending.generation, item_count = pending.count, sync_status = 'SYNCED',
      last_sync = ${now}, last_update = ${now}
    FROM unnest(${ids}::bigint[], ${lists.map((list) => list.generation)}::int[],
      ${lists.map((list) => list.count)}::int[]) AS pending (credential_id, generation, count)
    WHERE c.credential_id = pending.credential_id`.execute(trx)
  await sql`
    DELETE FROM credential_generations g USING ${pendingRows(lists)}
    WHERE g.credential_id = pending.credential_id AND g.generation = pending.generation`.execute(trx)
}

/**
 * Marks the lists for deletion by the sweeper, unless another run has taken them over. The credentials get their previous
 * status.
 */
export async function abandonLists(trx: Kysely<DB>, lists: readonly PendingList[], takeovers?: number): Promise<void> {
  await lockCredentials(
    trx,
    lists.map((list) => list.credentialId),
  )
  await sql`
    WITH given_up AS (
      UPDATE credential_generations g SET state = 'dead' FROM ${pendingRows(lists)}
      WHERE g.credential_id = pending.credential_id AND g.generation = pending.generation AND g.state = 'filling'
        AND g.takeovers = coalesce(${takeovers ?? null}::int, g.takeovers)
      RETURNING g.*
    )
    UPDATE credentials c SET sync_status = given_up.sync_status_before FROM given_up
    WHERE c.credential_id = given_up.credential_id AND NOT EXISTS (
      SELECT FROM credential_generations g
      WHERE g.credential_id = c.credential_id AND g.generation <> given_up.generation AND g.state = 'filling'
    )`.execute(trx)
}

export async function findStalledLists(kysely: Kysely<DB>, before: Date): Promise<PendingList[]> {
  const { rows } = await sql<PendingList>`
    SELECT credential_id::text AS "credentialId", generation FROM credential_generations
    WHERE state = 'filling' AND touched_at < ${before} ORDER BY credential_id, generation`.execute(kysely)
  return rows
}

export async function findDeadLists(kysely: Kysely<DB>): Promise<PendingList[]> {
  const { rows } = await sql<PendingList>`
    SELECT credential_id::text AS "credentialId", generation FROM credential_generations
    WHERE state = 'dead' ORDER BY credential_id, generation`.execute(kysely)
  return rows
}

/**
 * Deletes some holders of a list in the order of their addresses, after the last deleted address, so that deleted rows
 * are not scanned again.
 */
export async function deleteHolders(
  kysely: Kysely<DB>,
  list: PendingList,
  after: string,
  limit: number,
): Promise<{ deleted: number; last: string | null }> {
  const { rows } = await sql<{ deleted: number; last: string | null }>`
    WITH gone AS (
      DELETE FROM credential_holders WHERE credential_id = ${list.credentialId} AND ctid = ANY (ARRAY(
        SELECT ctid FROM credential_holders
        WHERE credential_id = ${list.credentialId} AND generation = ${list.generation} AND address > ${after}
        ORDER BY address LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING address
    )
    SELECT count(*) AS deleted, max(address) AS last FROM gone`.execute(kysely)
  return rows[0] ?? { deleted: 0, last: null }
}

/** Deletes the record of a dead list that has no holders left. */
export async function deleteListRecord(kysely: Kysely<DB>, list: PendingList): Promise<void> {
  await sql`
    DELETE FROM credential_generations
    WHERE credential_id = ${list.credentialId} AND generation = ${list.generation} AND state = 'dead'
      AND NOT EXISTS (
        SELECT FROM credential_holders
        WHERE credential_id = ${list.credentialId} AND generation = ${list.generation})`.execute(kysely)
}
