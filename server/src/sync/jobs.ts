import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, MINUTE, SECOND } from '../clock.ts'
import { watchClocks } from '../database/agreed-time.ts'
import { inTransaction, type Queue } from './queue.ts'
import { AlreadyRunningError, NothingToRunError, runSync, type SyncDependencies } from './run-sync.ts'
import { isTemporary } from './source-error.ts'
import { takeDueSources } from './sources.queries.ts'
import { TooManyRemovedError } from './replace-list.ts'

const QUEUE = 'credential-sync'
const POLL = SECOND
const DUE_AT_ONCE = 100
/** Runs at once in one process. */
const CONCURRENCY = 2

interface SyncJob {
  credentialId: string
}

export interface SyncJobs {
  /** Starts nothing new; runs under way end with the queue. */
  stop(): Promise<void>
}

/**
 * Keeps credentials in line with their sources. Any number of instances may do so: a credential is in the queue once,
 * and a run that failed for a reason that may pass is tried again after 30 s, 1 min, 2 min … 15 min, five times.
 */
export async function startSyncJobs(deps: SyncDependencies & { queue: Queue }): Promise<SyncJobs> {
  const { queue, log } = deps
  const agreedNow = watchClocks(deps)
  await queue.createQueue(QUEUE, {
    policy: 'exclusive',
    retryLimit: 5,
    retryDelay: 30,
    retryBackoff: true,
    retryDelayMax: (15 * MINUTE) / SECOND,
    // A process that dies is noticed by its missing heartbeat; a run may otherwise take long.
    heartbeatSeconds: 60,
    expireInSeconds: (20 * HOUR) / SECOND,
    deleteAfterSeconds: (24 * HOUR) / SECOND,
  })
  await queue.work<SyncJob>(
    QUEUE,
    { batchSize: 1, localConcurrency: CONCURRENCY, pollingIntervalSeconds: 1 },
    async ([job]) => {
      if (!job) return
      try {
        await runSync(deps, job.data.credentialId, { signal: job.signal })
      } catch (error) {
        // Told to the operator by the run itself; asking again would change nothing.
        const settled =
          error instanceof NothingToRunError ||
          error instanceof AlreadyRunningError ||
          error instanceof TooManyRemovedError
        if (settled || !isTemporary(error)) return
        throw error
      }
    },
  )
  // While the clock is not the database's nothing begins; what is in the queue already does, and its list is right.
  const enqueueUnlessWrong = async () => {
    const now = await agreedNow()
    if (now !== undefined) await enqueueDue(deps, now)
  }
  const stopping = new AbortController()
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await enqueueUnlessWrong().catch((error: unknown) =>
        log.error({ err: error }, 'due credentials were not enqueued'),
      )
      await sleep(POLL, undefined, { signal: stopping.signal }).catch(() => {}) // only an abort ends it early
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await loop
      await queue.offWork(QUEUE, { wait: false })
    },
  }
}

/** Puts the credentials whose time has come into the queue. Answers how many. */
export async function enqueueDue(
  { database, clock, queue }: SyncDependencies & { queue: Queue },
  now = clock.now(),
): Promise<number> {
  return database.kysely.transaction().execute(async (trx) => {
    const due = await takeDueSources(trx, new Date(now), DUE_AT_ONCE)
    for (const credentialId of due)
      await queue.send(QUEUE, { credentialId }, { singletonKey: credentialId, ...inTransaction(trx) })
    return due.length
  })
}
