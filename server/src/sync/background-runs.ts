import { fault } from '../texts/faults.ts'
import { allowAfterResponse } from '../database/request-context.ts'
import { conflict, overloaded } from '../errors.ts'
import { AlreadyRunningError, NothingToRunError, RUN_TIMEOUT, runSync } from './run-sync.ts'
import type { RunOptions, SyncDependencies } from './run-sync.ts'
import { UnreadableSourceError } from './sealed-source.ts'
import { SourceRefusedError } from './source.ts'

/** Runs at the same time in one process, in addition to those that are due (jobs.ts). */
const MAX_RUNS = 8

export interface BackgroundRuns {
  /**
   * Resolves when the run has begun; its result is stored with the source.
   * @throws ApiError already_running, nothing_to_run, unreadable_source; UNAVAILABLE if too many runs go on
   */
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
        if (running.size >= MAX_RUNS) return reject(overloaded())
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(RUN_TIMEOUT)])
        const run = allowAfterResponse(() => runSync(deps, credentialId, { ...options, signal, started: resolve }))
          .then(
            () => resolve(),
            (error: unknown) => reject(refusalOf(error)),
          )
          .finally(() => running.delete(run))
        running.add(run)
      }),
    async stop() {
      stopping.abort(new Error('The service stops'))
      await Promise.allSettled(running)
    },
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof AlreadyRunningError) return conflict('already_running', error.message)
  if (error instanceof NothingToRunError) return conflict('nothing_to_run', error.message)
  if (error instanceof UnreadableSourceError || error instanceof SourceRefusedError)
    return conflict('unreadable_source', error.message, fault('unreadable_source'))
  return error as Error
}
