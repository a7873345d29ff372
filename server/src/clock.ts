export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The only source of time: milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
  /**
   * If the database's clock differs by more milliseconds, nothing is changed or deleted permanently by time
   * (database/agreed-time.ts). Undefined: not compared, for the clocks of tests.
   */
  readonly mostDifference?: number
}

export const systemClock: Clock = { now: () => Date.now(), mostDifference: 5 * SECOND }
