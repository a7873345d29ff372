import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { failWaiting, markDisabled } from './disable.queries.ts'
import { deleteSubscriptions } from './endpoints.queries.ts'

/**
 * Stops an endpoint: it hears of nothing more, and what still waits counts as failed, to be redelivered when the owner
 * wants it.
 */
export async function disable(trx: Kysely<DB>, endpointId: string, reason: string, now: Date): Promise<void> {
  await markDisabled(trx, endpointId, reason, now)
  await deleteSubscriptions(trx, endpointId)
  await failWaiting(trx, endpointId)
}
