import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { removeFromBoards } from '../ranking/boards-removal.ts'
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
  { database, clock }: { database: Pick<Database, 'kysely'>; clock: Clock },
  address: string,
): Promise<ErasedAddress> {
  return database.kysely.transaction().execute(async (trx) => ({
    boards: await removeFromBoards(trx, clock, address),
    quests: await deleteParticipations(trx, address),
    links: await deleteLinks(trx, address),
  }))
}
