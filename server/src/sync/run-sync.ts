import { loadInstallationSecret } from '../secrets/installation-secret.ts'
import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { HOUR, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Random } from '../random.ts'
import type { Config } from '../config.ts'
import { PAGE_TIMEOUT, type Reading, sleepUnless } from './reading.ts'
import { type Replaced, replaceList, TooManyRemovedError } from './replace-list.ts'
import { isTemporary, SourceError } from './source-error.ts'
import { isPublicOnly, openSource, type SealingSettings, senderFor } from './sealed-source.ts'
import { isListSource, kindOf } from './source.ts'
import { emitSyncFailed } from './sync-events.ts'
import { extendLease, failRun, findSource, finishRun, takeLease } from './sources.queries.ts'

export interface SyncDependencies {
  database: Database
  clock: Clock
  random: Random
  log: Logger
  outgoing: Outgoing
  config: SealingSettings & Pick<Config, 'sites'>
}

export interface RunOptions {
  /** The lease with which the caller has already claimed the source. */
  lease?: string
  /** Whether a person confirmed a held run. The run may then remove any number of holders. */
  confirmed?: boolean
  signal?: AbortSignal
  /** Runs first in the transaction that starts the run; it may lock accounts. */
  before?: (transaction: Transaction<DB>) => Promise<void>
  /** Runs in the transaction that starts the run, which then holds the lease. */
  begin?: (transaction: Transaction<DB>) => Promise<void>
  /** Called after the run has taken the lease. */
  started?: () => void
  /** Called with the number of entries read so far. */
  progress?: (read: number) => void
  /** Waits for a given time; by default in real time. */
  pause?: Reading['pause']
}

/** The credential does not exist, has no source, or has a source without a list. */
export class NothingToRunError extends Error {
  override name = 'NothingToRunError'
}

/** Another instance or command is synchronizing this credential. */
export class AlreadyRunningError extends Error {
  override name = 'AlreadyRunningError'
}

/** If a run does not extend its lease for this long, the run counts as dead, and another run may start. */
export const LEASE = 90 * SECOND
export const RUN_TIMEOUT = 20 * HOUR
const EXTEND_EVERY = 20 * SECOND
const MAX_REASON = 2_000

/**
 * Replaces the holders of a credential with the entries of its source. The start of the run sets the status of the
 * credential to SYNCING. If the run fails or is held, the status stays SYNCING and the list does not change.
 * @throws NothingToRunError, AlreadyRunningError, TooManyRemovedError, SourceError, OutgoingError
 */
export async function runSync(
  deps: SyncDependencies,
  credentialId: string,
  options: RunOptions = {},
): Promise<Replaced> {
  const { database, clock, log } = deps
  const found = await findSource(database.kysely, credentialId)
  if (!found) throw new NothingToRunError(`Unknown credential ${credentialId}.`)
  if (found.source === null) throw new NothingToRunError(`The credential ${credentialId} has no source.`)
  const source = openSource(loadInstallationSecret(deps.config), credentialId, found.source)
  const list = kindOf(source.kind).list
  if (!list || !isListSource(source))
    throw new NothingToRunError(
      `The credential ${credentialId} has a source of the kind ${source.kind}, which has no list to import.`,
    )

  const lease = options.lease ?? deps.random.uuid()
  const until = () => new Date(clock.now() + LEASE)
  if (!(await takeLease(database.kysely, credentialId, lease, new Date(clock.now()), until(), options)))
    throw new AlreadyRunningError(`The credential ${credentialId} is already being synchronized.`)
  options.started?.()
  const lost = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal
  const keeping = setInterval(() => {
    extendLease(database.kysely, credentialId, lease, until()).then(
      (mine) => mine || lost.abort(new SourceError('another run took over', { temporary: true })),
      (error: unknown) => log.warn({ err: error, credentialId }, 'a synchronization could not extend its lease'),
    )
  }, EXTEND_EVERY)

  try {
    const wanted = {
      credentialId,
      credType: found.credType,
      mostRemoved: source.mostRemoved,
      invalid: source.invalid,
      confirmed: options.confirmed ?? false,
      async succeed(trx: typeof database.kysely) {
        if (!(await finishRun(trx, credentialId, lease, new Date(clock.now()))))
          throw new SourceError('another run took over', { temporary: true })
      },
    }
    let read = 0
    const done = await replaceList(deps, wanted, (give) => {
      const reading: Reading = {
        outgoing: senderFor(deps.outgoing, source, { publicOnly: isPublicOnly(found.source) }),
        signal,
        kysely: database.kysely,
        clock,
        sites: deps.config.sites,
        timeout: PAGE_TIMEOUT,
        pause: options.pause ?? sleepUnless(signal),
        async give(entries) {
          signal.throwIfAborted()
          await give(entries)
          options.progress?.((read += entries.length))
        },
      }
      return list(reading, source, credentialId)
    })
    log.info({ credentialId, ...done }, 'a credential was synchronized')
    return done
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON)
    const state = error instanceof TooManyRemovedError ? 'held' : 'failed'
    await database.kysely.transaction().execute(async (trx) => {
      const retry = state === 'failed' && isTemporary(error)
      const failures = await failRun(trx, credentialId, lease, { state, reason, retry, now: new Date(clock.now()) })
      // Of several failures in a row, only the first is reported. A held run is always reported, because it waits for
      // an operator.
      if (failures === 1 || (failures !== undefined && state === 'held'))
        await emitSyncFailed(trx, credentialId, state, reason, new Date(clock.now()))
    })
    log.warn({ credentialId, state, reason }, 'the synchronization of a credential failed')
    throw error
  } finally {
    clearInterval(keeping)
  }
}
