import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { DEAD_ROW_LIFETIME } from '../lifetimes.ts'
import { deleteOtherChanges, deletePast, deleteVersionTimes, horizons, recordVersionTimes } from './boards.queries.ts'

const BATCH = 5_000

/**
 * Deletes past board entries and changes that no cursor can reach, in small batches, and the version times that are no longer
 * needed. Several processes may run it at once.
 * @returns the number of deleted rows
 */
export async function sweepBoards(kysely: Kysely<DB>, now: number): Promise<number> {
  // Records the times of versions that no later version recorded.
  await recordVersionTimes(kysely, 'all', new Date(now), new Date(now))
  let swept = 0
  for (const horizon of await horizons(kysely, new Date(now - DEAD_ROW_LIFETIME))) {
    for (const deleteSome of [deletePast, deleteOtherChanges])
      for (;;) {
        const deleted = await deleteSome(kysely, horizon, BATCH)
        swept += deleted
        if (deleted < BATCH) break
      }
    await deleteVersionTimes(kysely, horizon)
  }
  return swept
}
