import { SECOND } from '../clock.ts'
import type { Job } from '../jobs/jobs.ts'
import { runningWork } from '../jobs/running-work.ts'
import { LEASE, RUN_TIMEOUT, runSync, type SyncDependencies } from './run-sync.ts'
import { SourceError } from './source-error.ts'
import { claimDueSources, postponeRun } from './sources.queries.ts'

const POLL = SECOND
/** Runs at the same time in one process. */
const CONCURRENCY = 2
const STOP_TIMEOUT = 10 * SECOND

/** Runs the due sources of credentials. */
export function syncJob(deps: SyncDependencies): Job {
  const running = runningWork()
  return {
    name: 'synchronizations',
    asksAllNodes: true,
    async run({ now }) {
      const lease = deps.random.uuid()
      const free = CONCURRENCY - running.size
      const due = await claimDueSources(deps.database.kysely, lease, new Date(now), new Date(now + LEASE), free)
      for (const credentialId of due) running.add(synchronize(deps, credentialId, lease, running.signal))
      return POLL
    },
    stop: () => running.stop(STOP_TIMEOUT, new SourceError('the service was stopped', { temporary: true })),
  }
}

/** The run itself records its outcome and the next time of the source. */
async function synchronize(
  deps: SyncDependencies,
  credentialId: string,
  lease: string,
  signal: AbortSignal,
): Promise<void> {
  let begun = false
  try {
    await runSync(deps, credentialId, {
      lease,
      signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_TIMEOUT)]),
      started: () => (begun = true),
    })
  } catch (error) {
    if (begun) return
    const { database, clock, log } = deps
    log.warn({ err: error, credentialId }, 'a synchronization could not begin')
    await postponeRun(database.kysely, credentialId, lease, new Date(clock.now())).catch(() => {}) // the lease ends
  }
}
