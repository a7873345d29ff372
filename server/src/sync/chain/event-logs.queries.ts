import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { SourceError } from '../source-error.ts'
import { type Checkpoint, holdCheckpoint, moveCheckpoint } from './checkpoints.queries.ts'

/** A log of an event, about one address. */
export interface EventLog {
  /** Identifies the log, also if it is read again. */
  id: string
  address: string
  amount: bigint | undefined
  block: number
  /** Milliseconds since 1970. */
  at: number
}

/** The maximum number of logs that a credential stores. */
export const MAX_LOGS = 10_000_000

/**
 * Stores logs and moves the checkpoint in one transaction. A log that was found before keeps its position, so that rules do
 * not count it again. If the chain had lost it since then, rules may have passed its position, so it gets a new one.
 * @param previous undefined at the beginning of a scan
 * @returns false, and changes nothing, if another run has moved the checkpoint
 * @throws SourceError if there are too many logs
 */
export async function storeLogs(
  kysely: Kysely<DB>,
  credentialId: string,
  logs: readonly EventLog[],
  { previous, next, now }: { previous: Checkpoint | undefined; next: Checkpoint; now: Date },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    if (!(await moveCheckpoint(trx, credentialId, previous, next))) return false
    await sql`
      INSERT INTO chain_log_lists (credential_id, began_at) VALUES (${credentialId}, ${now})
      ON CONFLICT DO NOTHING`.execute(trx)
    const ids = logs.map(({ id }) => id)
    const found = await sql<{ id: string; gone: boolean }>`
      SELECT l.log_id AS id, l.scan < c.complete_scan AS gone
      FROM chain_logs l JOIN chain_log_lists c ON c.credential_id = l.credential_id
      WHERE l.credential_id = ${credentialId} AND l.log_id = ANY (${ids}::text[])`.execute(trx)
    const placed = new Set(found.rows.flatMap(({ id, gone }) => (gone ? [] : [id])))
    const added = logs.length - placed.size
    const lists = await sql<{ last: number; scan: number }>`
      UPDATE chain_log_lists SET last_position = last_position + ${added}, scan = scan + ${previous ? 0 : 1}
      WHERE credential_id = ${credentialId} RETURNING last_position AS last, scan`.execute(trx)
    const { last = 0, scan = 0 } = lists.rows[0] ?? {}
    if (last > MAX_LOGS)
      throw new SourceError(
        `there are more than ${MAX_LOGS} logs; use another credential, with a later startBlock or a higher minimum`,
      )
    let position = last - added
    const positions = logs.map(({ id }) => (placed.has(id) ? 0 : ++position))
    const amounts = logs.map(({ amount }) => (amount === undefined ? null : String(amount)))
    await sql`
      INSERT INTO chain_logs (credential_id, log_id, position, address, amount, block_number, happened_at, scan)
      SELECT ${credentialId}::bigint, id, position, address, amount, block, at, ${scan}::int FROM unnest(
        ${ids}::text[], ${positions}::int[], ${logs.map(({ address }) => address)}::text[], ${amounts}::numeric[],
        ${logs.map(({ block }) => block)}::bigint[], ${logs.map(({ at }) => new Date(at).toISOString())}::timestamptz[]
      ) AS l (id, position, address, amount, block, at)
      ON CONFLICT (credential_id, log_id) DO UPDATE SET address = excluded.address, amount = excluded.amount,
        block_number = excluded.block_number, happened_at = excluded.happened_at, scan = excluded.scan,
        position = CASE WHEN excluded.position > 0 THEN excluded.position ELSE chain_logs.position END,
        returned = chain_logs.returned OR excluded.position > 0`.execute(trx)
    return true
  })
}

/**
 * Ends the scan that has read up to a checkpoint: the chain no longer has logs that it did not find.
 * @returns false, and changes nothing, if the checkpoint is not there, because another run has begun another scan
 */
export async function completeScan(kysely: Kysely<DB>, credentialId: string, upTo: Checkpoint): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    if (!(await holdCheckpoint(trx, credentialId, upTo))) return false
    await sql`
      UPDATE chain_log_lists SET complete_scan = scan
      WHERE credential_id = ${credentialId} AND complete_scan < scan`.execute(trx)
    return true
  })
}

/** Addresses with a log, in order, after `after`. */
export async function addressesWithLogs(
  kysely: Kysely<DB>,
  credentialId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT address FROM chain_logs
    WHERE credential_id = ${credentialId} AND address > ${after}
      AND scan >= (SELECT complete_scan FROM chain_log_lists WHERE credential_id = ${credentialId})
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map(({ address }) => address)
}
