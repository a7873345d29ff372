import type { Transaction } from 'kysely'
import { SECOND } from '../clock.ts'
import { type Database, isUnavailable } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { aNodeHangs, type Job } from '../jobs/jobs.ts'
import type { Logger } from '../logging/log.ts'
import { failureOf, SnapshotError, type SnapshotFailure } from './snapshot-error.ts'
import { sealOldestRequest, type SnapshotDependencies } from './snapshots.ts'
import { countAttempt, markFailed, withdrawAttempt } from './snapshots.queries.ts'

const POLL = SECOND
/** After this many interrupted attempts, a snapshot fails. */
const MAX_ATTEMPTS = 3
const INTERRUPTED: SnapshotFailure = {
  code: 'interrupted',
  message: `Building it was interrupted ${MAX_ATTEMPTS} times.`,
}

/** Seals the snapshots that were requested over HTTP, one at a time. */
export function snapshotJob(deps: SnapshotDependencies & { database: Pick<Database, 'reachAll'>; log: Logger }): Job {
  const { kysely } = deps.database
  return {
    name: 'snapshots',
    // The list and the contents of a snapshot can be on different nodes.
    asksAllNodes: true,
    async run({ signal }) {
      const attempt: { id?: string; counts: boolean } = { counts: false }
      /** Counts the attempt outside of its transaction, so that it counts if this process ends. */
      const begin = async (trx: Transaction<DB>, id: string) => {
        attempt.id = id
        attempt.counts = (await countAttempt(kysely, id)) <= MAX_ATTEMPTS
        if (!attempt.counts) await markFailed(trx, id, INTERRUPTED)
        return attempt.counts
      }
      try {
        await sealOldestRequest(deps, { begin, signal })
        if (attempt.counts) deps.log.info({ snapshot: attempt.id }, 'a snapshot was sealed')
      } catch (error) {
        const { id, counts } = attempt
        if (id === undefined) throw error
        if (signal.aborted || isUnavailable(error)) {
          if (counts && aNodeHangs(deps.database)) await withdrawAttempt(kysely, id)
          throw error
        }
        if (!(error instanceof SnapshotError)) deps.log.error({ err: error, snapshot: id }, 'a snapshot failed')
        await markFailed(kysely, id, failureOf(error))
      }
      return attempt.id === undefined ? POLL : 0
    },
  }
}
