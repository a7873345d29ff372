import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

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
  // Publishing disabled nested loops for the transaction; here they are faster.
  await sql`SELECT set_config('enable_nestloop', 'on', true)`.execute(trx)
  const { rows } = await sql<FirstPlace>`
    SELECT r.version, r.handle, u.username, r.rank, ${decimal('r.score')} AS score, ${decimal('n.score')} AS score_now
    FROM starboard_ranks r
    JOIN starboard_users u ON u.starboard_id = r.starboard_id AND u.handle = r.handle
    LEFT JOIN starboard_ranks n ON n.starboard_id = r.starboard_id AND n.version = ${version} AND n.handle = r.handle
    WHERE r.starboard_id = ${starboardId} AND r.version IN (${version - 1}, ${version}) AND r.position <= ${top}
    ORDER BY r.version, r.position`.execute(trx)
  return rows
}
