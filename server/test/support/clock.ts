import type { Clock } from '../../src/clock.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  set(iso: string): void
  advance(milliseconds: number): void
}

export function testClock(start = '2026-11-21T12:00:00.000Z'): TestClock {
  let now = Date.parse(start)
  return {
    now: () => now,
    set(iso) {
      now = Date.parse(iso)
    },
    advance(milliseconds) {
      now += milliseconds
    },
  }
}
