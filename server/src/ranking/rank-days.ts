import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { RANK_HISTORY } from '../lifetimes.ts'
import { deleteMemberDays, deleteRankDays, unwrittenBoards, writeRankDay } from './rank-days.queries.ts'

/** The number of places per board with a history, at one row per place and day. */
export const PLACES_WITH_HISTORY = 1_000

const BOARDS_AT_ONCE = 100
const BATCH = 10_000

/**
 * Records the first ranks of each board once per UTC day, at the first call of the day. Ended sprints are left out.
 * @param now milliseconds since 1970
 * @returns the number of boards
 */
export async function writeRankDays(kysely: Kysely<DB>, now: number, signal?: AbortSignal): Promise<number> {
  const day = dayOf(now)
  let written = 0
  while (!signal?.aborted) {
    const boards = await unwrittenBoards(kysely, day, new Date(now), BOARDS_AT_ONCE)
    for (const board of boards) {
      if (signal?.aborted) return written
      await writeRankDay(kysely, board, day, PLACES_WITH_HISTORY)
      written++
    }
    if (boards.length < BOARDS_AT_ONCE) break
  }
  return written
}

/** Deletes rows older than the history. @returns the number of deleted rows */
export async function sweepRankDays(kysely: Kysely<DB>, now: number): Promise<number> {
  const before = dayOf(now - RANK_HISTORY)
  let deleted = 0
  for (const deleteSome of [deleteRankDays, deleteMemberDays]) {
    let batch = BATCH
    while (batch === BATCH) {
      batch = await deleteSome(kysely, before, BATCH)
      deleted += batch
    }
  }
  return deleted
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
