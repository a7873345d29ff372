import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { ownersOf } from './owners.queries.ts'
import type { BOARDS, EventType } from './events.ts'

export interface EndpointRow {
  endpoint_id: string
  account_id: string
  url: string
  description: string
  event_types: EventType[]
  subjects: string[]
  min_points: number
  top: number
  boards: (typeof BOARDS)[number]
  created_at: Date
  disabled_at: Date | null
  disabled_reason: string | null
  failing_since: Date | null
  paused_until: Date | null
  /** Whether an operator created it, so that the limits of accounts do not apply. */
  by_operator: boolean
  /** Whether the account created it as an operator, not by a command. */
  needs_operator: boolean
  /** The network from which the account created it; empty for commands, and if it is unknown. */
  network: string
}

/** The endpoints of an account, or of all accounts, oldest first. */
export async function listEndpointRows(kysely: Kysely<DB>, accountId?: string): Promise<EndpointRow[]> {
  const rows = await kysely
    .selectFrom('webhook_endpoints')
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .orderBy('created_at')
    .orderBy('endpoint_id')
    .execute()
  return rows as EndpointRow[]
}

export async function findEndpointRow(
  kysely: Kysely<DB>,
  endpointId: string,
  { lock = false } = {},
): Promise<EndpointRow | undefined> {
  const row = await kysely
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row as EndpointRow | undefined
}

/** Inserts or updates an endpoint and its subscriptions. */
export async function writeEndpoint(trx: Kysely<DB>, row: EndpointRow): Promise<void> {
  const { endpoint_id, account_id, ...changes } = row
  await trx
    .insertInto('webhook_endpoints')
    .values(row)
    .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(changes))
    .execute()
  await deleteSubscriptions(trx, endpoint_id)
  if (row.disabled_at !== null || row.subjects.length === 0) return
  const { event_types, min_points, top, boards } = row
  await trx
    .insertInto('webhook_subscriptions')
    .values(row.subjects.map((subject) => ({ subject, endpoint_id, account_id, event_types, min_points, top, boards })))
    .execute()
}

export async function deleteSubscriptions(trx: Kysely<DB>, endpointId: string): Promise<void> {
  await trx.deleteFrom('webhook_subscriptions').where('endpoint_id', '=', endpointId).execute()
}

/** Deletes an endpoint with its secrets, its queue and its log. */
export async function deleteEndpointRows(trx: Kysely<DB>, endpointId: string): Promise<void> {
  for (const table of ['webhook_endpoints', 'webhook_messages', 'webhook_attempts'] as const)
    await trx.deleteFrom(table).where('endpoint_id', '=', endpointId).execute()
}

export interface SubjectFacts {
  subject: string
  exists: boolean
  /** Whether the account owns or manages it (owners.queries.ts). */
  owned: boolean
  /** Other endpoints of non-owners that subscribe to it: of all accounts, of the account, and of the network. */
  strangers: number
  ofAccount: number
  ofNetwork: number
}

/** Serializes transactions that add endpoints to the same subjects. Locks are taken in a fixed order. */
export async function lockPlaces(trx: Kysely<DB>, subjects: readonly string[]): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('webhook ' || subject, 0))
    FROM (SELECT subject FROM unnest(${subjects}::text[]) AS subject ORDER BY subject) AS sorted`.execute(trx)
}

/**
 * The facts about subjects that decide whether an account may subscribe to them. Webhooks of unknown networks count as
 * webhooks of one network.
 */
export async function factsAbout(
  kysely: Kysely<DB>,
  subjects: readonly string[],
  { accountId, endpointId, network }: { accountId: string; endpointId: string; network: string },
): Promise<SubjectFacts[]> {
  const owners = await ownersOf(kysely, subjects)
  const known = subjects.map((subject) => ({ subject, owners: owners.get(subject) ?? [] }))
  const { rows } = await sql<Omit<SubjectFacts, 'exists' | 'owned'>>`
    SELECT o.subject, strangers, "ofAccount", "ofNetwork"
    FROM jsonb_to_recordset(${JSON.stringify(known)}::jsonb) AS o (subject text, owners text[])
    CROSS JOIN LATERAL (
      SELECT count(*) AS strangers, count(*) FILTER (WHERE w.account_id = ${accountId}) AS "ofAccount",
        count(*) FILTER (WHERE e.network = ${network} AND (e.network <> '' OR NOT e.by_operator)) AS "ofNetwork"
      FROM webhook_subscriptions w JOIN webhook_endpoints e USING (endpoint_id)
      WHERE w.subject = o.subject AND w.endpoint_id <> ${endpointId}
        AND w.account_id::text <> ALL (o.owners)) AS counted`.execute(kysely)
  return rows.map((row) => ({
    ...row,
    exists: owners.has(row.subject),
    owned: owners.get(row.subject)?.includes(accountId) ?? false,
  }))
}

export interface SecretRow {
  endpointId: string
  secretId: string
  sealed: Buffer
}

/** The secrets that sign now, newest first. */
export async function liveSecrets(kysely: Kysely<DB>, endpointIds: readonly string[], now: Date): Promise<SecretRow[]> {
  if (endpointIds.length === 0) return []
  return kysely
    .selectFrom('webhook_secrets')
    .select(['endpoint_id as endpointId', 'secret_id as secretId', 'sealed'])
    .where('endpoint_id', 'in', endpointIds)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('secret_id')
    .execute()
}

export async function listSecrets(kysely: Kysely<DB>): Promise<SecretRow[]> {
  return kysely
    .selectFrom('webhook_secrets')
    .select(['endpoint_id as endpointId', 'secret_id as secretId', 'sealed'])
    .orderBy('endpoint_id')
    .orderBy('secret_id')
    .execute()
}

/** Replaces a secret with its newly sealed form, unless it has changed. */
export async function replaceSecret(kysely: Kysely<DB>, old: SecretRow, sealed: Buffer): Promise<void> {
  await kysely
    .updateTable('webhook_secrets')
    .set({ sealed })
    .where('endpoint_id', '=', old.endpointId)
    .where('secret_id', '=', old.secretId)
    .where('sealed', '=', old.sealed)
    .execute()
}

/** Adds a secret. The previous one signs until `oldExpiresAt`, and an older one that was about to expire ends now. */
export async function addSecret(
  trx: Kysely<DB>,
  secret: SecretRow & { createdAt: Date; oldExpiresAt: Date },
): Promise<void> {
  await trx
    .deleteFrom('webhook_secrets')
    .where('endpoint_id', '=', secret.endpointId)
    .where('expires_at', 'is not', null)
    .execute()
  await trx
    .updateTable('webhook_secrets')
    .set({ expires_at: secret.oldExpiresAt })
    .where('endpoint_id', '=', secret.endpointId)
    .execute()
  await trx
    .insertInto('webhook_secrets')
    .values({
      endpoint_id: secret.endpointId,
      secret_id: secret.secretId,
      sealed: secret.sealed,
      created_at: secret.createdAt,
    })
    .execute()
}
