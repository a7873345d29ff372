import type { Transaction } from 'kysely'
import { type Database, statement } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import type { CodeFacts, CodeVerdict } from './code-state.ts'
import type { SharedIdentities } from './consent.queries.ts'
import type { Challenge, ChallengeMethod } from './pkce.ts'
import type { RefreshFacts, RefreshVerdict } from './refresh-state.ts'
import type { CredentialKey } from './token-format.ts'

export interface NewCode {
  key: CredentialKey
  clientId: string
  accountId: string
  redirectUri: string
  scopes: string[]
  shared: SharedIdentities
  challenge: Challenge | undefined
  nonce: string | undefined
  authenticatedAt: Date
  expiresAt: Date
}

export async function insertCode(transaction: Transaction<DB>, code: NewCode): Promise<void> {
  await transaction
    .insertInto('authorization_codes')
    .values({
      family: code.key.family,
      code_hash: code.key.hash,
      client_id: code.clientId,
      account_id: code.accountId,
      redirect_uri: code.redirectUri,
      scopes: code.scopes,
      shared: JSON.stringify(code.shared),
      code_challenge: code.challenge?.value ?? null,
      code_challenge_method: code.challenge?.method ?? null,
      nonce: code.nonce ?? null,
      authenticated_at: code.authenticatedAt,
      expires_at: code.expiresAt,
    })
    .execute()
}

export interface NewTokens {
  now: Date
  access: CredentialKey & { expiresAt: Date | null; scopes?: string[] | undefined }
  refresh: (CredentialKey & { expiresAt: Date }) | undefined
}

/** What a grant says, for the answer to a redemption or refresh. */
export interface GrantFacts {
  accountId: string
  scopes: string[]
  nonce: string | undefined
  authenticatedAt: Date | undefined
}

/**
 * One transaction around one code: locks it, lets `judge` decide, and writes what was decided.
 * Parallel redemptions wait for each other here, so exactly one is told to issue.
 */
export async function redeemCode(
  database: Database,
  key: CredentialKey,
  tokens: NewTokens,
  judge: (code: CodeFacts | undefined) => CodeVerdict,
): Promise<{ verdict: CodeVerdict; grant: GrantFacts | undefined }> {
  return database.kysely.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('authorization_codes')
      .selectAll()
      .where('family', '=', key.family)
      .where('code_hash', '=', key.hash)
      .forUpdate()
      .executeTakeFirst()
    const verdict = judge(
      row && {
        clientId: row.client_id,
        redirectUri: row.redirect_uri,
        challenge: toChallenge(row.code_challenge, row.code_challenge_method),
        expiresAt: row.expires_at,
        spentAt: row.spent_at,
      },
    )
    if (!row || verdict.act === 'refuse') return { verdict, grant: undefined }
    const grant = {
      accountId: row.account_id,
      scopes: row.scopes,
      nonce: row.nonce ?? undefined,
      authenticatedAt: row.authenticated_at,
    }
    if (verdict.act === 'revoke') {
      await revokeFamily(transaction, key.family, tokens.now)
      return { verdict, grant }
    }
    await transaction
      .updateTable('authorization_codes')
      .set({ spent_at: tokens.now })
      .where('family', '=', key.family)
      .where('code_hash', '=', key.hash)
      .execute()
    if (verdict.act === 'issue') {
      await transaction
        .insertInto('grants')
        .values({
          family: key.family,
          client_id: row.client_id,
          account_id: row.account_id,
          scopes: row.scopes,
          shared: JSON.stringify(row.shared),
          created_at: tokens.now,
          last_used_at: tokens.now,
        })
        .execute()
      await insertTokens(transaction, row.scopes, tokens)
    }
    return { verdict, grant }
  })
}

/** As redeemCode, around one refresh token; the lock is the grant's. */
export async function rotateRefreshToken(
  database: Database,
  key: CredentialKey,
  tokens: NewTokens,
  judge: (token: RefreshFacts | undefined) => RefreshVerdict,
): Promise<{ verdict: RefreshVerdict; grant: GrantFacts | undefined }> {
  return database.kysely.transaction().execute(async (transaction) => {
    const held = await transaction
      .selectFrom('grants')
      .selectAll()
      .where('family', '=', key.family)
      .forUpdate()
      .executeTakeFirst()
    const token = await transaction
      .selectFrom('refresh_tokens')
      .select(['expires_at', 'rotated_at'])
      .where('family', '=', key.family)
      .where('token_hash', '=', key.hash)
      .executeTakeFirst()
    const found = held && token
    const verdict = judge(
      found && {
        clientId: held.client_id,
        grantScopes: held.scopes,
        grantRevokedAt: held.revoked_at,
        expiresAt: token.expires_at,
        rotatedAt: token.rotated_at,
      },
    )
    const grant = held && {
      accountId: held.account_id,
      scopes: held.scopes,
      nonce: undefined,
      authenticatedAt: undefined,
    }
    if (verdict.act === 'revoke') await revokeFamily(transaction, key.family, tokens.now)
    if (held && verdict.act === 'rotate') {
      await transaction
        .updateTable('refresh_tokens')
        .set({ rotated_at: tokens.now })
        .where('family', '=', key.family)
        .where('token_hash', '=', key.hash)
        .execute()
      await transaction.deleteFrom('access_tokens').where('family', '=', key.family).execute()
      await transaction
        .updateTable('grants')
        .set({ last_used_at: tokens.now })
        .where('family', '=', key.family)
        .execute()
      await insertTokens(transaction, held.scopes, tokens)
    }
    return { verdict, grant }
  })
}

