import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface PastRanking {
  starboard_id: string
  version: number
  user_count: number
}

/** Rankings that were superseded before a time, oldest first; never a current one. */
export async function supersededRankings(kysely: Kysely<DB>, before: Date): Promise<PastRanking[]> {
  const { rows } = await sql<PastRanking>`
    SELECT starboard_id, version, user_count FROM (
      SELECT starboard_id, version, user_count,
        lead(ranked_at) OVER (PARTITION BY starboard_id ORDER BY version) AS superseded_at
      FROM starboard_rankings
    ) rankings
    WHERE superseded_at < ${before} ORDER BY superseded_at, starboard_id, version`.execute(kysely)
  return rows
}

/** Deletes up to `limit` ranks after `position`. */
export async function deleteRanks(
  kysely: Kysely<DB>,
  { starboard_id, version }: PastRanking,
  position: number,
  limit: number,
): Promise<void> {
  await kysely
    .deleteFrom('starboard_ranks')
    .where('starboard_id', '=', starboard_id)
    .where('version', '=', version)
    .where('position', '>', position)
    .where('position', '<=', position + limit)
    .execute()
}

export async function deleteRanking(kysely: Kysely<DB>, { starboard_id, version }: PastRanking): Promise<void> {
  await kysely
    .deleteFrom('starboard_rankings')
    .where('starboard_id', '=', starboard_id)
    .where('version', '=', version)
    .execute()
}
