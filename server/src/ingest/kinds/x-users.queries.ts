import { type Kysely, sql } from 'kysely'
import { passes } from '../../database/passing.ts'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'
import type { Counts } from '../upsert.queries.ts'

/** Adds users that have samples but are not tracked by the starboard yet, with defaults. */
export async function addMissingUsers(trx: Kysely<DB>): Promise<void> {
  await sql`
    INSERT INTO starboard_users (starboard_id, handle, username)
    SELECT DISTINCT ON (starboard_id, handle) starboard_id, handle, username FROM ${STAGED} s
    WHERE NOT EXISTS (SELECT FROM starboard_users u WHERE u.starboard_id = s.starboard_id AND u.handle = s.handle)
    ORDER BY starboard_id, handle, line
    ON CONFLICT DO NOTHING`.execute(trx)
}

/** The starboards of the staged samples with the time of their earliest sample. */
export async function stagedStarboards(trx: Kysely<DB>): Promise<{ id: string; earliest: Date }[]> {
  const { rows } = await sql<{ id: string; earliest: Date }>`
    SELECT starboard_id AS id, min(sampled_at) AS earliest FROM ${STAGED} GROUP BY starboard_id ORDER BY 1`.execute(trx)
  return rows
}

/** The lines of links that are new or move to another user. */
export const newLinks = sql`
  SELECT line FROM ${STAGED} s WHERE NOT EXISTS (
    SELECT FROM starboard_links l
    WHERE l.starboard_id = s.starboard_id AND l.evm_address = s.evm_address AND l.handle = s.handle)`

/** Stores links. New and moved links follow existing ones, in the order of the file. */
export async function mergeLinks(trx: Kysely<DB>): Promise<Counts> {
  // The lock of the starboard protects the order of its links.
  await sql`
    SELECT FROM starboards WHERE starboard_id IN (SELECT starboard_id FROM ${STAGED})
    ORDER BY starboard_id FOR NO KEY UPDATE`.execute(trx)
  const { rows } = await sql<Counts>`
    WITH last AS (
      SELECT starboard_id, coalesce(max(linked_order), 0) AS place
      FROM (SELECT DISTINCT starboard_id FROM ${STAGED}) AS named LEFT JOIN starboard_links USING (starboard_id)
      GROUP BY starboard_id
    ), moved AS (
      UPDATE starboard_links l SET handle = s.handle, linked_order = place + s.line
      FROM ${STAGED} s JOIN last USING (starboard_id)
      WHERE l.starboard_id = s.starboard_id AND l.evm_address = s.evm_address AND l.handle <> s.handle
      RETURNING 1
    ), linked AS (
      INSERT INTO starboard_links (starboard_id, evm_address, handle, linked_order)
      SELECT starboard_id, evm_address, handle, place + line FROM (
        SELECT starboard_id, s.evm_address, s.handle, place, s.line FROM ${STAGED} s JOIN last USING (starboard_id)
        WHERE NOT EXISTS (
          SELECT FROM starboard_links l WHERE l.starboard_id = s.starboard_id AND l.evm_address = s.evm_address)
        OFFSET 0
      ) AS fresh WHERE ${passes('line')}
      RETURNING 1
    )
    SELECT (SELECT count(*) FROM linked) AS added, (SELECT count(*) FROM moved) AS changed`.execute(trx)
  return rows[0] ?? { added: 0, changed: 0 }
}
