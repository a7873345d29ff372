import type { SystemClock } from '../../src/clock.ts'

/**
 * Its time of day stands still until a test moves it. Its monotonic time is real, because the services under test wait
 * for real sockets; `advance` moves it too.
 */
export interface TestClock extends SystemClock {
  set(iso: string): void
  advance(milliseconds: number): void
}

export function testClock(start = '2026-11-21T12:00:00.000Z'): TestClock {
  let now = Date.parse(start)
  let advanced = 0
  return {
    now: () => now,
    monotonic: () => performance.now() + advanced,
    set(iso) {
      now = Date.parse(iso)
    },
    advance(milliseconds) {
      now += milliseconds
      advanced += milliseconds
    },
  }
}
