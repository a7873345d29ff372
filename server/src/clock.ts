/** The only door through which time enters: milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
