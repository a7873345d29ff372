import { Readable } from 'node:stream'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { SECOND } from '../clock.ts'
import { isUnavailable } from '../database/connection.ts'
import type { PointEffects } from '../ingest/kind.ts'
import { importFile, type StoredFile } from '../ingest/import-file.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { ImportFileError } from '../ingest/source.ts'
import { fault } from '../texts/faults.ts'
import type { Job } from '../jobs/jobs.ts'
import { runningWork } from '../jobs/running-work.ts'
import { type Dependencies, nowOf } from '../services.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import {
  claimImport,
  deleteFile,
  type Failure,
  findImport,
  markChecked,
  markEnded,
  markStored,
  readChunks,
  releaseImport,
  type Work,
} from './imports.queries.ts'
import { SILENT_RUNNER } from './limits.ts'

type ImportDependencies = Pick<Dependencies, 'database' | 'clock' | 'random' | 'log'>

const POLL = SECOND
/** Concurrent imports of one process. */
const CONCURRENCY = 2
const STOP_TIMEOUT = 10 * SECOND
/** After this many interrupted attempts, an import fails. */
const MAX_ATTEMPTS = 5

/** Another process works on the import, or it has ended. */
class NoLongerOurs extends Error {}

/** Checks uploaded files, and stores those that an operator has confirmed. */
export function importJob(deps: ImportDependencies): Job {
  const running = runningWork()
  return {
    name: 'imports',
    asksAllNodes: true,
    async run({ now }) {
      if (running.size >= CONCURRENCY) return POLL
      const before = new Date(now - SILENT_RUNNER)
      const work = await claimImport(deps.database.kysely, deps.random.uuid(), new Date(now), before)
      if (!work) return POLL
      running.add(runWork(deps, work, running.signal))
      return 0
    },
    stop: () => running.stop(STOP_TIMEOUT, new NoLongerOurs('the service was stopped')),
  }
}

/** Never fails. If a result cannot be recorded, the import is claimed again. */
async function runWork(deps: ImportDependencies, work: Work, stopping: AbortSignal): Promise<void> {
  const { database, log } = deps
  const heartbeat = startHeartbeat(deps, work)
  try {
    const failure = await attempt(deps, work, heartbeat, stopping)
    if (failure) await markEnded(database.kysely, work, failure, nowOf(deps))
    const now = await findImport(database.kysely, work.id)
    if (now && now.endedAt !== null) await deleteFile(database.kysely, work.id)
    log.info({ import: work.id, state: now?.state }, 'an import was processed')
  } catch (error) {
    log.warn({ err: error, import: work.id }, 'an import was interrupted; it continues later')
    await releaseImport(database.kysely, work).catch(() => {}) // it is claimed again after SILENT_RUNNER
  } finally {
    heartbeat.stop()
  }
}

/** @returns the reason why nothing was stored; undefined after success */
async function attempt(
  deps: ImportDependencies,
  work: Work,
  heartbeat: Heartbeat,
  stopping: AbortSignal,
): Promise<Failure | undefined> {
  if (work.attempts > MAX_ATTEMPTS)
    return {
      state: 'failed',
      message: `The import was interrupted ${MAX_ATTEMPTS} times. Nothing was stored.`,
      fault: fault('interrupted'),
    }
  if (await heartbeat.cancelled()) return { state: 'cancelled' }
  try {
    await checkOrStore(deps, work, heartbeat, AbortSignal.any([stopping, heartbeat.ended]))
    return undefined
  } catch (error) {
    if (await heartbeat.cancelled()) return { state: 'cancelled' }
    if (stopping.aborted || heartbeat.ended.aborted || isUnavailable(error)) throw error
    if (error instanceof ImportRefusedError)
      return { state: 'refused', problems: error.problems, problemCount: error.count }
    if (error instanceof ImportFileError) return { state: 'refused', message: error.message, fault: error.fault }
    if (error instanceof NoLongerOurs) throw error
    deps.log.error({ err: error, import: work.id }, 'an import failed')
    return {
      state: 'failed',
      message: 'Internal error. Nothing was stored; the log of the service has the reason.',
      fault: fault('internal_error'),
    }
  }
}

async function checkOrStore(
  deps: ImportDependencies,
  work: Work,
  heartbeat: Heartbeat,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock } = deps
  const { kysely } = database
  const dryRun = work.state === 'checking'
  const requireOurs = (isOurs: boolean) => {
    if (!isOurs) throw new NoLongerOurs('the import was cancelled, or another process works on it')
  }
  let effects: PointEffects | undefined
  const receive = (read: PointEffects) => (effects = read)
  const importing = { database, clock, signal, actor: work.id, ...(dryRun && { effects: receive }) }
  const report = await importFile(importing, '-', {
    name: work.fileName,
    standardInput: Readable.from(readChunks(kysely, work.id)),
    kind: work.kind ?? undefined,
    credentialId: work.credentialId ?? undefined,
    replace: work.replace,
    dryRun,
    progress: heartbeat.progress,
    async beforeCommit(trx, stored: StoredFile) {
      requireOurs(await markStored(trx, work, stored, nowOf(deps)))
      const { kind, read, added } = stored
      const entry = { accountId: work.appliedBy ?? INSTALLATION, network: work.network ?? NO_NETWORK }
      const details = { kind, read: String(read), added: String(added), import: work.id }
      await audit(deps, { ...entry, event: 'data.imported', details }, trx)
    },
  })
  if (dryRun) requireOurs(await markChecked(kysely, work, { ...report, effects }, nowOf(deps)))
}
