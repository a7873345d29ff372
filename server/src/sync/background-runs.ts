import { beyondAnswer } from '../database/answered.ts'
import { runSync, type RunOptions, type SyncDependencies } from './run-sync.ts'

export interface BackgroundRuns {
  /** Resolves when the run has begun; its result is stored with the source. @throws what prevents the beginning */
  start: (credentialId: string, options: Omit<RunOptions, 'signal' | 'started'>) => Promise<void>
  /** Aborts the runs, and waits for their ends. */
  stop: () => Promise<void>
}

/** Runs that continue after the response to the request that started them. */
export function backgroundRuns(deps: SyncDependencies): BackgroundRuns {
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    start: (credentialId, options) =>
      new Promise<void>((resolve, reject) => {
        const all: RunOptions = { ...options, signal: stopping.signal, started: resolve }
        const run = beyondAnswer(() => runSync(deps, credentialId, all))
          .then(() => resolve(), reject)
          .finally(() => running.delete(run))
        running.add(run)
      }),
    async stop() {
      stopping.abort(new Error('The service stops'))
      await Promise.allSettled(running)
    },
  }
}
