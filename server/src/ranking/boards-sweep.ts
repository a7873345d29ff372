import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { DEAD_ROW_LIFETIME } from '../lifetimes.ts'
import { deletePast, deleteVersionTimes, horizons, recordVersionTimes } from './boards.queries.ts'

const BATCH = 5_000

/**
 * Deletes how boards once stood when no cursor can reach it any more, in small batches, and the times of versions
 * that are not needed for that. Several instances may do so at once.
 * @returns how many entries were deleted
 */
export async function sweepBoards(kysely: Kysely<DB>, now: number): Promise<number> {
  // A version that nobody noted, because the next one never came, is noted here.
  await recordVersionTimes(kysely, 'all', new Date(now), new Date(now))
  let swept = 0
  for (const horizon of await horizons(kysely, new Date(now - DEAD_ROW_LIFETIME))) {
    for (;;) {
      const deleted = await deletePast(kysely, horizon, BATCH)
      swept += deleted
      if (deleted < BATCH) break
    }
    await deleteVersionTimes(kysely, horizon)
  }
  return swept
}