async function insertTokens(transaction: Transaction<DB>, scopes: string[], tokens: NewTokens): Promise<void> {
  const { access, refresh, now } = tokens
  await transaction
    .insertInto('access_tokens')
    .values({
      family: access.family,
      token_hash: access.hash,
      scopes: access.scopes ?? scopes,
      created_at: now,
      expires_at: access.expiresAt,
    })
    .execute()
  if (refresh)
    await transaction
      .insertInto('refresh_tokens')
      .values({
        family: refresh.family,
        token_hash: refresh.hash,
        created_at: now,
        expires_at: refresh.expiresAt,
      })
      .execute()
}

/** Ends a grant: its access tokens go, its refresh tokens are refused from now on. */
async function revokeFamily(transaction: Transaction<DB>, family: Buffer, now: Date): Promise<void> {
  await transaction
    .updateTable('grants')
    .set({ revoked_at: now })
    .where('family', '=', family)
    .where('revoked_at', 'is', null)
    .execute()
  await transaction.deleteFrom('access_tokens').where('family', '=', family).execute()
}

/** Ends one access token of an app, if it has such a one. */
export async function revokeAccessToken(database: Database, key: CredentialKey, clientId: string): Promise<void> {
  await database.kysely
    .deleteFrom('access_tokens')
    .where('family', '=', key.family)
    .where('token_hash', '=', key.hash)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('grants')
          .select('grants.family')
          .where('grants.family', '=', key.family)
          .where('grants.client_id', '=', clientId),
      ),
    )
    .execute()
}

/** Ends the grant of a refresh token of an app, if it has such a one (RFC 7009 2.1). */
export async function revokeByRefreshToken(
  database: Database,
  key: CredentialKey,
  clientId: string,
  now: Date,
): Promise<string | undefined> {
  return database.kysely.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('grants')
      .innerJoin('refresh_tokens', 'refresh_tokens.family', 'grants.family')
      .select('grants.account_id')
      .where('grants.family', '=', key.family)
      .where('refresh_tokens.family', '=', key.family)
      .where('refresh_tokens.token_hash', '=', key.hash)
      .where('grants.client_id', '=', clientId)
      .where('grants.revoked_at', 'is', null)
      .executeTakeFirst()
    if (row) await revokeFamily(transaction, key.family, now)
    return row?.account_id
  })
}

function toChallenge(value: string | null, method: string | null): Challenge | undefined {
  return value === null ? undefined : { value, method: method as ChallengeMethod }
}

export interface LiveToken {
  accountId: string
  clientId: string
  scopes: string[]
  shared: SharedIdentities
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date
}

interface LiveTokenRow {
  account_id: string
  client_id: string
  scopes: string[]
  shared: SharedIdentities
  created_at: Date
  expires_at: Date | null
  last_used_at: Date
}

const liveAccessToken = statement<LiveTokenRow>(
  'oauth.access-token',
  `SELECT g.account_id, g.client_id, t.scopes, g.shared, t.created_at, t.expires_at, g.last_used_at
   FROM access_tokens t JOIN grants g ON g.family = t.family JOIN apps a ON a.client_id = g.client_id
   WHERE t.family = $1 AND g.family = $1 AND t.token_hash = $2 AND (t.expires_at IS NULL OR t.expires_at > $3)
     AND g.revoked_at IS NULL AND a.status = 'approved'`,
)

const liveRefreshToken = statement<LiveTokenRow>(
  'oauth.refresh-token',
  `SELECT g.account_id, g.client_id, g.scopes, g.shared, t.created_at, t.expires_at, g.last_used_at
   FROM refresh_tokens t JOIN grants g ON g.family = t.family JOIN apps a ON a.client_id = g.client_id
   WHERE t.family = $1 AND g.family = $1 AND t.token_hash = $2 AND t.expires_at > $3 AND t.rotated_at IS NULL
     AND g.revoked_at IS NULL AND a.status = 'approved' AND a.expiring_tokens`,
)

/** The token if it is valid now: not expired, not revoked, its grant alive, its app approved. */
export async function findLiveToken(
  database: Database,
  kind: 'access' | 'refresh',
  key: CredentialKey,
  now: Date,
): Promise<LiveToken | undefined> {
  const [row] = await database.read(kind === 'access' ? liveAccessToken : liveRefreshToken, [key.family, key.hash, now])
  return (
    row && {
      accountId: row.account_id,
      clientId: row.client_id,
      scopes: row.scopes,
      shared: row.shared,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    }
  )
}

export async function noteUse(database: Database, family: Buffer, now: Date): Promise<void> {
  await database.kysely.updateTable('grants').set({ last_used_at: now }).where('family', '=', family).execute()
}
