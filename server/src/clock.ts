export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The time of day. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /**
   * If the database's clock differs by more milliseconds, nothing is changed or deleted permanently by time
   * (database/clock-skew.ts). Undefined if it is not compared, as in tests.
   */
  readonly maxDifference?: number
}

/** For durations and timeouts. */
export interface MonotonicClock {
  /** Milliseconds since a fixed moment. Unlike `now`, it never goes back. */
  monotonic(): number
}

/** The only source of time. */
export type SystemClock = Clock & MonotonicClock

export const systemClock: SystemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  maxDifference: 5 * SECOND,
}
