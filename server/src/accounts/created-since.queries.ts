import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Sessions, apps and tokens that an account gained since one of its sign-in methods was last used. */
export interface CreatedSince {
  since: Date
  /** Without the current session. */
  sessions: number
  apps: { clientId: string; name: string }[]
  tokens: { tokenId: string; name: string; type: TokenType }[]
}

type TokenType = 'server' | 'ingest'

const tokenTables = [
  { table: 'server_tokens', type: 'server', regenerated: 'token.regenerated' },
  { table: 'ingest_tokens', type: 'ingest', regenerated: 'ingest-token.regenerated' },
] as const

/** The last sign-in of an identity or passkey (kind ServiceID), or the time when it was added. */
export async function findLastSignIn(
  kysely: Kysely<DB>,
  accountId: string,
  kind: string,
  subject: string,
): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    SELECT coalesce(last_signed_in_at, linked_at) AS at FROM identities
    WHERE account_id = ${accountId} AND kind = ${kind} AND subject = ${subject}
    UNION ALL
    SELECT coalesce(last_used_at, created_at) FROM passkeys
    WHERE ${kind} = 'ServiceID' AND passkey_id = ${subject} AND account_id = ${accountId}`.execute(kysely)
  return rows[0]?.at
}

export async function noteSignIn(
  transaction: Transaction<DB>,
  accountId: string,
  { kind, subject }: { kind: string; subject: string },
  now: Date,
): Promise<void> {
  await transaction
    .updateTable('identities')
    .set({ last_signed_in_at: now })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .execute()
}

export async function listCreatedSince(
  kysely: Kysely<DB>,
  { accountId, sessionHash }: { accountId: string; sessionHash: Buffer },
  since: Date,
  now: Date,
): Promise<CreatedSince> {
  const { count } = await kysely
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('session_hash', '!=', sessionHash)
    .where('authenticated_at', '>=', since)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  // One statement per table, because the tables have different distribution keys.
  const consents = await sql<{ id: string }>`
    SELECT client_id AS id FROM consents WHERE account_id = ${accountId} AND granted_at >= ${since}`.execute(kysely)
  const grants = await sql<{ id: string }>`
    SELECT client_id AS id FROM grants
    WHERE account_id = ${accountId} AND created_at >= ${since} AND revoked_at IS NULL`.execute(kysely)
  const apps = await sql<{ clientId: string; name: string }>`
    SELECT client_id AS "clientId", name FROM apps
    WHERE client_id = ANY(${[...consents.rows, ...grants.rows].map(({ id }) => id)}) ORDER BY name, client_id`.execute(
    kysely,
  )
  const tokens: CreatedSince['tokens'] = []
  for (const { table, type, regenerated } of tokenTables) {
    const { rows } = await sql<{ tokenId: string; name: string }>`
      SELECT token_id AS "tokenId", name FROM ${sql.table(table)}
      WHERE ${await isNew(kysely, accountId, regenerated, since)} AND (expires_at IS NULL OR expires_at > ${now})
      ORDER BY created_at, token_id`.execute(kysely)
    tokens.push(...rows.map((row) => ({ ...row, type })))
  }
  return { since, sessions: Number(count), apps: apps.rows, tokens }
}

/** Live tokens of the account that were created or regenerated since a time. */
async function isNew(kysely: Kysely<DB>, accountId: string, regenerated: string, since: Date) {
  const { rows } = await sql<{ id: string }>`
    SELECT details ->> 'tokenId' AS id FROM security_events
    WHERE account_id = ${accountId} AND happened_at >= ${since} AND event = ${regenerated}`.execute(kysely)
  return sql`account_id = ${accountId} AND revoked_at IS NULL
    AND (created_at >= ${since} OR token_id::text = ANY(${rows.map(({ id }) => id)}))`
}

/** Revokes grants and tokens created since a time. The caller holds the lock of the account. */
export async function endCreatedSince(
  transaction: Transaction<DB>,
  accountId: string,
  since: Date,
  now: Date,
): Promise<{ clientIds: string[]; tokens: CreatedSince['tokens'] }> {
  const consents = await transaction
    .deleteFrom('consents')
    .where('account_id', '=', accountId)
    .where('granted_at', '>=', since)
    .returning('client_id')
    .execute()
  // Delete all codes: codes live for minutes, and a thief's session may have issued any of them.
  await transaction.deleteFrom('authorization_codes').where('account_id', '=', accountId).execute()
  const grants = await transaction
    .deleteFrom('grants')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning('client_id')
    .execute()
  const tokens: CreatedSince['tokens'] = []
  for (const { table, type, regenerated } of tokenTables) {
    const { rows } = await sql<{ tokenId: string; name: string }>`
      UPDATE ${sql.table(table)} SET revoked_at = ${now} WHERE ${await isNew(transaction, accountId, regenerated, since)}
      RETURNING token_id AS "tokenId", name`.execute(transaction)
    tokens.push(...rows.map((row) => ({ ...row, type })))
  }
  return { clientIds: [...new Set([...consents, ...grants].map((row) => row.client_id))], tokens }
}
