import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '../database/array-literal.ts'
import type { DB } from '../database/tables.ts'

/** An award as the ledger keeps it. */
export interface StoredEvent {
  key: string
  sprint_id: number
  address: string
  points: number
}

/** Those of the keys that the space has seen. */
export async function findEvents(trx: Kysely<DB>, spaceId: number, keys: readonly string[]): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    SELECT key, sprint_id, address, points FROM point_events
    WHERE space_id = ${spaceId} AND key = ANY(${textArray(keys)}::text[])`.execute(trx)
  return rows
}

export async function insertEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly { key: string; sprintId: number; address: string; points: number }[],
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO point_events (space_id, key, sprint_id, address, points, applied_at)
    SELECT ${spaceId}::int, key, sprint_id, address, points, ${now}::timestamptz
    FROM unnest(${textArray(events.map((event) => event.key))}::text[], ${numberArray(events.map((event) => event.sprintId))}::int[],
      ${textArray(events.map((event) => event.address))}::text[], ${numberArray(events.map((event) => event.points))}::int[])
      AS e (key, sprint_id, address, points)
    ORDER BY key`.execute(trx)
}

/** @returns how many events were deleted; at most `limit` */
export async function deleteEvents(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM point_events WHERE applied_at < ${before} AND ctid = ANY (ARRAY(
      SELECT ctid FROM point_events WHERE applied_at < ${before} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`.execute(
    kysely,
  )
  return Number(numAffectedRows ?? 0)
}
