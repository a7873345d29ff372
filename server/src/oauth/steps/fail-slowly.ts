import { setTimeout } from 'node:timers/promises'
import type { MonotonicClock } from '../../clock.ts'

/** In milliseconds. */
const FAILURE_TIME = 20

/**
 * Lets a failure of `work` take at least 20 ms, so that its time does not show what exists: the service reads more for a known
 * app than for an unknown one.
 */
export async function failSlowly<T>(clock: MonotonicClock, work: () => Promise<T>): Promise<T> {
  const started = clock.monotonic()
  try {
    return await work()
  } catch (error) {
    // A timer drops fractions of a millisecond.
    await setTimeout(Math.max(0, Math.ceil(started + FAILURE_TIME - clock.monotonic())))
    throw error
  }
}
