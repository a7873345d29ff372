/** Work that continues after the call of the job that claimed it. */
export interface RunningWork {
  readonly size: number
  /** Aborted when work takes too long at the stop. */
  readonly signal: AbortSignal
  /** @param work never fails */
  add(work: Promise<void>): void
  /** Resolves when any running work has ended; immediately if none is running. */
  oneEnded(): Promise<unknown>
  allEnded(): Promise<unknown>
  /** Waits until all have ended, and aborts them after the timeout. */
  stop(timeout: number, reason?: Error): Promise<void>
}

export function runningWork(): RunningWork {
  const all = new Set<Promise<void>>()
  const aborting = new AbortController()
  const allEnded = () => Promise.all(all)
  return {
    get size() {
      return all.size
    },
    signal: aborting.signal,
    add(work) {
      const ending = work.then(() => void all.delete(ending))
      all.add(ending)
    },
    oneEnded: () => (all.size > 0 ? Promise.race(all) : Promise.resolve()),
    allEnded,
    async stop(timeout, reason) {
      const timer = setTimeout(() => aborting.abort(reason), timeout)
      await allEnded()
      clearTimeout(timer)
    },
  }
}
