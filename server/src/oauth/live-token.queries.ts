import type { Database } from '../database/connection.ts'
import { statement, sharedLookup } from '@questboard/pg-read-pipeline'
import type { SharedIdentities } from './consent.queries.ts'
import { scopesWithin } from '../settings/scopes.ts'
import type { CredentialKey } from '../secrets/oauth-token-format.ts'

export interface LiveToken {
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The scope names in the app's spelling; null if they equal `scopes`. */
  readonly scopeNames: readonly string[] | null
  readonly shared: SharedIdentities
  /** The resource that the token is bound to; null for the user's data. */
  readonly resource: string | null
  /** The client_id of a client with a metadata document (oauth/client-metadata); null for registered apps. */
  readonly metadataUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date
}

interface LiveTokenRow {
  app_scopes: string[]
  account_id: string
  client_id: string
  scopes: string[]
  scope_names: string[] | null
  shared: SharedIdentities
  resource: string | null
  metadata_url: string | null
  created_at: Date
  expires_at: Date | null
  last_used_at: Date
}

/** The row as text columns, which are faster to read: times in milliseconds, joined lists, JSON. */
interface LiveTokenTexts {
  /** Hexadecimal. */
  token_hash: string
  account_id: string
  client_id: string
  scopes: string
  scope_names: string | null
  app_scopes: string
  shared: string
  resource: string | null
  metadata_url: string | null
  created_at: number
  expires_at: number | null
  last_used_at: number
}

// A family has one access token at a time, so the family finds it; the hash is compared in JavaScript. A token without
// an expiry is not valid if its app has expiring tokens: its redemption began before the app switched. Scope names contain
// no spaces (RFC 6749, 3.3).
const liveAccessTokens = statement<LiveTokenTexts>(
  'oauth.access-tokens',
  `SELECT encode(t.token_hash, 'hex'), g.account_id, g.client_id, array_to_string(t.scopes, ' '), array_to_string(g.scope_names, ' '), array_to_string(a.scopes, ' '), g.shared, g.resource, a.metadata_url,
     date_part('epoch', t.created_at) * 1000, date_part('epoch', t.expires_at) * 1000,
     date_part('epoch', g.last_used_at) * 1000
   FROM access_tokens t JOIN grants g ON g.family = t.family JOIN apps a ON a.client_id = g.client_id
   WHERE t.family = ANY ($1::bytea[]) AND g.family = ANY ($1::bytea[]) AND g.revoked_at IS NULL AND a.status = 'approved'
     AND (t.expires_at IS NOT NULL OR NOT a.expiring_tokens)`,
  ([hash, account, client, scopes, names, appScopes, shared, resource, metadataUrl, created, expires, used]) => ({
    token_hash: hash as string,
    account_id: account as string,
    client_id: client as string,
    scopes: scopes as string,
    scope_names: names as string | null,
    app_scopes: appScopes as string,
    shared: shared as string,
    resource: resource as string | null,
    metadata_url: metadataUrl as string | null,
    created_at: milliseconds(created),
    expires_at: expires === null ? null : milliseconds(expires),
    last_used_at: milliseconds(used),
  }),
  { priority: true },
)

/** Rounds, because a double of seconds can be slightly off. */
const milliseconds = (text: unknown): number => Math.round(Number(text))

const words = (text: string): string[] => (text === '' ? [] : text.split(' '))

const liveRefreshToken = statement<LiveTokenRow>(
  'oauth.refresh-token',
  `SELECT g.account_id, g.client_id, g.scopes, g.scope_names, a.scopes AS app_scopes, g.shared, g.resource, a.metadata_url, t.created_at, t.expires_at, g.last_used_at
   FROM refresh_tokens t JOIN grants g ON g.family = t.family JOIN apps a ON a.client_id = g.client_id
   WHERE t.family = $1 AND g.family = $1 AND t.token_hash = $2 AND t.expires_at > $3 AND t.rotated_at IS NULL
     AND g.revoked_at IS NULL AND a.status = 'approved' AND a.expiring_tokens`,
)

/** Returns the token if it is valid at `now`: not expired or revoked, its grant live, its app approved. */
export function findLiveToken(
  database: Database,
  kind: 'access' | 'refresh',
  key: CredentialKey,
  now: Date,
): Promise<LiveToken | undefined> {
  if (kind === 'refresh')
    return database.read(liveRefreshToken, [key.family, key.hash, now]).then(([row]) => row && toLiveToken(row))
  return liveAccessToken(database, key).then((row) =>
    row && (row.expires_at === null || row.expires_at > now.getTime()) ? new AccessToken(row) : undefined,
  )
}

/** Not cached, so that a revoked token is refused at the next request in all processes. */
const liveAccessToken = sharedLookup<CredentialKey, LiveTokenTexts>(
  ({ hash }) => hash.toString('hex'),
  async (reader, keys) => {
    const rows = await reader.read(liveAccessTokens, [keys.map(({ family }) => family)])
    return new Map(rows.map((row) => [row.token_hash, row]))
  },
)

/** Parses a column only when it is read. */
class AccessToken implements LiveToken {
  readonly #row: LiveTokenTexts

  constructor(row: LiveTokenTexts) {
    this.#row = row
  }

  get accountId() {
    return this.#row.account_id
  }

  get clientId() {
    return this.#row.client_id
  }

  get scopes() {
    return scopesWithin(words(this.#row.scopes), words(this.#row.app_scopes))
  }

  get scopeNames() {
    return this.#row.scope_names === null ? null : words(this.#row.scope_names)
  }

  get shared() {
    return JSON.parse(this.#row.shared) as SharedIdentities
  }

  get resource() {
    return this.#row.resource
  }

  get metadataUrl() {
    return this.#row.metadata_url
  }

  get createdAt() {
    return new Date(this.#row.created_at)
  }

  get expiresAt() {
    return this.#row.expires_at === null ? null : new Date(this.#row.expires_at)
  }

  get lastUsedAt() {
    return new Date(this.#row.last_used_at)
  }
}

function toLiveToken(row: LiveTokenRow): LiveToken {
  return {
    accountId: row.account_id,
    clientId: row.client_id,
    scopes: scopesWithin(row.scopes, row.app_scopes),
    scopeNames: row.scope_names,
    shared: row.shared,
    resource: row.resource,
    metadataUrl: row.metadata_url,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}

export async function noteUse(database: Database, family: Buffer, now: Date): Promise<void> {
  await database.kysely.updateTable('grants').set({ last_used_at: now }).where('family', '=', family).execute()
}
