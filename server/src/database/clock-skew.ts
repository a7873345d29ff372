import { type Kysely, sql } from 'kysely'
import { type Clock, MINUTE, type SystemClock } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import type { DB } from './tables.ts'

/** The time of the database, with the local times of the query and of the response, in milliseconds since 1970. */
export interface ClockReading {
  asked: number
  database: number
  received: number
}

/** The milliseconds by which the clock of the database is ahead (negative: behind), at least. 0 if both may agree. */
export function differenceOf({ asked, database, received }: ClockReading): number {
  if (database < asked) return Math.round(database - asked)
  return database > received ? Math.round(database - received) : 0
}

/** Whether irreversible changes may use this clock. */
export function agrees({ maxDifference }: Clock, reading: ClockReading): boolean {
  return maxDifference === undefined || Math.abs(differenceOf(reading)) <= maxDifference
}

/** A lease that ends later than its term plus this comes from a wrong clock. */
export const MAX_SKEW = MINUTE

const LOG_INTERVAL = MINUTE

/**
 * The time for work that moves or permanently deletes rows: a clock that was briefly wrong must do no lasting harm.
 * @returns a function that reads both clocks in one statement. It returns the time of the process, or undefined while
 *   the clocks differ by too much, which is logged once a minute
 */
export function watchClocks(deps: {
  database: { kysely: Kysely<DB> }
  clock: SystemClock
  log: Logger
}): () => Promise<number | undefined> {
  const { clock, database, log } = deps
  let said = -Infinity
  return async () => {
    if (clock.maxDifference === undefined) return clock.now()
    const asked = clock.now()
    const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(database.kysely)
    const now = clock.now()
    const reading = { asked, database: (rows[0] as { now: Date }).now.getTime(), received: now }
    if (agrees(clock, reading)) return now
    if (clock.monotonic() - said > LOG_INTERVAL) {
      said = clock.monotonic()
      log.error(
        { process: new Date(now).toISOString(), database: new Date(reading.database).toISOString() },
        "the clock of this process and the database's differ: quests are not moved, nothing is swept, ranked, synchronized or delivered until they agree; run NTP on both machines",
      )
    }
    return undefined
  }
}
