import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export async function markDisabled(trx: Kysely<DB>, endpointId: string, reason: string, now: Date): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: now, disabled_reason: reason, paused_until: null })
    .where('endpoint_id', '=', endpointId)
    .where('disabled_at', 'is', null)
    .execute()
}

/** A message that is being sent is settled by the process that sends it. */
export async function failWaiting(trx: Kysely<DB>, endpointId: string): Promise<void> {
  await trx
    .updateTable('webhook_messages')
    .set({ state: 'failed', next_attempt_at: null })
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'pending')
    .where('lease', 'is', null)
    .execute()
}

export async function findEnabledWebhooks(trx: Kysely<DB>, accountId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('webhook_endpoints')
    .select('endpoint_id as endpointId')
    .where('account_id', '=', accountId)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .execute()
  return rows.map(({ endpointId }) => endpointId)
}

export async function findWebhooksOfOperator(
  trx: Kysely<DB>,
  accountId: string,
): Promise<{ endpointId: string; enabled: boolean }[]> {
  return trx
    .selectFrom('webhook_endpoints')
    .select((row) => ['endpoint_id as endpointId', row('disabled_at', 'is', null).as('enabled')])
    .where('account_id', '=', accountId)
    .where('needs_operator', '=', true)
    .forUpdate()
    .execute() as Promise<{ endpointId: string; enabled: boolean }[]>
}

/** Makes the limits of accounts apply to an endpoint. */
export async function loseOperator(trx: Kysely<DB>, endpointId: string): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ by_operator: false, needs_operator: false })
    .where('endpoint_id', '=', endpointId)
    .execute()
}
