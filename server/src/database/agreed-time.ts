import { type Kysely, sql } from 'kysely'
import { type Clock, MINUTE } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import type { DB } from './tables.ts'

/** When the database was asked for its time, what it said and when its answer came; in milliseconds since 1970. */
export interface ClockReading {
  asked: number
  database: number
  received: number
}

/** By how many milliseconds the database is ahead, negative when it is behind: it must have answered between the two readings. */
export function differenceOf({ asked, database, received }: ClockReading): number {
  if (database < asked) return Math.round(database - asked)
  return database > received ? Math.round(database - received) : 0
}

/** Whether what lasts may be done by this clock. */
export function agrees({ mostDifference }: Clock, reading: ClockReading): boolean {
  return mostDifference === undefined || Math.abs(differenceOf(reading)) <= mostDifference
}

/** A claim that reaches further than this beyond its term was not made by a clock that agrees: the skew of two, and to spare. */
export const MOST_SKEW = MINUTE

const SAY_EVERY = MINUTE

/**
 * The time for work that moves or permanently deletes rows: a clock that was briefly wrong must do no lasting harm.
 * @returns a function that reads both clocks in one statement. It returns the time of the process, or undefined while
 *   the clocks differ by too much, which is logged once a minute
 */
export function watchClocks(deps: {
  database: { kysely: Kysely<DB> }
  clock: Clock
  log: Logger
}): () => Promise<number | undefined> {
  const { clock, database, log } = deps
  let said = -Infinity
  return async () => {
    if (clock.mostDifference === undefined) return clock.now()
    const asked = clock.now()
    const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(database.kysely)
    const now = clock.now()
    const reading = { asked, database: (rows[0] as { now: Date }).now.getTime(), received: now }
    if (agrees(clock, reading)) return now
    if (performance.now() - said > SAY_EVERY) {
      said = performance.now()
      log.error(
        { process: new Date(now).toISOString(), database: new Date(reading.database).toISOString() },
        "the clock of this process and the database's differ: quests are not moved, nothing is swept, ranked, synchronized or delivered until they agree; run NTP on both machines",
      )
    }
    return undefined
  }
}
