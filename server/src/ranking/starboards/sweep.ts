import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { DEAD_ROW_LIFETIME } from '../../lifetimes.ts'
import { deleteEntries, deletePlaces, deleteRanking, supersededEntries, supersededRankings } from './sweep.queries.ts'

const BATCH = 10_000

/**
 * Deletes rankings of starboards that no cursor can reach, and then, in small batches, the entries of generations without
 * a ranking. An interrupted sweep can be resumed.
 * @param now milliseconds since 1970
 * @returns the number of deleted rankings
 */
export async function sweepRankings(kysely: Kysely<DB>, now: number): Promise<number> {
  const past = await supersededRankings(kysely, new Date(now - DEAD_ROW_LIFETIME))
  for (const ranking of past) {
    await deletePlaces(kysely, ranking)
    await deleteRanking(kysely, ranking)
  }
  for (let old = await supersededEntries(kysely); old.length > 0; old = await supersededEntries(kysely))
    for (const entries of old) while ((await deleteEntries(kysely, entries, BATCH)) === BATCH);
  return past.length
}
