import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../database/connection.ts'
import { statement, sharedLookup } from '@questboard/pg-read-pipeline'
import type { Apps, DB } from '../database/tables.ts'

export type AppStatus = 'pending' | 'approved' | 'refused' | 'suspended'

/** OpenID Connect Core 8. */
export const subjectTypes = ['public', 'pairwise'] as const
export type SubjectType = (typeof subjectTypes)[number]

/** `waiting`: an operator must decide about the app or about proposed changes. */
export type AppFilter = AppStatus | 'waiting'

/** A change of an approved app waits for an operator. */
export const APP_PROPOSES = `(proposed_redirect_uris IS NOT NULL OR proposed_backchannel_logout_uri IS NOT NULL
  OR proposed_details IS NOT NULL OR proposed_logo IS NOT NULL)`
export const APP_WAITS = `(status = 'pending' OR ${APP_PROPOSES})`

/** The fields of an app that users see on the consent page. A change needs the approval of an operator. */
export interface AppDetails {
  name: string
  homepage: string
  purpose: string
  scopes: string[]
}

export interface App extends AppDetails {
  clientId: string
  ownerAccountId: string
  status: AppStatus
  statusReason: string
  redirectUris: string[]
  /** Redirect URIs that the owner of an approved app proposes; an operator has not decided yet. */
  proposedRedirectUris: string[] | null
  /** The details that the owner of an approved app wants to change. */
  proposedDetails: Partial<AppDetails> | null
  allowedOrigins: string[]
  /** The URIs to which users may return after signing out. */
  postLogoutRedirectUris: string[]
  /** Receives logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.2). */
  backchannelLogoutUri: string | null
  proposedBackchannelLogoutUri: string | null
  expiringTokens: boolean
  s256Only: boolean
  /** The app has no server and no secret (RFC 6749 2.1). */
  publicClient: boolean
  subjectType: SubjectType
  /** The client_id of a client with a metadata document (oauth/client-metadata); null for registered apps. */
  metadataUrl: string | null
  hasLogo: boolean
  hasProposedLogo: boolean
  /** Incremented by each change of the app, and by each decision about a proposed change. */
  revision: number
  createdAt: Date
  decidedAt: Date | null
}

export type NewApp = Omit<
  App,
  | 'status'
  | 'statusReason'
  | 'proposedRedirectUris'
  | 'proposedBackchannelLogoutUri'
  | 'proposedDetails'
  | 'metadataUrl'
  | 'hasLogo'
  | 'hasProposedLogo'
  | 'revision'
  | 'decidedAt'
>
interface Logo {
  type: string
  bytes: Buffer
}

/** The fields that an owner can change. */
export type AppChanges = Partial<
  Pick<
    App,
    | 'name'
    | 'homepage'
    | 'purpose'
    | 'redirectUris'
    | 'proposedRedirectUris'
    | 'scopes'
    | 'allowedOrigins'
    | 'postLogoutRedirectUris'
    | 'backchannelLogoutUri'
    | 'proposedBackchannelLogoutUri'
    | 'expiringTokens'
    | 's256Only'
    | 'publicClient'
    | 'subjectType'
    | 'proposedDetails'
  > & { logo: Logo | null; proposedLogo: Logo | null }
>

type AppRow = Omit<Selectable<Apps>, 'logo' | 'logo_type' | 'proposed_logo' | 'proposed_logo_type' | 'metadata_at'> & {
  has_logo: boolean
  has_proposed_logo: boolean
}

const columns = `client_id, owner_account_id, name, homepage, purpose, status, status_reason, redirect_uris,
  proposed_redirect_uris, scopes,
  allowed_origins, post_logout_redirect_uris, backchannel_logout_uri, proposed_backchannel_logout_uri, expiring_tokens, s256_only, public_client, subject_type, metadata_url, logo IS NOT NULL AS has_logo,
  proposed_details, proposed_logo IS NOT NULL AS has_proposed_logo, a.revision, a.created_at, decided_at`

