import type { Transaction } from 'kysely'
import { audit } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import type { SessionServices } from '../sessions/with-account.ts'
import { storeSpaceOwner } from './members.queries.ts'

/** Makes an account the owner of a space. The entry is in the log of the new owner. */
export async function giveSpace(
  services: SessionServices,
  trx: Transaction<DB>,
  spaceId: number,
  accountId: string,
): Promise<void> {
  const { network, accountId: by } = services.actor
  await storeSpaceOwner(trx, spaceId, accountId)
  const details = { space: String(spaceId), by: by === accountId ? 'itself' : 'team' }
  await audit(services, { accountId, event: 'space.given', network, details }, trx)
}
