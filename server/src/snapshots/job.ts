import { SECOND } from '../clock.ts'
import { type Database, isUnavailable } from '../database/connection.ts'
import { aNodeHangs, type Job } from '../jobs/jobs.ts'
import type { Logger } from '../logging/log.ts'
import { failureOf, SnapshotError } from './snapshot-error.ts'
import { sealRequested, type SnapshotDependencies } from './snapshots.ts'
import { markFailed, startAttempt, withdrawAttempt } from './snapshots.queries.ts'

const POLL = SECOND
/** After this many interrupted attempts, a snapshot fails. */
const MAX_ATTEMPTS = 3

/** Seals the snapshots that were requested over HTTP, one at a time. */
export function snapshotJob(deps: SnapshotDependencies & { database: Pick<Database, 'reachAll'>; log: Logger }): Job {
  const { kysely } = deps.database
  return {
    name: 'snapshots',
    // The list and the contents of a snapshot can be on different nodes.
    asksAllNodes: true,
    async run({ signal }) {
      const next = await startAttempt(kysely)
      if (!next) return POLL
      const { id, attempts } = next
      if (attempts > MAX_ATTEMPTS) {
        const message = `Building it was interrupted ${MAX_ATTEMPTS} times.`
        await markFailed(kysely, id, { code: 'interrupted', message })
        return 0
      }
      try {
        await sealRequested(deps, id, { signal })
        deps.log.info({ snapshot: id }, 'a snapshot was sealed')
      } catch (error) {
        if (signal.aborted || isUnavailable(error)) {
          if (aNodeHangs(deps.database)) await withdrawAttempt(kysely, id)
          throw error
        }
        if (!(error instanceof SnapshotError)) deps.log.error({ err: error, snapshot: id }, 'a snapshot failed')
        await markFailed(kysely, id, failureOf(error))
      }
      return 0
    },
  }
}
