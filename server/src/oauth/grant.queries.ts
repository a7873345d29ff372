import { sql, type Transaction } from 'kysely'
import { allowAfterResponse } from '../database/request-context.ts'
import type { Database } from '../database/connection.ts'
import { statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { lockMatching } from '../distribution/locks.ts'
import type { RefreshFacts, RefreshVerdict } from './judge-refresh.ts'
import type { CredentialKey } from '../secrets/oauth-token-format.ts'

export interface NewTokens {
  now: Date
  access: CredentialKey & { expiresAt: Date | null; scopes?: string[] | undefined }
  refresh: (CredentialKey & { expiresAt: Date }) | undefined
}

/** The grant data that a redemption or refresh returns. */
export interface GrantFacts {
  accountId: string
  scopes: string[]
  scopeNames: string[] | null
  nonce: string | undefined
  authenticatedAt: Date | undefined
  /** The session in which the user allowed it; known only when the code is redeemed. */
  sessionId?: string | undefined
}

/** Records the revocation of a grant in the same transaction. */
export type Revoked = (transaction: Transaction<DB>, accountId: string) => Promise<void>

interface RefreshRow {
  client_id: string
  account_id: string
  scopes: string[]
  resource: string | null
  revoked_at: Date | null
  expires_at: Date
  rotated_at: Date | null
}

const refreshTokenByHash = statement<RefreshRow>(
  'oauth.refresh-token-facts',
  `SELECT g.client_id, g.account_id, g.scopes, g.resource, g.revoked_at, t.expires_at, t.rotated_at
   FROM refresh_tokens t JOIN grants g ON g.family = t.family
   WHERE t.family = $1 AND g.family = $1 AND t.token_hash = $2`,
)

/**
 * Finds a refresh token and lets `judge` decide. Refusals take no lock, so that a token of another app takes no longer
 * than an unknown one. Otherwise `judge` runs again in a transaction that holds the lock of the grant.
 */
export async function rotateRefreshToken(
  database: Database,
  key: CredentialKey,
  tokens: NewTokens,
  judge: (token: RefreshFacts | undefined) => RefreshVerdict,
  revoked: Revoked,
): Promise<{ verdict: RefreshVerdict; grant: GrantFacts | undefined }> {
  const [row] = await database.read(refreshTokenByHash, [key.family, key.hash])
  const verdict = judge(
    row && {
      clientId: row.client_id,
      grantScopes: row.scopes,
      grantResource: row.resource,
      grantRevokedAt: row.revoked_at,
      expiresAt: row.expires_at,
      rotatedAt: row.rotated_at,
    },
  )
  if (verdict.act !== 'rotate' && verdict.act !== 'revoke') return { verdict, grant: undefined }
  const underLock = () => rotateUnderLock(database, key, tokens, judge, revoked)
  // A revocation must be committed even if the client has disconnected.
  return verdict.act === 'revoke' ? allowAfterResponse(underLock) : underLock()
}

async function rotateUnderLock(
  database: Database,
  key: CredentialKey,
  tokens: NewTokens,
  judge: (token: RefreshFacts | undefined) => RefreshVerdict,
  revoked: Revoked,
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
        grantResource: held.resource,
        grantRevokedAt: held.revoked_at,
        expiresAt: token.expires_at,
        rotatedAt: token.rotated_at,
      },
    )
    const grant = held && {
      accountId: held.account_id,
      scopes: held.scopes,
      scopeNames: held.scope_names,
      nonce: undefined,
      authenticatedAt: undefined,
    }
    if (verdict.act === 'revoke') {
      await revokeFamily(transaction, key.family, tokens.now)
      if (grant) await revoked(transaction, grant.accountId)
    }
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

/**
 * Applies a change of `expiringTokens` to existing tokens: deletes refresh tokens, and sets the end of access tokens.
 */
export async function switchExpiry(
  transaction: Transaction<DB>,
  clientId: string,
  accessTokensEnd: Date | null,
): Promise<void> {
  // Locks consents first, as withdrawConsent does. Otherwise the two could deadlock on the tokens.
  await lockMatching(transaction, 'consents', ['account_id', 'client_id'], sql`client_id = ${clientId}`)
  await sql`DELETE FROM refresh_tokens t USING grants g
    WHERE g.family = t.family AND g.client_id = ${clientId}`.execute(transaction)
  if (accessTokensEnd)
    await sql`UPDATE access_tokens t SET expires_at = ${accessTokensEnd} FROM grants g
      WHERE g.family = t.family AND g.client_id = ${clientId} AND t.expires_at IS NULL`.execute(transaction)
}

/** Revokes a grant: deletes its access tokens and makes its refresh tokens invalid. */
export async function revokeFamily(transaction: Transaction<DB>, family: Buffer, now: Date): Promise<void> {
  await transaction
    .updateTable('grants')
    .set({ revoked_at: now })
    .where('family', '=', family)
    .where('revoked_at', 'is', null)
    .execute()
  await transaction.deleteFrom('access_tokens').where('family', '=', family).execute()
}

/** Deletes an access token if it belongs to this app. */
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

/** Revokes the grant of a refresh token if it belongs to this app (RFC 7009 2.1). */
export async function revokeByRefreshToken(
  database: Database,
  key: CredentialKey,
  clientId: string,
  now: Date,
  revoked: Revoked,
): Promise<void> {
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
    if (!row) return
    await revokeFamily(transaction, key.family, now)
    await revoked(transaction, row.account_id)
  })
}
