import { type Fault, fault, unknownReference } from '../texts/faults.ts'
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { isDecidedLive } from '../resolvers/holders.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { checkTarget } from '../outgoing/check-target.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { AllowedHost } from '../settings/hosts.ts'
import type { Random } from '../random.ts'
import { forgetChecks } from './checks.queries.ts'
import { forgetAttempts } from './members/quiz-attempts.queries.ts'
import { sealSource, type SealingSettings } from './sealed-source.ts'
import { isListSource, kindOf, modeOf, parseSource, type Source, SourceRefusedError } from './source.ts'
import { findSource, lockSource, markSynced, storeSource } from './sources.queries.ts'

interface SealingDeps {
  clock: Clock
  random: Random
  config: SealingSettings
}

export interface SetSourceOptions {
  /** Hosts that only operators may use. The source then sends requests to public hosts only. */
  forbiddenHosts?: readonly AllowedHost[]
  /** Runs first in the transaction; it may lock accounts. */
  begin?: (trx: Transaction<DB>) => Promise<void>
  /** Checks the source that is replaced; `stored` is null if the credential has no source. */
  replaces?: (stored: unknown) => void
  /** Writes the audit entry, in the transaction of the change. */
  note?: (source: Source, trx: Transaction<DB>) => Promise<void>
}

/**
 * Sets or replaces the source of a credential. The service starts the first run within seconds. The list stays until then.
 * @throws SourceRefusedError that names the setting
 */
export async function setSource(
  deps: SealingDeps & { database: Pick<Database, 'kysely'> },
  credentialId: string,
  value: unknown,
  { forbiddenHosts, begin, replaces, note }: SetSourceOptions = {},
): Promise<Source> {
  const { kysely } = deps.database
  const source = parseSource(value)
  await checkSource(kysely, credentialId, source)
  if (forbiddenHosts) requirePublicHosts(source, forbiddenHosts)
  await kysely.transaction().execute(async (trx) => {
    await begin?.(trx)
    const stored = await lockSource(trx, credentialId)
    if (!stored) throw unknownCredential(credentialId)
    replaces?.(stored.source)
    await putSource(deps, trx, credentialId, source, { publicOnly: forbiddenHosts !== undefined })
    await note?.(source, trx)
  })
  return source
}

/** Stores a checked source in the transaction of the caller, which has locked the credential. */
export async function putSource(
  deps: SealingDeps,
  trx: Transaction<DB>,
  credentialId: string,
  source: Source,
  { publicOnly = false } = {},
): Promise<void> {
  const runs = isListSource(source)
  const every = runs ? source.everySeconds : 1
  const next = runs ? new Date(deps.clock.now()) : null
  await forgetChecks(trx, credentialId)
  if (source.kind !== 'QUIZ') await forgetAttempts(trx, credentialId)
  await storeSource(trx, credentialId, sealSource(deps, credentialId, source, { publicOnly }), every, next)
  // No run of a list source completes the list any more.
  if (!runs) await markSynced(trx, credentialId)
}

const refuse = (path: string, message: string, fault: Fault) => new SourceRefusedError([{ path, message, fault }])
const unknownCredential = (id: string) => refuse('', `unknown credential ${id}; import it first`, unknownReference(id))

/** Checks that a source fits its credential. @throws SourceRefusedError */
export async function checkSource(kysely: Kysely<DB>, credentialId: string, source: Source): Promise<void> {
  const found = isCredentialId(credentialId) ? await findSource(kysely, credentialId) : undefined
  if (!found) throw unknownCredential(credentialId)
  checkKind(source, found)
  if (source.kind === 'WALLET_BALANCE' && 'nativeOfHoldersOf' in source.asset) {
    const other = source.asset.nativeOfHoldersOf
    if (other === credentialId || !(await findSource(kysely, other)))
      throw refuse('asset.nativeOfHoldersOf', 'must be the id of another credential', unknownReference(other))
  }
}

/** @throws SourceRefusedError */
export function checkKind(
  { kind }: Pick<Source, 'kind'>,
  { credSource, credType }: { credSource: string; credType: string },
): void {
  if ((modeOf(kind) === 'live') !== isDecidedLive(credSource))
    throw refuse('kind', `${kind} does not fit a credential whose credSource is ${credSource}`, fault('wrong_source'))
  const needed = kindOf(kind).credType ?? credType
  if (credType !== needed)
    throw refuse(
      'kind',
      `${kind} needs a credential whose credType is ${needed}; this one is ${credType}`,
      fault('wrong_source'),
    )
}

/** The credSource of a credential with a source of this kind. */
export const credSourceOf = (kind: Source['kind']): string => (modeOf(kind) === 'live' ? 'API' : kind)

/** @throws SourceRefusedError for a host in the network of the operator */
export function requirePublicHosts(source: Source, forbidden: readonly AllowedHost[]): void {
  for (const [path, value] of Object.entries(source)) {
    if (typeof value !== 'string' || !/^https?:/i.test(value)) continue
    try {
      const { configured } = checkTarget(value, forbidden, 'QUESTBOARD_OUTGOING_HOSTS, which operators do')
      if (configured)
        throw refuse(
          path,
          'names a host of QUESTBOARD_OUTGOING_HOSTS, which is for sources of operators',
          fault('host_of_operators'),
        )
    } catch (error) {
      if (error instanceof OutgoingError) throw refuse(path, `cannot be used: ${error.message}`, error.fault)
      throw error
    }
  }
}
