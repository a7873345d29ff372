import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { lockAccount } from '../identity/account.queries.ts'
import type { IdentityScope, SharedIdentity } from './scopes.ts'

/** What an app is shown of a user: one identity for each scope that has one. */
export type SharedIdentities = Partial<Record<IdentityScope, SharedIdentity>>

export interface Consent {
  scopes: string[]
  shared: SharedIdentities
}

export async function findConsent(
  kysely: Kysely<DB>,
  accountId: string,
  clientId: string,
): Promise<Consent | undefined> {
  const row = await kysely
    .selectFrom('consents')
    .select(['scopes', 'shared'])
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row && { scopes: row.scopes, shared: row.shared as SharedIdentities }
}

/** Remembers a consent, together with what was granted before. */
export async function saveConsent(
  kysely: Kysely<DB>,
  accountId: string,
  clientId: string,
  consent: Consent,
  now: Date,
): Promise<void> {
  const before = await findConsent(kysely, accountId, clientId)
  const scopes = [...new Set([...(before?.scopes ?? []), ...consent.scopes])]
  const shared = JSON.stringify({ ...before?.shared, ...consent.shared })
  await kysely
    .insertInto('consents')
    .values({ account_id: accountId, client_id: clientId, scopes, shared, granted_at: now })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'client_id']).doUpdateSet({ scopes, shared, granted_at: now }),
    )
    .execute()
}

export interface AuthorizedApp {
  clientId: string
  name: string
  homepage: string
  hasLogo: boolean
  scopes: string[]
  shared: SharedIdentities
  grantedAt: Date
  lastUsedAt: Date | null
}

/** The apps that an account lets see something, with the time of their last call. */
export async function listAuthorizedApps(kysely: Kysely<DB>, accountId: string): Promise<AuthorizedApp[]> {
  const rows = await kysely
    .selectFrom('consents')
    .innerJoin('apps', 'apps.client_id', 'consents.client_id')
    .select((eb) => [
      'consents.client_id',
      'apps.name',
      'apps.homepage',
      eb('apps.logo', 'is not', null).as('has_logo'),
      'consents.scopes',
      'consents.shared',
      'consents.granted_at',
      eb
        .selectFrom('grants')
        .select((grants) => grants.fn.max('last_used_at').as('at'))
        .where('grants.account_id', '=', accountId)
        .whereRef('grants.client_id', '=', 'consents.client_id')
        .as('last_used_at'),
    ])
    .where('consents.account_id', '=', accountId)
    .orderBy('consents.granted_at', 'desc')
    .execute()
  return rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    homepage: row.homepage,
    hasLogo: Boolean(row.has_logo),
    scopes: row.scopes,
    shared: row.shared as SharedIdentities,
    grantedAt: row.granted_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** Forgets the consent and ends every grant and open code of it. Answers whether there was anything. */
export async function withdrawConsent(kysely: Kysely<DB>, accountId: string, clientId: string): Promise<boolean> {
  return kysely.transaction().execute(async (transaction) => {
    // A sign-in that is remembered at this moment either comes before, and ends here, or finds no consent.
    await lockAccount(transaction, accountId)
    const ends = ['authorization_codes', 'grants', 'consents'] as const
    let found = 0n
    for (const table of ends) {
      const { numDeletedRows } = await transaction
        .deleteFrom(table)
        .where('account_id', '=', accountId)
        .where('client_id', '=', clientId)
        .executeTakeFirstOrThrow()
      found += numDeletedRows
    }
    return found > 0n
  })
}
