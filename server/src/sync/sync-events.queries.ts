import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { EventType } from '../webhooks/events.ts'

export interface CredentialListener {
  endpointId: string
  name: string
  itemCount: number
  /** Whether the account owns the credential or the space of its curator. */
  owns: boolean
}

export async function credentialListeners(
  trx: Kysely<DB>,
  credentialId: string,
  type: EventType,
): Promise<CredentialListener[]> {
  const { rows } = await sql<CredentialListener>`
    SELECT s.endpoint_id AS "endpointId", c.name, c.item_count AS "itemCount",
      s.account_id IS NOT DISTINCT FROM c.owner_account_id OR EXISTS (
        SELECT FROM spaces p WHERE p.space_id = c.curator_space_id AND p.owner_account_id = s.account_id) AS owns
    FROM webhook_subscriptions s, credentials c
    WHERE s.subject = 'credential:' || ${credentialId}::text AND ${type} = ANY(s.event_types)
      AND c.credential_id = ${credentialId}`.execute(trx)
  return rows
}
