import { type Kysely, sql } from 'kysely'
import { withProgress } from '../../database/statement-progress.ts'
import type { DB } from '../../database/tables.ts'
import type { Staging } from '../../distribution/staging.ts'
import { STAGED, stagedValues } from '../staging.queries.ts'
import type { Counts } from '../kind.ts'

/** Adds users that have samples but do not belong to the starboard yet, with defaults. */
export async function addMissingUsers(trx: Kysely<DB>): Promise<void> {
  await sql`
    INSERT INTO starboard_users (starboard_id, handle, username)
    SELECT DISTINCT ON (starboard_id, handle) starboard_id, handle, username FROM ${STAGED} s
    WHERE NOT EXISTS (SELECT 1 FROM starboard_users u WHERE u.starboard_id = s.starboard_id AND u.handle = s.handle)
    ORDER BY starboard_id, handle, line
    ON CONFLICT DO NOTHING`.execute(trx)
}

/** The starboards of the staged samples with the time of their earliest sample. */
export async function stagedStarboards(trx: Kysely<DB>): Promise<{ id: string; earliest: Date }[]> {
  const { rows } = await sql<{ id: string; earliest: Date }>`
    SELECT starboard_id AS id, min(sampled_at) AS earliest FROM ${STAGED} GROUP BY starboard_id ORDER BY 1`.execute(trx)
  return rows
}

/** The users of the staged samples. */
export const stagedUsers = sql`SELECT starboard_id, handle FROM ${STAGED}`

/** The lines of links that are new or move to another user. */
export const newLinks = sql`
  SELECT line FROM ${STAGED} s WHERE NOT EXISTS (
    SELECT 1 FROM starboard_links l
    WHERE l.starboard_id = s.starboard_id AND l.evm_address = s.evm_address AND l.handle = s.handle)`

const LINK_CHANGES = sql.raw('link_changes')

/** Stores links. New and moved links follow existing ones, in the order of the file. */
export async function mergeLinks(trx: Kysely<DB>, staging: Staging): Promise<Counts> {
  // The lock of the starboard protects the order of its links.
  await sql`SELECT lock_starboards(${await stagedValues(trx, 'starboard_id')}::text[])`.execute(trx)
  await staging.create({
    name: 'link_changes',
    columns:
      'line integer, starboard_id text COLLATE "C", evm_address text COLLATE "C", handle text COLLATE "C", linked_order bigint, known boolean',
    like: 'starboard_links',
  })
  await sql`
    INSERT INTO ${LINK_CHANGES}
    SELECT s.line, s.starboard_id, s.evm_address, s.handle, coalesce(last.place, 0) + s.line, l.handle IS NOT NULL
    FROM ${STAGED} s
    LEFT JOIN (SELECT starboard_id, max(linked_order) AS place FROM starboard_links GROUP BY starboard_id) AS last
      ON last.starboard_id = s.starboard_id
    LEFT JOIN starboard_links l ON l.starboard_id = s.starboard_id AND l.evm_address = s.evm_address
    WHERE l.handle IS DISTINCT FROM s.handle`.execute(trx)
  const moved = await sql`
    UPDATE starboard_links l SET handle = c.handle, linked_order = c.linked_order FROM ${LINK_CHANGES} c
    WHERE c.known AND l.starboard_id = c.starboard_id AND l.evm_address = c.evm_address`.execute(trx)
  const linked = await sql`
    INSERT INTO starboard_links (starboard_id, evm_address, handle, linked_order)
    SELECT starboard_id, evm_address, handle, ${withProgress('linked_order')} FROM (
      SELECT * FROM ${LINK_CHANGES} WHERE NOT known ORDER BY starboard_id, evm_address
    ) AS fresh`.execute(trx)
  return { added: Number(linked.numAffectedRows ?? 0), changed: Number(moved.numAffectedRows ?? 0) }
}
