import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND, type SystemClock } from '../clock.ts'
import { watchClocks } from '../database/clock-skew.ts'
import type { Database } from '../database/connection.ts'
import type { Logger } from '../logging/log.ts'

/**
 * Work that the service repeats in the background. A job claims its work in the rows that contain the due times, with
 * `FOR UPDATE SKIP LOCKED` or one conditional update, so that any number of instances can run it.
 */
export interface Job {
  name: string
  /** Whether it asks every node of a cluster. Then it pauses while a node hangs, because it would keep its connection. */
  asksAllNodes?: boolean
  /** Claims and does due work. @returns milliseconds until the next call */
  run(call: JobCall): Promise<number>
  /** Waits for work that outlasts the call that claimed it. */
  stop?(): Promise<void>
}

export interface JobCall {
  /** The time on which this process and the database agree. */
  now: number
  /** The agreed time later in a long call; undefined if the clocks do not agree. */
  agreedNow: () => Promise<number | undefined>
  /** Aborted when the service stops. */
  signal: AbortSignal
}

export interface Jobs {
  /** Starts no new work and waits for running work. */
  stop(): Promise<void>
}

const PAUSE_AFTER_FAILURE = 2 * SECOND

/** Runs each job until the stop, and logs failures. Jobs pause while the clocks of process and database differ. */
export function startJobs(
  deps: { database: Pick<Database, 'kysely' | 'reachAll'>; clock: SystemClock; log: Logger },
  jobs: readonly Job[],
): Jobs {
  const stopping = new AbortController()
  const { signal } = stopping
  const agreedNow = watchClocks(deps)

  async function repeat(job: Job): Promise<void> {
    const runOnce = async () => {
      const now = await agreedNow()
      if (now === undefined || signal.aborted) return PAUSE_AFTER_FAILURE
      return job.asksAllNodes && aNodeHangs(deps.database) ? PAUSE_AFTER_FAILURE : job.run({ now, agreedNow, signal })
    }
    while (!signal.aborted) {
      const wait = await runOnce().catch((error: unknown) => {
        if (!signal.aborted) deps.log.error({ err: error, job: job.name }, 'a background job failed; retrying')
        return PAUSE_AFTER_FAILURE
      })
      await pause(wait, signal)
    }
  }

  const loops = jobs.map(repeat)
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await Promise.all(jobs.map(async (job) => job.stop?.()))
    },
  }
}

/** Whether a node of a cluster does not respond, as far as this process knows. */
export function aNodeHangs(database: Pick<Database, 'reachAll'>): boolean {
  try {
    database.reachAll()
    return false
  } catch {
    return true // it is logged when it begins
  }
}

/** Sleeps, or returns early when the signal is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  sleep(milliseconds, undefined, { signal }).catch(() => {})
