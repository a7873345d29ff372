import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { accountsWith } from '../teams/roles.queries.ts'
import type { EventType } from '../webhooks/events.ts'

export interface CredentialListener {
  endpointId: string
  name: string
  itemCount: number
  /** Whether the account owns the credential, or manages the space that curates it. */
  owns: boolean
}

export async function credentialListeners(
  trx: Kysely<DB>,
  credentialId: string,
  type: EventType,
): Promise<CredentialListener[]> {
  const { rows: listening } = await sql<{ endpointId: string; accountId: string }>`
    SELECT endpoint_id AS "endpointId", account_id AS "accountId" FROM webhook_subscriptions
    WHERE subject = 'credential:' || ${credentialId}::text AND ${type} = ANY(event_types)`.execute(trx)
  if (listening.length === 0) return []
  const { rows } = await sql<{ name: string; itemCount: number; owners: (string | null)[] }>`
    SELECT c.name, c.item_count AS "itemCount", ARRAY[c.owner_account_id]::text[] || ${accountsWith('manage', 's')} AS owners
    FROM credentials c LEFT JOIN spaces s ON s.space_id = c.curator_space_id
    WHERE c.credential_id = ${credentialId}`.execute(trx)
  const [credential] = rows
  if (!credential) return []
  const { name, itemCount, owners } = credential
  return listening.map(({ endpointId, accountId }) => ({
    endpointId,
    name,
    itemCount,
    owns: owners.includes(accountId),
  }))
}
