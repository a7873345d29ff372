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
    await noteSampleChanges(trx, [id])
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

export async function ranksOf(database: TestDatabase, id: string, version: number): Promise<RankRow[]> {
  return database.query<RankRow>(
    `SELECT position, handle, rank, score, previous_rank, previous_score, score_24h, score_7d, score_30d, individual, aura
     FROM starboard_ranks WHERE starboard_id = $1 AND version = $2 ORDER BY position`,
    [id, version],
  )
}