const appById = statement<AppRow>('oauth.app', `SELECT ${columns} FROM apps a WHERE client_id = $1`)

const appsWithSecrets = statement<AppRow & { secret_hashes: Buffer[]; secret_ends: (Date | null)[] }>(
  'oauth.apps-with-secrets',
  `SELECT ${columns},
     ARRAY(SELECT secret_hash FROM app_secrets s WHERE s.client_id = a.client_id ORDER BY secret_id) AS secret_hashes,
     ARRAY(SELECT expires_at FROM app_secrets s WHERE s.client_id = a.client_id ORDER BY secret_id) AS secret_ends
   FROM apps a WHERE client_id = ANY ($1::text[])`,
)

interface AppWithSecrets {
  app: App
  secrets: { hash: Buffer; expiresAt: Date | null }[]
}

const appWithSecrets = sharedLookup<string, AppWithSecrets>(String, async (reader, clientIds) => {
  const rows = await reader.read(appsWithSecrets, [clientIds])
  return new Map(
    rows.map(({ secret_hashes, secret_ends, ...row }) => [
      row.client_id,
      { app: toApp(row), secrets: secret_hashes.map((hash, n) => ({ hash, expiresAt: secret_ends[n] ?? null })) },
    ]),
  )
})

const originListed = statement<{ listed: boolean }>(
  'oauth.origin-listed',
  `SELECT EXISTS (SELECT FROM apps WHERE allowed_origins @> ARRAY[$1::text] AND status = 'approved') AS listed`,
)

interface PublicOrigin {
  /** Whether an approved app without a server has a redirect URI of the origin. */
  registered: boolean
  /** The same for a client with a metadata document, which no operator reviewed. */
  published: boolean
}

/** A redirect URI has the origin if it equals it, or starts with `origin/` or `origin?`. Both are in normalized form. */
const publicOrigin = statement<PublicOrigin>(
  'oauth.public-origin',
  `SELECT coalesce(bool_or(metadata_url IS NULL), false) AS registered,
     coalesce(bool_or(metadata_url IS NOT NULL), false) AS published
   FROM apps, unnest(redirect_uris) AS uri WHERE public_client AND status = 'approved'
     AND (uri = $1::text OR starts_with(uri, $1::text || '/') OR starts_with(uri, $1::text || '?'))`,
)

export async function findApp(database: Database, clientId: string): Promise<App | undefined> {
  const [row] = await database.read(appById, [clientId])
  return row && toApp(row)
}

/** The app, and the hashes of its secrets that are valid at `now`. */
export async function findAppWithSecrets(
  database: Database,
  clientId: string,
  now: Date,
): Promise<{ app: App; secretHashes: Buffer[] } | undefined> {
  const found = await appWithSecrets(database, clientId)
  if (!found) return undefined
  const valid = found.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  return { app: found.app, secretHashes: valid.map(({ hash }) => hash) }
}

/** Whether any approved app lists this origin. A preflight request does not name an app. */
export async function isOriginListed(database: Database, origin: string): Promise<boolean> {
  const [row] = await database.read(originListed, [origin])
  return row?.listed === true
}

/** Whether approved apps without a server have a redirect URI of this origin. */
export async function findPublicOrigin(database: Database, origin: string): Promise<PublicOrigin> {
  const [row] = await database.read(publicOrigin, [origin])
  return row ?? { registered: false, published: false }
}

export async function listApps(
  database: Database,
  filter: { ownerAccountId?: string; status?: AppFilter },
): Promise<App[]> {
  const { rows } = await database.pool.query<AppRow>(
    `SELECT ${columns} FROM apps a
     WHERE ($1::uuid IS NULL OR owner_account_id = $1)
       AND ($2::text IS NULL OR status = $2 OR ($2 = 'waiting' AND ${APP_WAITS}))
     ORDER BY a.created_at, client_id`,
    [filter.ownerAccountId ?? null, filter.status ?? null],
  )
  return rows.map(toApp)
}

