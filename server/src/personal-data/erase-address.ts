import type { Transaction } from 'kysely'
import { removeFromBoards } from '../ranking/boards-removal.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { audit, type AuditEntry, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { forgetBannedAddress } from '../bans/coverage.queries.ts'
import { forgetMember } from '../rules/forget.queries.ts'
import { deleteChecks, deleteLinks, deleteParticipations } from './erase-address.queries.ts'

export interface ErasedAddress {
  boards: number
  quests: number
  /** Links to users of starboards. */
  links: number
  /** Bans of the address that were deleted or no longer include it. */
  bans: number
}

type Eraser = Pick<AuditEntry, 'accountId' | 'network'> & { by: 'command' | 'operator' }
const COMMAND: Eraser = { accountId: INSTALLATION, network: NO_NETWORK, by: 'command' }

/**
 * Deletes an address from boards (including past ranks and its imported name), quests and starboard links.
 * @param address in canonical form
 */
export const eraseAddress = (
  deps: Parameters<typeof audit>[0] & { database: Pick<Database, 'kysely'> },
  address: string,
): Promise<ErasedAddress> =>
  deps.database.kysely.transaction().execute((trx) => eraseAddressWithin(trx, deps, address, COMMAND))

/** Like eraseAddress, in a transaction of the caller. */
export async function eraseAddressWithin(
  trx: Transaction<DB>,
  deps: Parameters<typeof audit>[0],
  address: string,
  { by, ...eraser }: Eraser,
): Promise<ErasedAddress> {
  const quests = await deleteParticipations(trx, address)
  await deleteChecks(trx, address)
  const links = await deleteLinks(trx, address)
  const bans = await forgetBannedAddress(trx, address)
  await forgetMember(trx, address)
  // Boards come last, because awards to these spaces wait from now on.
  const boards = await removeFromBoards(trx, deps, address)
  // The entry contains no address, nor a hash that a list of addresses could reveal.
  const details = { boards: String(boards), quests: String(quests), links: String(links), bans: String(bans), by }
  await audit(deps, { ...eraser, event: 'person.address-erased', details }, trx)
  return { boards, quests, links, bans }
}
