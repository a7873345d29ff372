import { loadInstallationSecret } from '../secrets/installation-secret.ts'
import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { Random } from '../random.ts'
import { readNativeHolders } from './chain/native-holders.ts'
import { readTransferHolders } from './chain/transfer-holders.ts'
import { readCsv } from './lists/csv.ts'
import { readGraphql } from './lists/graphql.ts'
import { readRest } from './lists/rest.ts'
import { type Reading, sleepUnless } from './reading.ts'
import { type Replaced, replaceList, TooManyRemovedError } from './replace-list.ts'
import { isTemporary, SourceError } from './source-error.ts'
import { openSource, type SealingSettings } from './sealed-source.ts'
import type { ListSource } from './source.ts'
import { tellOfFailedSync } from './sync-events.ts'
import { extendLease, failRun, findSource, finishRun, takeLease } from './sources.queries.ts'

export interface SyncDependencies {
  database: Database
  clock: Clock
  random: Random
  log: Logger
  outgoing: Outgoing
  config: SealingSettings
}

export interface RunOptions {
  /** The lease under which the caller has claimed the source. */
  lease?: string
  /** Any number of holders may go (a run that was held is confirmed). */
  confirmed?: boolean
  signal?: AbortSignal
  /** Works in the transaction that begins the run. */
  begin?: (transaction: Transaction<DB>) => Promise<void>
  /** Called when the run has begun and holds the lease. */
  started?: () => void
  /** Called with the number of entries that were read so far. */
  progress?: (read: number) => void
  /** How waiting is done; real time unless given. */
  pause?: Reading['pause']
}

/** There is nothing to run: no such credential, no source, or one that is asked at answer time. */
export class NothingToRunError extends Error {
  override name = 'NothingToRunError'
}

/** Another instance or command runs this source now. */
export class AlreadyRunningError extends Error {
  override name = 'AlreadyRunningError'
}

/** A run that is not extended for this long is taken as dead, and another may begin. */
export const LEASE = 90 * SECOND
const EXTEND_EVERY = 20 * SECOND
const MAX_REASON = 2_000

/**
 * Brings a credential's holders in from its source. While it runs the credential is SYNCING; it stays so when the run
 * fails or is held, and its list stays as it was.
 * @throws NothingToRunError, AlreadyRunningError, TooManyRemovedError, SourceError, OutgoingError
 */
export async function runSync(
  deps: SyncDependencies,
  credentialId: string,
  options: RunOptions = {},
): Promise<Replaced> {
  const { database, clock, log } = deps
  const found = await findSource(database.kysely, credentialId)
  if (!found) throw new NothingToRunError(`There is no credential ${credentialId}.`)
  if (found.source === null) throw new NothingToRunError(`The credential ${credentialId} has no source.`)
  const source = openSource(loadInstallationSecret(deps.config), credentialId, found.source)
  if (source.kind === 'API')
    throw new NothingToRunError(`The credential ${credentialId} asks its API when somebody asks for an address.`)

  const lease = options.lease ?? deps.random.uuid()
  const until = () => new Date(clock.now() + LEASE)
  if (!(await takeLease(database.kysely, credentialId, lease, new Date(clock.now()), until(), options.begin)))
    throw new AlreadyRunningError(`The credential ${credentialId} is being synchronized already.`)
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
    const list = {
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
    const done = await replaceList(deps, list, (give) =>
      readSource(deps, credentialId, source, {
        outgoing: deps.outgoing,
        signal,
        pause: options.pause ?? sleepUnless(signal),
        async give(entries) {
          signal.throwIfAborted()
          await give(entries)
          options.progress?.((read += entries.length))
        },
      }),
    )
    log.info({ credentialId, ...done }, 'a credential was synchronized')
    return done
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON)
    const state = error instanceof TooManyRemovedError ? 'held' : 'failed'
    await database.kysely.transaction().execute(async (trx) => {
      const retry = state === 'failed' && isTemporary(error)
      const failures = await failRun(trx, credentialId, lease, { state, reason, retry, now: new Date(clock.now()) })
      // A source that stays broken is reported once; a run that waits for an operator, each time.
      if (failures === 1 || (failures !== undefined && state === 'held'))
        await tellOfFailedSync(trx, credentialId, state, reason, new Date(clock.now()))
    })
    log.warn({ credentialId, state, reason }, 'a credential was not synchronized')
    throw error
  } finally {
    clearInterval(keeping)
  }
}

function readSource(
  { database }: SyncDependencies,
  credentialId: string,
  source: ListSource,
  reading: Reading,
): Promise<void> {
  switch (source.kind) {
    case 'CSV':
      return readCsv(reading, source)
    case 'REST':
      return readRest(reading, source)
    case 'GRAPHQL':
    case 'SUBGRAPH':
      return readGraphql(reading, source)
    case 'CONTRACT_NFT_HOLDER': {
      const { contract, standard, tokenIds, minimum, startBlock, confirmations, maxBlockRange } = source
      const node = { url: source.rpcUrl, headers: source.headers }
      const token = { node, contract, standard, tokenIds, minimum, startBlock, confirmations, maxBlockRange }
      return readTransferHolders(reading, database.kysely, credentialId, token)
    }
    case 'WALLET_BALANCE': {
      const { asset, minimum, confirmations } = source
      const node = { url: source.rpcUrl, headers: source.headers }
      if ('nativeOfHoldersOf' in asset)
        return readNativeHolders(reading, database.kysely, {
          node,
          candidates: asset.nativeOfHoldersOf,
          minimum,
          confirmations,
        })
      const { erc20: contract, startBlock, maxBlockRange } = asset
      const token = {
        node,
        contract,
        standard: 'ERC20' as const,
        tokenIds: undefined,
        minimum,
        startBlock,
        confirmations,
        maxBlockRange,
      }
      return readTransferHolders(reading, database.kysely, credentialId, token)
    }
  }
}
