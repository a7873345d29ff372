import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { DEAD_ROW_LIFETIME } from '../lifetimes.ts'
import { recordOtherVersions } from './boards.ts'
import { deleteOtherChanges, deletePast, deleteVersionTimes, horizons } from './boards.queries.ts'

const BATCH = 5_000

/**
 * Deletes past board entries and changes that no cursor can reach, in small batches, and the version times that are no longer
 * needed. Several processes may run it at once.
 * @returns the number of deleted rows
 */
export async function sweepBoards(kysely: Kysely<DB>, now: number, clock: Clock): Promise<number> {
  await recordOtherVersions(kysely, clock)
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
