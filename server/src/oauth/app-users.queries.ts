import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { SharedIdentities } from './consent.queries.ts'

/** A user of an app. Contains only data that the app can read itself. */
export interface AppUser {
  /** An opaque position in the list. */
  place: string
  scopes: string[]
  shared: SharedIdentities
  grantedAt: Date
  /** The last use of a token of the user; null without a token. */
  lastUsedAt: Date | null
}

export interface AppUserPosition {
  grantedAt: Date
  place: string
}

/**
 * The position of a user in the list. It differs for each app, so that two apps cannot find their common users. It is a hash
 * with a secret key, because an owner who knows the ID of an account could otherwise compute it.
 */
const placeUnder = (key: Buffer) =>
  sql`encode(sha256(convert_to(${key.toString('hex')}::text || c.client_id || ' ' || c.account_id::text, 'UTF8')), 'hex')`

/** The users of an app after a position, newest consent first. */
export async function listAppUsers(
  kysely: Kysely<DB>,
  clientId: string,
  { before, first, key }: { before: AppUserPosition | undefined; first: number; key: Buffer },
): Promise<AppUser[]> {
  const place = placeUnder(key)
  const behind = before ? sql`AND (c.granted_at, ${place}) < (${before.grantedAt}, ${before.place})` : sql``
  const { rows } = await sql<Omit<AppUser, 'lastUsedAt'> & { account_id: string }>`
    SELECT ${place} AS place, c.scopes, c.shared, c.granted_at AS "grantedAt", c.account_id
    FROM consents c WHERE c.client_id = ${clientId} ${behind}
    ORDER BY c.granted_at DESC, ${place} DESC LIMIT ${first}`.execute(kysely)
  // A separate statement, because grants have another distribution key.
  const { rows: used } = await sql<{ account_id: string; at: Date | null }>`
    SELECT account_id, max(last_used_at) AS at FROM grants
    WHERE account_id = ANY(${rows.map((row) => row.account_id)}::uuid[]) AND client_id = ${clientId}
      AND revoked_at IS NULL
    GROUP BY account_id`.execute(kysely)
  const lastUse = new Map(used.map(({ account_id, at }) => [account_id, at]))
  return rows.map(({ account_id, ...user }) => ({ ...user, lastUsedAt: lastUse.get(account_id) ?? null }))
}

export async function countAppUsers(kysely: Kysely<DB>, clientId: string): Promise<number> {
  const { count } = await kysely
    .selectFrom('consents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Deletes all consents, grants, codes and open requests of an app. With `sessions`, it also deletes its pending logout
 * tokens and the records of its sessions; this is for an app whose subjects change. Returns the number of users.
 */
export async function forgetAppUsers(
  transaction: Transaction<DB>,
  clientId: string,
  { sessions = false }: { sessions?: boolean } = {},
): Promise<number> {
  await transaction.deleteFrom('authorizations').where('client_id', '=', clientId).execute()
  // Consents are deleted before codes, because a running sign-in locks its consent until its code is stored. They are
  // deleted twice: the first time waits for a merge of accounts, which inserts them again under the other account.
  let users = 0
  for (let round = 0; round < 2; round++)
    users += Number(
      (await transaction.deleteFrom('consents').where('client_id', '=', clientId).executeTakeFirst()).numDeletedRows,
    )
  // Rows are locked in the same order as at the end of a session.
  const ofSessions = sessions ? (['session_apps', 'logout_notices'] as const) : []
  for (const table of [...ofSessions, 'authorization_codes', 'grants'] as const)
    await transaction.deleteFrom(table).where('client_id', '=', clientId).execute()
  return users
}
