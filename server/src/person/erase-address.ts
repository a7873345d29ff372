import { removeFromBoards } from '../ranking/boards-removal.ts'
import type { Database } from '../database/connection.ts'
import { audit, INSTALLATION, NO_NETWORK } from '../audit/audit.ts'
import { deleteLinks, deleteParticipations } from './erase-address.queries.ts'

export interface ErasedAddress {
  boards: number
  quests: number
  /** Links to users of starboards. */
  links: number
}

/**
 * Deletes what points, quests and starboards say of an address: its places on boards, now and on past days, the name
 * that was imported for it, that it took part in quests, and whose address it is on starboards.
 * @param address in canonical form
 */
export async function eraseAddress(
  deps: Parameters<typeof audit>[0] & { database: Pick<Database, 'kysely'> },
  address: string,
): Promise<ErasedAddress> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const quests = await deleteParticipations(trx, address)
    const links = await deleteLinks(trx, address)
    // Last: awards to its spaces wait from here on.
    const boards = await removeFromBoards(trx, deps.clock, address)
    // Which address is not said, nor anything that tells it to whoever has a list of them.
    const details = { boards: String(boards), quests: String(quests), links: String(links), by: 'command' }
    await audit(deps, { accountId: INSTALLATION, event: 'person.address-erased', details, network: NO_NETWORK }, trx)
    return { boards, quests, links }
  })
}