export async function ownsApps(kysely: Kysely<DB>, accountId: string): Promise<boolean> {
  const app = await kysely
    .selectFrom('apps')
    .select('client_id')
    .where('owner_account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return app !== undefined
}

export async function insertApp(kysely: Kysely<DB>, app: NewApp): Promise<void> {
  await kysely
    .insertInto('apps')
    .values({
      client_id: app.clientId,
      owner_account_id: app.ownerAccountId,
      name: app.name,
      homepage: app.homepage,
      purpose: app.purpose,
      status: 'pending',
      redirect_uris: app.redirectUris,
      scopes: app.scopes,
      allowed_origins: app.allowedOrigins,
      post_logout_redirect_uris: app.postLogoutRedirectUris,
      backchannel_logout_uri: app.backchannelLogoutUri,
      expiring_tokens: app.expiringTokens,
      s256_only: app.s256Only,
      public_client: app.publicClient,
      subject_type: app.subjectType,
      created_at: app.createdAt,
    })
    .execute()
}

/** Changes an app; a refused app becomes pending. Returns false if its status or revision is no longer the given one. */
export async function updateApp(
  kysely: Kysely<DB>,
  { clientId, status, revision }: Pick<App, 'clientId' | 'status' | 'revision'>,
  changes: AppChanges,
): Promise<boolean> {
  const values = {
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.homepage !== undefined && { homepage: changes.homepage }),
    ...(changes.purpose !== undefined && { purpose: changes.purpose }),
    ...(changes.logo !== undefined && { logo: changes.logo?.bytes ?? null, logo_type: changes.logo?.type ?? null }),
    ...(changes.proposedLogo !== undefined && {
      proposed_logo: changes.proposedLogo?.bytes ?? null,
      proposed_logo_type: changes.proposedLogo?.type ?? null,
    }),
    ...(changes.proposedDetails !== undefined && { proposed_details: asJson(changes.proposedDetails) }),
    ...(changes.redirectUris !== undefined && { redirect_uris: changes.redirectUris }),
    ...(changes.proposedRedirectUris !== undefined && { proposed_redirect_uris: changes.proposedRedirectUris }),
    ...(changes.scopes !== undefined && { scopes: changes.scopes }),
    ...(changes.allowedOrigins !== undefined && { allowed_origins: changes.allowedOrigins }),
    ...(changes.postLogoutRedirectUris !== undefined && { post_logout_redirect_uris: changes.postLogoutRedirectUris }),
    ...(changes.backchannelLogoutUri !== undefined && { backchannel_logout_uri: changes.backchannelLogoutUri }),
    ...(changes.proposedBackchannelLogoutUri !== undefined && {
      proposed_backchannel_logout_uri: changes.proposedBackchannelLogoutUri,
    }),
    ...(changes.expiringTokens !== undefined && { expiring_tokens: changes.expiringTokens }),
    ...(changes.s256Only !== undefined && { s256_only: changes.s256Only }),
    ...(changes.publicClient !== undefined && { public_client: changes.publicClient }),
    ...(changes.subjectType !== undefined && { subject_type: changes.subjectType }),
    ...(status === 'refused' && { status: 'pending', status_reason: '', decided_at: null }),
  }
  const { numUpdatedRows } = await kysely
    .updateTable('apps')
    .set((eb) => ({ ...values, revision: eb('revision', '+', 1) }))
    .where('client_id', '=', clientId)
    .where('status', '=', status)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

const asJson = (details: Partial<AppDetails> | null) => (details === null ? null : JSON.stringify(details))

const NOTHING_PROPOSED = {
  proposed_redirect_uris: null,
  proposed_backchannel_logout_uri: null,
  proposed_details: null,
  proposed_logo: null,
  proposed_logo_type: null,
}

/** Sets the status of an app. Returns false unless it has a status of `from` and, if given, this revision. */
export async function setStatus(
  kysely: Kysely<DB>,
  clientId: string,
  decided: Pick<App, 'status' | 'statusReason' | 'decidedAt'>,
  from: readonly AppStatus[],
  revision: number | undefined,
): Promise<boolean> {
  let update = kysely
    .updateTable('apps')
    .set({
      status: decided.status,
      status_reason: decided.statusReason,
      decided_at: decided.decidedAt,
      ...(decided.status === 'refused' && NOTHING_PROPOSED),
    })
    .where('client_id', '=', clientId)
    .where('status', 'in', from)
  if (revision !== undefined) update = update.where('revision', '=', revision)
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Accepts or drops the proposed changes. Returns false if none are proposed, or if the app has another revision. */
export async function settleProposals(
  kysely: Kysely<DB>,
  { clientId, revision, proposedDetails }: Pick<App, 'clientId' | 'revision' | 'proposedDetails'>,
  decided: { accept: boolean } & Pick<App, 'statusReason' | 'decidedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('apps')
    .set((eb) => ({
      ...(decided.accept && {
        redirect_uris: eb.fn.coalesce('proposed_redirect_uris', 'redirect_uris'),
        backchannel_logout_uri: eb.fn.coalesce('proposed_backchannel_logout_uri', 'backchannel_logout_uri'),
        logo: eb.fn.coalesce('proposed_logo', 'logo'),
        logo_type: eb.fn.coalesce('proposed_logo_type', 'logo_type'),
        ...proposedDetails,
      }),
      ...NOTHING_PROPOSED,
      // With the new revision, a concurrent change of the owner fails instead of overwriting this decision.
      revision: eb('revision', '+', 1),
      status_reason: decided.statusReason,
      decided_at: decided.decidedAt,
    }))
    .where('client_id', '=', clientId)
    .where('revision', '=', revision)
    .where('status', 'in', ['approved', 'suspended'])
    .where(sql<boolean>`${sql.raw(APP_PROPOSES)}`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteApp(transaction: Transaction<DB>, clientId: string): Promise<void> {
  for (const table of [
    'authorizations',
    'consents',
    'authorization_codes',
    'grants',
    'session_apps',
    'logout_notices',
    'apps',
  ] as const)
    await transaction.deleteFrom(table).where('client_id', '=', clientId).execute()
}

/** @param which the logo that users see, or the proposed one that waits for an operator */
export async function findLogo(
  kysely: Kysely<DB>,
  clientId: string,
  which: 'current' | 'proposed',
): Promise<Logo | undefined> {
  const row = await kysely
    .selectFrom('apps')
    .select(
      which === 'current'
        ? ['logo as bytes', 'logo_type as type']
        : ['proposed_logo as bytes', 'proposed_logo_type as type'],
    )
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row?.bytes && row.type ? { type: row.type, bytes: row.bytes } : undefined
}

function toApp(row: AppRow): App {
  return {
    clientId: row.client_id,
    ownerAccountId: row.owner_account_id,
    name: row.name,
    homepage: row.homepage,
    purpose: row.purpose,
    status: row.status as AppStatus,
    statusReason: row.status_reason,
    redirectUris: row.redirect_uris,
    proposedRedirectUris: row.proposed_redirect_uris,
    proposedDetails: row.proposed_details as Partial<AppDetails> | null,
    scopes: row.scopes,
    allowedOrigins: row.allowed_origins,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    backchannelLogoutUri: row.backchannel_logout_uri,
    proposedBackchannelLogoutUri: row.proposed_backchannel_logout_uri,
    expiringTokens: row.expiring_tokens,
    s256Only: row.s256_only,
    publicClient: row.public_client,
    subjectType: row.subject_type as SubjectType,
    metadataUrl: row.metadata_url,
    hasLogo: row.has_logo,
    hasProposedLogo: row.has_proposed_logo,
    revision: row.revision,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
  }
}
