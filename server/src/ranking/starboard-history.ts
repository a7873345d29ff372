import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { SAMPLE_HISTORY, SAMPLES_IN_FULL } from '../lifetimes.ts'
import { starboardIds } from './starboard-refresh.queries.ts'
import { endHistory, noteThinned, thinDay, unthinnedDays } from './starboard-history.queries.ts'

const BATCH = 10_000

/**
 * Thins the samples that no ranking looks at any more, in small batches: of each user one a day stays, and what is older
 * than the whole history goes, unless it is the newest that a comparison with the time 30 days ago can find.
 * @returns how many samples were deleted
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
