import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { SAMPLE_HISTORY, SAMPLES_IN_FULL } from '../../lifetimes.ts'
import { starboardIds } from './refresh.queries.ts'
import { endHistory, noteThinned, thinDay, unthinnedDays } from './history.queries.ts'

const BATCH = 10_000

/**
 * Thins samples that no ranking reads, in small batches: keeps one sample per user and day. Older samples than the
 * history are deleted, except the newest one that a comparison with 30 days ago can use.
 * @returns the number of deleted samples
 */
export async function thinHistories(kysely: Kysely<DB>, now: number): Promise<number> {
  const recent = new Date(now - SAMPLES_IN_FULL)
  let thinned = 0
  for (let days = await unthinnedDays(kysely, recent); days.length > 0; days = await unthinnedDays(kysely, recent))
    for (const day of days) {
      thinned += await inBatches(() => thinDay(kysely, day, BATCH))
      await noteThinned(kysely, day)
    }
  for (const starboardId of await starboardIds(kysely))
    thinned += await inBatches(() => endHistory(kysely, starboardId, new Date(now - SAMPLE_HISTORY), recent, BATCH))
  return thinned
}

async function inBatches(batch: () => Promise<number>): Promise<number> {
  let done = 0
  for (;;) {
    const deleted = await batch()
    done += deleted
    if (deleted < BATCH) return done
  }
}
