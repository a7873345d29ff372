export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The only door through which time enters: milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
  /**
   * While the database's clock is further away than this, in milliseconds, nothing is moved or deleted for good by this
   * one (database/agreed-time.ts). Without it the clock is not compared: one that a test sets to any day.
   */
  readonly mostDifference?: number
}

export const systemClock: Clock = { now: () => Date.now(), mostDifference: 5 * SECOND }
