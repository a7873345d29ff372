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

/** Disables the endpoints that an account created as an operator. @returns their IDs */
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
 * Disables an endpoint. It gets no further events, and waiting messages fail; the owner can redeliver them.
 */
export async function disable(trx: Kysely<DB>, endpointId: string, reason: string, now: Date): Promise<void> {
  await markDisabled(trx, endpointId, reason, now)
  await deleteSubscriptions(trx, endpointId)
  await failWaiting(trx, endpointId)
}
