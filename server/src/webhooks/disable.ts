import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import {
  failWaiting,
  findEnabledWebhooks,
  findWebhooksOfOperator,
  loseOperator,
  markDisabled,
} from './disable.queries.ts'
import { deleteSubscriptions } from './endpoints.queries.ts'

/** Stops the endpoints that an account has as an operator, and answers their ids. */
export async function disableWebhooksOfOperator(trx: Kysely<DB>, accountId: string, now: Date): Promise<string[]> {
  const endpoints = await findWebhooksOfOperator(trx, accountId)
  for (const { endpointId, enabled } of endpoints) {
    await loseOperator(trx, endpointId)
    if (enabled) await disable(trx, endpointId, 'its account is no longer an operator', now)
  }
  return endpoints.map(({ endpointId }) => endpointId)
}

/** Stops the endpoints of an account. @returns their IDs */
export async function disableWebhooksOf(
  trx: Kysely<DB>,
  accountId: string,
  reason: string,
  now: Date,
): Promise<string[]> {
  const endpointIds = await findEnabledWebhooks(trx, accountId)
  for (const endpointId of endpointIds) await disable(trx, endpointId, reason, now)
  return endpointIds
}

/**
 * Stops an endpoint: it hears of nothing more, and what still waits counts as failed, to be redelivered when the owner
 * wants it.
 */
export async function disable(trx: Kysely<DB>, endpointId: string, reason: string, now: Date): Promise<void> {
  await markDisabled(trx, endpointId, reason, now)
  await deleteSubscriptions(trx, endpointId)
  await failWaiting(trx, endpointId)
}
