import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { removeFromBoards } from '../ranking/boards-removal.ts'
import { deleteParticipations } from './erase-address.queries.ts'

export interface ErasedAddress {
  boards: number
  quests: number
}

/**
 * Deletes what points and quests say of an address: its places on boards, now and on past days, the name that was
 * imported for it, and that it took part in quests.
 * @param address in canonical form
 */
export async function eraseAddress(
  { database, clock }: { database: Pick<Database, 'kysely'>; clock: Clock },
  address: string,
): Promise<ErasedAddress> {
  return database.kysely.transaction().execute(async (trx) => ({
    boards: await removeFromBoards(trx, clock, address),
    quests: await deleteParticipations(trx, address),
  }))
}
