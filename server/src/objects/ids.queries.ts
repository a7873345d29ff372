import { sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Larger ids come from imports and do not count, so that generated ids stay small and cannot run out. */
const MAX_COUNTED_ID = 1_000_000_000

/**
 * The next id of spaces, or of the sprints of a space: larger than all ids that were used, including those of deleted
 * objects. Waits for a concurrent allocation.
 */
export async function nextId(trx: Transaction<DB>, of: 'spaces' | { spaceId: number }): Promise<number> {
  const name = of === 'spaces' ? 'spaces' : `sprints of ${of.spaceId}`
  const table =
    of === 'spaces'
      ? sql`SELECT max(space_id) AS id FROM spaces WHERE space_id < ${MAX_COUNTED_ID}`
      : sql`SELECT max(sprint_id) AS id FROM sprints WHERE space_id = ${of.spaceId} AND sprint_id < ${MAX_COUNTED_ID}`
  const used = (await sql<{ id: number | null }>`${table}`.execute(trx)).rows[0]?.id ?? 0
  const { rows } = await sql<{ id: number }>`
    INSERT INTO id_counters AS c (name, last_id) VALUES (${name}, ${used + 1}::bigint)
    ON CONFLICT (name) DO UPDATE SET last_id = greatest(c.last_id, ${used}::bigint) + 1
    RETURNING last_id AS id`.execute(trx)
  return Number(rows[0]?.id)
}

/** Records the ID of an object before its deletion. */
export async function retireId(trx: Transaction<DB>, of: 'spaces' | { spaceId: number }, id: number): Promise<void> {
  if (id >= MAX_COUNTED_ID) return
  const name = of === 'spaces' ? 'spaces' : `sprints of ${of.spaceId}`
  await sql`
    INSERT INTO id_counters AS c (name, last_id) VALUES (${name}, ${id}::bigint)
    ON CONFLICT (name) DO UPDATE SET last_id = greatest(c.last_id, excluded.last_id)`.execute(trx)
}

/** The same for a space, whose sprints need no counter any more. */
export async function retireSpaceId(trx: Transaction<DB>, spaceId: number): Promise<void> {
  await retireId(trx, 'spaces', spaceId)
  await trx.deleteFrom('id_counters').where('name', '=', `sprints of ${spaceId}`).execute()
}
