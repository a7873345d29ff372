import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { isOfUser, validAt } from './entries.queries.ts'

export interface FirstPlace {
  version: number
  handle: string
  username: string
  rank: number
  score: string
  /** The score in the newer ranking; null for a user that is no longer ranked. */
  score_now: string | null
}

const decimal = (column: string) => sql.raw(`trim_scale(${column})::text`)

/** The first places of a ranking and of the previous one, in order. */
export async function topsOfRankings(
  trx: Kysely<DB>,
  starboardId: string,
  version: number,
  top: number,
): Promise<FirstPlace[]> {
  // Publishing a whole ranking disabled nested loops for the transaction; here they are faster.
  await sql`SELECT set_config('enable_nestloop', 'on', true)`.execute(trx)
  const generation = (of: number) => sql`(
    SELECT generation FROM starboard_rankings WHERE starboard_id = ${starboardId} AND version = ${of})`
  const topOf = (of: number) => sql`(
    SELECT ${of}::bigint AS version, e.handle, e.score, e.descent, (rank() OVER (ORDER BY e.descent))::int AS rank
    FROM starboard_entries e
    WHERE e.starboard_id = ${starboardId} AND e.generation = ${generation(of)}
      AND ${sql.raw(validAt('e', String(of)))}
    ORDER BY e.descent, e.handle LIMIT ${top})`
  const { rows } = await sql<FirstPlace>`
    SELECT r.version, r.handle, u.username, r.rank, ${decimal('r.score')} AS score, ${decimal('n.score')} AS score_now
    FROM (${topOf(version - 1)} UNION ALL ${topOf(version)}) AS r CROSS JOIN ${generation(version)} AS current
    JOIN starboard_users u ON u.starboard_id = ${starboardId} AND u.handle = r.handle
    LEFT JOIN starboard_entries n ON n.starboard_id = ${starboardId} AND n.until_version IS NULL
      AND ${sql.raw(isOfUser('n', 'current.generation', 'r.handle'))}
    ORDER BY r.version, r.descent, r.handle`.execute(trx)
  return rows
}
