import type { Transaction } from 'kysely'
import { allowAfterResponse } from '../database/request-context.ts'
import type { Database } from '../database/connection.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import { statement, sharedLookup } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { CodeFacts, CodeVerdict } from './judge-code.ts'
import type { SharedIdentities } from './consent.queries.ts'
import { type GrantFacts, type NewTokens, type Revoked, revokeFamily } from './grant.queries.ts'
import type { Challenge, ChallengeMethod } from './pkce.ts'
import { type CredentialKey, nameOfKey } from '../secrets/oauth-token-format.ts'

export interface NewCode {
  key: CredentialKey
  clientId: string
  accountId: string
  redirectUri: string
  scopes: string[]
  scopeNames: string[] | null
  shared: SharedIdentities
  challenge: Challenge | undefined
  nonce: string | undefined
  resource: string | undefined
  authenticatedAt: Date
  sessionId: string
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
      scope_names: code.scopeNames,
      shared: JSON.stringify(code.shared),
      code_challenge: code.challenge?.value ?? null,
      code_challenge_method: code.challenge?.method ?? null,
      nonce: code.nonce ?? null,
      resource: code.resource ?? null,
      authenticated_at: code.authenticatedAt,
      session_id: code.sessionId,
      expires_at: code.expiresAt,
    })
    .execute()
}

interface CodeRow {
  client_id: string
  account_id: string
  redirect_uri: string
  scopes: string[]
  scope_names: string[] | null
  code_challenge: string | null
  code_challenge_method: string | null
  nonce: string | null
  resource: string | null
  authenticated_at: Date
  /** Null if an earlier version of the service issued the code. */
  session_id: string | null
  expires_at: Date
  spent_at: Date | null
}

// A family has one code, so the family finds it; the hash is compared in JavaScript.
const codesByFamily = statement<CodeRow & { code_hash: Buffer }>(
  'oauth.codes',
  `SELECT code_hash, client_id, account_id, redirect_uri, scopes, scope_names, code_challenge, code_challenge_method, nonce, resource,
     authenticated_at, session_id, expires_at, spent_at
   FROM authorization_codes WHERE family = ANY ($1::bytea[])`,
)

const findCode = sharedLookup<CredentialKey, CodeRow>(nameOfKey, async (reader, keys) => {
  const rows = await reader.read(codesByFamily, [keys.map(({ family }) => family)])
  return new Map(rows.map((row) => [row.code_hash.toString('latin1'), row]))
})

/** Spends an unspent code and inserts its grant and tokens in one statement. */
const issueForCode = preparedWrite<{ issued: number }>(
  'oauth.issue-for-code',
  `WITH code AS (
     UPDATE authorization_codes SET spent_at = $3::timestamptz
     WHERE family = $1 AND code_hash = $2 AND spent_at IS NULL
     RETURNING client_id, account_id, scopes, scope_names, shared, resource
   ), held AS (
     INSERT INTO grants (family, client_id, account_id, scopes, scope_names, shared, resource, created_at, last_used_at)
     SELECT $1, client_id, account_id, scopes, scope_names, shared, resource, $3::timestamptz, $3::timestamptz FROM code
   ), access AS (
     INSERT INTO access_tokens (family, token_hash, scopes, created_at, expires_at)
     SELECT $1, $4, scopes, $3::timestamptz, $5::timestamptz FROM code
   ), refresh AS (
     INSERT INTO refresh_tokens (family, token_hash, created_at, expires_at)
     SELECT $1, $6::bytea, $3::timestamptz, $7::timestamptz FROM code WHERE $6::bytea IS NOT NULL
   )
   SELECT 1 AS issued FROM code`,
)

const burnCode = statement<{ burnt: number }>(
  'oauth.burn-code',
  `UPDATE authorization_codes SET spent_at = $3
   WHERE family = $1 AND code_hash = $2 AND spent_at IS NULL RETURNING 1 AS burnt`,
)

/**
 * Finds a code, lets `judge` decide, and stores the result. The statement that spends a code also checks that it is
 * unspent: of parallel redemptions exactly one issues tokens, and the others are judged again, as replays.
 * @param prepare builds the rest of the response before the code is spent, so that its failure does not spend the code
 */
export async function redeemCode<Prepared>(
  database: Database,
  key: CredentialKey,
  tokens: NewTokens,
  judge: (code: CodeFacts) => CodeVerdict,
  prepare: (grant: GrantFacts) => Promise<Prepared>,
  revoked: Revoked,
): Promise<{ prepared: Prepared } | { refused: string }> {
  for (;;) {
    const row = await findCode(database, key)
    if (!row) return { refused: 'no such code' }
    const verdict = judge(toFacts(row))
    if (verdict.act === 'refuse') return { refused: verdict.reason }
    const grant = {
      accountId: row.account_id,
      scopes: row.scopes,
      scopeNames: row.scope_names,
      nonce: row.nonce ?? undefined,
      authenticatedAt: row.authenticated_at,
      sessionId: row.session_id ?? undefined,
    }
    if (verdict.act === 'revoke') {
      // Revoke even if the client has disconnected: a thief does not retry.
      await allowAfterResponse(() =>
        database.kysely.transaction().execute(async (transaction) => {
          await revokeFamily(transaction, key.family, tokens.now)
          await revoked(transaction, grant.accountId)
        }),
      )
      return { refused: verdict.reason }
    }
    if (verdict.act === 'issue') {
      const prepared = await prepare(grant)
      if (await issue(database, key, tokens)) return { prepared }
    } else if (await burn(database, key, tokens.now)) return { refused: verdict.reason }
  }
}

// A transaction is not committed if the request has failed in the meantime.
async function issue({ kysely }: Database, key: CredentialKey, { access, refresh, now }: NewTokens): Promise<boolean> {
  const values = [
    key.family,
    key.hash,
    now,
    access.hash,
    access.expiresAt,
    refresh?.hash ?? null,
    refresh?.expiresAt ?? null,
  ]
  const issued = await kysely.transaction().execute((transaction) => issueForCode(transaction, values))
  return issued.length === 1
}

async function burn({ pool }: Database, key: CredentialKey, now: Date): Promise<boolean> {
  const values = [key.family, key.hash, now]
  const { rowCount } = await pool.query({ name: burnCode.name, text: burnCode.text, values })
  return rowCount === 1
}

function toFacts(row: CodeRow): CodeFacts {
  return {
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    resource: row.resource ?? undefined,
    challenge: toChallenge(row.code_challenge, row.code_challenge_method),
    expiresAt: row.expires_at,
    spentAt: row.spent_at,
  }
}

function toChallenge(value: string | null, method: string | null): Challenge | undefined {
  return value === null ? undefined : { value, method: method as ChallengeMethod }
}
