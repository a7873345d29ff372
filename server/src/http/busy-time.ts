import { performance } from 'node:perf_hooks'

/** Returns a function that measures the milliseconds that the event loop was busy since its last call. */
export function busyTime(): () => number {
  let before = performance.eventLoopUtilization().active
  return () => {
    const now = performance.eventLoopUtilization().active
    const busy = now - before
    before = now
    return busy
  }
}
