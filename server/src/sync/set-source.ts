import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { isCredentialId } from '../features/credential-id.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { Random } from '../random.ts'
import { sealSource, type SealingSettings } from './sealed-source.ts'
import { parseSource, type Source, SourceRefusedError } from './source.ts'
import { findSource, storeSource } from './sources.queries.ts'

const EVM_KINDS = new Set(['CONTRACT_NFT_HOLDER', 'WALLET_BALANCE'])

/**
 * Gives a credential its source, in place of any other; the first run is due at once. Its list stays until then.
 * @param note writes the audit entry, in the transaction of the change
 * @throws SourceRefusedError naming what is wrong
 */
export async function setSource(
  deps: { database: Pick<Database, 'kysely'>; clock: Clock; random: Random; config: SealingSettings },
  credentialId: string,
  value: unknown,
  note: (source: Source, trx: Transaction<DB>) => Promise<void> = async () => {},
): Promise<Source> {
  const { database, clock } = deps
  const source = parseSource(value)
  const refuse = (why: string) => new SourceRefusedError(`This source cannot be used:\n  ${why}\nSee docs/sync.md.`)
  const found = isCredentialId(credentialId) ? await findSource(database.kysely, credentialId) : undefined
  if (!found) throw refuse(`there is no credential ${credentialId}; import it first`)
  if ((found.credSource === 'API') !== (source.kind === 'API'))
    throw refuse(`kind: ${source.kind} does not fit a credential whose credSource is ${found.credSource}`)
  if (EVM_KINDS.has(source.kind) && found.credType !== 'EVM_ADDRESS')
    throw refuse(`kind: ${source.kind} needs a credential whose credType is EVM_ADDRESS; this one is ${found.credType}`)
  if (source.kind === 'WALLET_BALANCE' && 'nativeOfHoldersOf' in source.asset) {
    const other = source.asset.nativeOfHoldersOf
    if (other === credentialId || !(await findSource(database.kysely, other)))
      throw refuse('asset.nativeOfHoldersOf: must be the id of another credential')
  }
  const every = source.kind === 'API' ? { seconds: 1, next: null } : { seconds: source.everySeconds, next: clock.now() }
  const next = every.next === null ? null : new Date(every.next)
  const sealed = sealSource(deps, credentialId, source)
  await database.kysely.transaction().execute(async (trx) => {
    await storeSource(trx, credentialId, sealed, every.seconds, next)
    await note(source, trx)
  })
  return source
}
