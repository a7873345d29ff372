import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { SharedIdentities } from './consent.queries.ts'

/** Somebody who lets an app see something: what the app may read itself, and no more. */
export interface AppUser {
  /** Names the place in the list, and nobody. */
  place: string
  scopes: string[]
  shared: SharedIdentities
  grantedAt: Date
  /** Of the newest of the user's tokens; null when none is left. */
  lastUsedAt: Date | null
}

export interface UserPlace {
  grantedAt: Date
  place: string
}

/** Of one app: what named the same account to every app would let two of them find their common users. */
const place = sql`md5(c.client_id || ' ' || c.account_id::text)`

/** The users of an app behind a place, the newest consent first. */
export async function listAppUsers(
  kysely: Kysely<DB>,
  clientId: string,
  { before, first }: { before: UserPlace | undefined; first: number },
): Promise<AppUser[]> {
  const behind = before ? sql`AND (c.granted_at, ${place}) < (${before.grantedAt}, ${before.place})` : sql``
  const { rows } = await sql<AppUser>`
    SELECT ${place} AS place, c.scopes, c.shared, c.granted_at AS "grantedAt",
      (SELECT max(g.last_used_at) FROM grants g
       WHERE g.account_id = c.account_id AND g.client_id = c.client_id AND g.revoked_at IS NULL) AS "lastUsedAt"
    FROM consents c WHERE c.client_id = ${clientId} ${behind}
    ORDER BY c.granted_at DESC, ${place} DESC LIMIT ${first}`.execute(kysely)
  return rows
}

export async function countAppUsers(kysely: Kysely<DB>, clientId: string): Promise<number> {
  const { count } = await kysely
    .selectFrom('consents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  return count
}

/** Forgets every consent to an app and ends every grant, code and open request of it. Answers how many users it had. */
export async function forgetAppUsers(transaction: Transaction<DB>, clientId: string): Promise<number> {
  await transaction.deleteFrom('authorizations').where('client_id', '=', clientId).execute()
  // Before the codes: a sign-in that is remembered at this moment holds its consent, and its code is there once it is done.
  const { numDeletedRows } = await transaction
    .deleteFrom('consents')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  for (const table of ['authorization_codes', 'grants'] as const)
    await transaction.deleteFrom(table).where('client_id', '=', clientId).execute()
  return Number(numDeletedRows)
}
