import { sql } from 'kysely'
import { noteSampleChanges } from '../../src/ranking/starboards/changes.queries.ts'
import type { TestDatabase } from '../support/database.ts'

/** A sample: user, time and score. */
export type Sample = [
  handle: string,
  sampledAt: string | Date,
  score: number | string,
  individual?: number,
  aura?: number,
]

export async function createStarboard(database: TestDatabase, id: string, handles: string[]): Promise<void> {
  await database.query(
    `INSERT INTO starboards (starboard_id, name, type, created_at) VALUES ($1, $1, 'TWITTER', '2026-01-01T00:00:00Z')`,
    [id],
  )
  await database.query(
    `INSERT INTO starboard_users (starboard_id, handle, username) SELECT $1, handle, handle FROM unnest($2::text[]) AS handle`,
    [id, handles],
  )
}

/** Stores samples as an import does, in one transaction that also records the change. */
export async function addSamples(database: TestDatabase, id: string, samples: Sample[]): Promise<void> {
  await database.kysely.transaction().execute(async (trx) => {
    await trx
      .insertInto('score_samples')
      .values(
        samples.map(([handle, sampledAt, score, individual = 0, aura = 0]) => ({
          starboard_id: id,
          handle,
          sampled_at: new Date(sampledAt),
          score,
          individual,
          aura,
        })),
      )
      .execute()
    const handles = samples.map(([handle]) => handle)
    await noteSampleChanges(trx, sql`SELECT ${id}::text AS starboard_id, unnest(${handles}::text[]) AS handle`)
  })
}

export interface RankRow {
  position: number
  handle: string
  rank: number
  score: string
  previous_rank: number | null
  previous_score: string | null
  score_24h: string | null
  score_7d: string | null
  score_30d: string | null
  individual: number
  aura: number
}

/** All users of a version, with ranks that are counted from all entries. */
export async function ranksOf(database: TestDatabase, id: string, version: number): Promise<RankRow[]> {
  return database.query<RankRow>(
    `WITH ranking AS (SELECT * FROM starboard_rankings WHERE starboard_id = $1 AND version = $2),
     entries AS (
       SELECT e.*, r.previous_version, $2::bigint BETWEEN e.from_version AND coalesce(e.until_version - 1, $2) AS now,
         r.previous_version BETWEEN e.from_version AND coalesce(e.until_version - 1, $2) AS before
       FROM ranking r JOIN starboard_entries e ON e.starboard_id = $1 AND e.generation = r.generation),
     before AS (SELECT handle, score, rank() OVER (ORDER BY score DESC)::int AS rank FROM entries WHERE before)
     SELECT row_number() OVER (ORDER BY e.score DESC, e.handle)::int AS position, e.handle,
       rank() OVER (ORDER BY e.score DESC)::int AS rank, e.score,
       CASE WHEN e.before THEN b.rank ELSE e.previous_rank END AS previous_rank,
       CASE WHEN e.before THEN b.score ELSE e.previous_score END AS previous_score,
       e.score_24h, e.score_7d, e.score_30d, e.individual, e.aura
     FROM entries e LEFT JOIN before b ON b.handle = e.handle WHERE e.now ORDER BY position`,
    [id, version],
  )
}
