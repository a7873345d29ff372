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

/** Each pause varies by up to this share, so that deliveries that failed together are not retried together. */
export const JITTER = 0.1

/** The longest pause that a receiver can request with Retry-After. */
export const MAX_PAUSE = DAY

/**
 * The pause in milliseconds after the failed attempt `tries` (from 1); undefined after the last one.
 * @param share a random number from 0 to 1
 * @param asked the pause that the receiver requested
 */
export function retryDelay(tries: number, share: number, asked = 0): number | undefined {
  const delay = RETRY_DELAYS[tries - 1]
  if (delay === undefined) return undefined
  return Math.max(Math.round(delay * (1 - JITTER + 2 * JITTER * share)), Math.min(asked, MAX_PAUSE))
}
