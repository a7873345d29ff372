import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface PastRanking {
  starboard_id: string
  version: number
}

/** Entries that no ranking of `generation` or later contains. */
export interface PastEntries {
  starboard_id: string
  generation: number
}

/**
 * Rankings that were superseded before a time, oldest first; never a current one, or one from which a remaining ranking
 * takes previous ranks.
 */
export async function supersededRankings(kysely: Kysely<DB>, before: Date): Promise<PastRanking[]> {
  const { rows } = await sql<PastRanking>`
    WITH rankings AS (
      SELECT starboard_id, version, previous_version,
        lead(ranked_at) OVER (PARTITION BY starboard_id ORDER BY version) AS superseded_at
      FROM starboard_rankings
    )
    SELECT starboard_id, version FROM rankings r
    WHERE superseded_at < ${before} AND NOT EXISTS (
      SELECT FROM rankings k WHERE k.starboard_id = r.starboard_id AND k.previous_version = r.version
        AND (k.superseded_at IS NULL OR k.superseded_at >= ${before}))
    ORDER BY superseded_at, starboard_id, version`.execute(kysely)
  return rows
}

/** The oldest generation of each starboard that has several, unless a ranking needs it. */
export async function supersededEntries(kysely: Kysely<DB>): Promise<PastEntries[]> {
  const { rows } = await sql<PastEntries>`
    SELECT starboard_id, generation FROM (
      SELECT r.starboard_id, min(r.generation) AS needed, (
          SELECT e.generation FROM starboard_entries e WHERE e.starboard_id = r.starboard_id
          ORDER BY e.generation LIMIT 1) AS generation
      FROM starboard_rankings r GROUP BY r.starboard_id
    ) AS oldest
    WHERE generation < needed ORDER BY starboard_id`.execute(kysely)
  return rows
}

/** Deletes up to `limit` entries of a generation; returns their number. */
export async function deleteEntries(
  kysely: Kysely<DB>,
  { starboard_id, generation }: PastEntries,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM starboard_entries WHERE starboard_id = ${starboard_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM starboard_entries WHERE starboard_id = ${starboard_id} AND generation = ${generation}
      LIMIT ${limit}))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

export async function deletePlaces(kysely: Kysely<DB>, { starboard_id, version }: PastRanking): Promise<void> {
  await kysely
    .deleteFrom('starboard_places')
    .where('starboard_id', '=', starboard_id)
    .where('version', '=', version)
    .execute()
}

export async function deleteRanking(kysely: Kysely<DB>, { starboard_id, version }: PastRanking): Promise<void> {
  await kysely
    .deleteFrom('starboard_rankings')
    .where('starboard_id', '=', starboard_id)
    .where('version', '=', version)
    .execute()
}
