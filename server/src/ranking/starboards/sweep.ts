import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { DEAD_ROW_LIFETIME } from '../../lifetimes.ts'
import { deleteRanking, deleteRanks, supersededRankings } from './sweep.queries.ts'

const BATCH = 10_000

/**
 * Deletes rankings of starboards that no cursor can reach, in small batches. A ranking is deleted after its ranks, so
 * that an interrupted sweep can be resumed.
 * @param now milliseconds since 1970
 * @returns the number of deleted rankings
 */
export async function sweepRankings(kysely: Kysely<DB>, now: number): Promise<number> {
  const past = await supersededRankings(kysely, new Date(now - DEAD_ROW_LIFETIME))
  for (const ranking of past) {
    for (let position = 0; position < ranking.user_count; position += BATCH)
      await deleteRanks(kysely, ranking, position, BATCH)
    await deleteRanking(kysely, ranking)
  }
  return past.length
}
