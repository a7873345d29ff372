import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Authorizations, DB } from '../database/tables.ts'
import type { Challenge, ChallengeMethod } from './pkce.ts'

/** A validated authorization request that waits for the user's decision. */
export interface Authorization {
  authorizationId: string
  clientId: string
  redirectUri: string
  scopes: string[]
  /** The scope names in the app's spelling; null if they equal `scopes`. */
  scopeNames: string[] | null
  state: string
  challenge: Challenge | undefined
  nonce: string | undefined
  prompt: string[]
  maxAge: number | undefined
  /** The resource of the tokens (RFC 8707). */
  resource: string | undefined
  /** The account in the app's `id_token_hint`. */
  hintedAccountId: string | undefined
  createdAt: Date
  expiresAt: Date
}

export async function insertAuthorization(
  kysely: Kysely<DB>,
  authorization: Authorization,
  browserHash: Buffer,
): Promise<void> {
  await kysely
    .insertInto('authorizations')
    .values({
      authorization_id: authorization.authorizationId,
      browser_hash: browserHash,
      client_id: authorization.clientId,
      redirect_uri: authorization.redirectUri,
      scopes: authorization.scopes,
      scope_names: authorization.scopeNames,
      state: authorization.state,
      code_challenge: authorization.challenge?.value ?? null,
      code_challenge_method: authorization.challenge?.method ?? null,
      nonce: authorization.nonce ?? null,
      prompt: authorization.prompt,
      max_age: authorization.maxAge ?? null,
      resource: authorization.resource ?? null,
      hinted_account_id: authorization.hintedAccountId ?? null,
      created_at: authorization.createdAt,
      expires_at: authorization.expiresAt,
    })
    .execute()
}

/** Finds an open, unexpired request of this browser. */
export async function findAuthorization(
  kysely: Kysely<DB>,
  authorizationId: string,
  browserHashes: Buffer[],
  now: Date,
): Promise<Authorization | undefined> {
  const row = await kysely
    .selectFrom('authorizations')
    .selectAll()
    .where('authorization_id', '=', authorizationId)
    .where('browser_hash', 'in', browserHashes)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && toAuthorization(row)
}

/** Marks the request as decided. Returns false if it already was. */
export async function closeAuthorization(
  transaction: Transaction<DB>,
  authorizationId: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('authorizations')
    .set({ decided_at: now })
    .where('authorization_id', '=', authorizationId)
    .where('decided_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function toAuthorization(row: Selectable<Authorizations>): Authorization {
  return {
    authorizationId: row.authorization_id,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    scopeNames: row.scope_names,
    state: row.state,
    challenge:
      row.code_challenge === null
        ? undefined
        : { value: row.code_challenge, method: row.code_challenge_method as ChallengeMethod },
    nonce: row.nonce ?? undefined,
    prompt: row.prompt,
    maxAge: row.max_age ?? undefined,
    resource: row.resource ?? undefined,
    hintedAccountId: row.hinted_account_id ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
