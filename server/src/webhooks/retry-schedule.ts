import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts'

/** The pauses after failed attempts: eight attempts in 27 hours and 35 minutes. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
]

/** Each pause is longer or shorter by up to this share, so that what failed together does not come back together. */
export const JITTER = 0.1

/** A receiver may ask for a pause (Retry-After) of this length at most. */
export const MOST_PAUSE = DAY

/**
 * How long to wait after the failed attempt `tries` (from 1), in milliseconds; undefined when it was the last one.
 * @param share from 0 to 1, by chance
 * @param asked what the receiver asked for: waits at least so long
 */
export function retryDelay(tries: number, share: number, asked = 0): number | undefined {
  const delay = RETRY_DELAYS[tries - 1]
  if (delay === undefined) return undefined
  return Math.max(Math.round(delay * (1 - JITTER + 2 * JITTER * share)), Math.min(asked, MOST_PAUSE))
}
