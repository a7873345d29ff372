import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { IdentityScope, SharedIdentity } from '../settings/scopes.ts'

/** The identities that a user shares with an app, one for each scope. */
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
  const row = await consentOf(kysely, accountId, clientId).executeTakeFirst()
  return row && toConsent(row)
}

const consentOf = (kysely: Kysely<DB>, accountId: string, clientId: string) =>
  kysely
    .selectFrom('consents')
    .select(['scopes', 'shared'])
    .where('account_id', '=', accountId)
    .where('client_id', '=', clientId)

const toConsent = ({ scopes, shared }: { scopes: string[]; shared: unknown }): Consent => ({
  scopes,
  shared: shared as SharedIdentities,
})

/** Reads the consent and locks it until the transaction ends. */
export async function holdConsent(
  transaction: Transaction<DB>,
  accountId: string,
  clientId: string,
): Promise<Consent | undefined> {
  const row = await consentOf(transaction, accountId, clientId).forShare().executeTakeFirst()
  return row && toConsent(row)
}

/** Stores a consent, merged with earlier ones. */
export async function saveConsent(
  transaction: Transaction<DB>,
  accountId: string,
  clientId: string,
  consent: Consent,
  now: Date,
): Promise<void> {
  const before = await holdConsent(transaction, accountId, clientId)
  const scopes = [...new Set([...(before?.scopes ?? []), ...consent.scopes])]
  const shared = JSON.stringify({ ...before?.shared, ...consent.shared })
  await transaction
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
  /** The client_id of a client with a metadata document. */
  metadataUrl: string | null
  scopes: string[]
  /** All identities that the app sees, or would see at the next sign-in, by scope. */
  shared: Partial<Record<IdentityScope, SharedIdentity[]>>
  grantedAt: Date
  lastUsedAt: Date | null
}

interface SeenRow {
  client_id: string
  name: string
  homepage: string
  has_logo: boolean
  metadata_url: string | null
  scopes: string[]
  shared: SharedIdentities
  granted_at: Date
  last_used_at: Date | null
}

/**
 * The apps with access to an account, by a stored consent or by a live grant. Each sign-in creates a grant, which may
 * share identities other than the last consent.
 */
export async function listAuthorizedApps(kysely: Kysely<DB>, accountId: string, now: Date): Promise<AuthorizedApp[]> {
  const { rows } = await sql<SeenRow>`
    WITH consented AS MATERIALIZED (
      SELECT client_id, scopes, shared, granted_at, true AS remembered FROM consents WHERE account_id = ${accountId}
    ), granted AS MATERIALIZED (
      SELECT client_id, scopes, shared, max(created_at) AS granted_at, false AS remembered FROM grants g
      WHERE account_id = ${accountId} AND revoked_at IS NULL AND (
        EXISTS (SELECT FROM access_tokens t
                WHERE t.family = g.family AND (t.expires_at IS NULL OR t.expires_at > ${now}))
        OR EXISTS (SELECT FROM refresh_tokens t
                   WHERE t.family = g.family AND t.rotated_at IS NULL AND t.expires_at > ${now}))
      GROUP BY client_id, scopes, shared
    ), used AS MATERIALIZED (
      SELECT client_id, max(last_used_at) AS last_used_at FROM grants WHERE account_id = ${accountId} GROUP BY client_id
    )
    SELECT a.client_id, a.name, a.homepage, a.logo IS NOT NULL AS has_logo, a.metadata_url, s.scopes, s.shared,
      s.granted_at, u.last_used_at
    FROM (SELECT * FROM consented UNION ALL SELECT * FROM granted) s JOIN apps a ON a.client_id = s.client_id
    LEFT JOIN used u ON u.client_id = s.client_id
    ORDER BY s.remembered DESC, s.granted_at DESC, a.client_id`.execute(kysely)
  const apps = new Map<string, AuthorizedApp>()
  for (const row of rows) {
    const app = apps.get(row.client_id) ?? {
      clientId: row.client_id,
      name: row.name,
      homepage: row.homepage,
      hasLogo: row.has_logo,
      metadataUrl: row.metadata_url,
      scopes: [],
      shared: {},
      grantedAt: row.granted_at,
      lastUsedAt: row.last_used_at,
    }
    apps.set(row.client_id, app)
    app.scopes = [...new Set([...app.scopes, ...row.scopes])]
    for (const [scope, identity] of Object.entries(row.shared) as [IdentityScope, SharedIdentity][]) {
      const seen = (app.shared[scope] ??= [])
      if (!seen.some(({ subject }) => subject === identity.subject)) seen.push(identity)
    }
  }
  return [...apps.values()].sort((one, other) => other.grantedAt.getTime() - one.grantedAt.getTime())
}

/** Deletes the consent with its grants and codes. The caller has locked the account. Returns whether any existed. */
export async function withdrawConsent(
  transaction: Transaction<DB>,
  accountId: string,
  clientId: string,
): Promise<boolean> {
  const ends = ['consents', 'authorization_codes', 'grants'] as const
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
}
