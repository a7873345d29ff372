import { performance } from 'node:perf_hooks'

/** How many milliseconds the process was busy since it was asked last. */
export function busyTime(): () => number {
  let before = performance.eventLoopUtilization().active
  return () => {
    const now = performance.eventLoopUtilization().active
    const busy = now - before
    before = now
    return busy
  }
}
