import { type Kysely, sql } from 'kysely'
import { sharedLookup, statement, type Statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { hashOf } from '../secrets/hashes.ts'
import type { StoredValue } from '../secrets/token-format.ts'

/** A stored server token, without its value. */
export interface TokenRecord {
  tokenId: string
  accountId: string
  name: string
  areas: string[]
  plan: string
  /**
   * The account assigned the plan as an operator. If it loses its operator rights, the token gets the plan `free`, unless
   * all accounts can choose its plan.
   */
  planNeedsOperator: boolean
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** The origins whose pages can use a publishable token, and the spaces that it can read; null for a server token. */
  origins: string[] | null
  spaceIds: number[] | null
  /** The last characters of the value; null for tokens created before this column existed. */
  lastFour: string | null
}

/** The columns that authenticate a request. */
export interface TokenRow {
  token_hash: Buffer
  token_id: string
  account_id: string
  areas: string[]
  expires_at: Date | null
  revoked_at: Date | null
  suspended_at: Date | null
  per_second: number | null
  per_day: number | null
}

const tokensByHash = statement<TokenRow>(
  'token.by-hash',
  `SELECT token_hash, token_id, account_id, areas, expires_at, revoked_at, suspended_at, p.per_second, p.per_day
   FROM server_tokens t JOIN plans p ON p.plan = t.plan
   WHERE token_hash = ANY ($1::bytea[]) AND origins IS NULL`,
  undefined,
  { priority: true },
)

/** Finds a server token; concurrent lookups share one statement. */
export const findToken = tokenLookup(tokensByHash)

/** A publishable token also has lists. */
export interface PublishableTokenRow extends TokenRow {
  origins: string[]
  space_ids: number[]
}

const publishableByHash = statement<PublishableTokenRow>(
  'token.publishable-by-hash',
  `SELECT token_hash, token_id, account_id, areas, expires_at, revoked_at, suspended_at, p.per_second, p.per_day,
     origins, space_ids
   FROM server_tokens t JOIN plans p ON p.plan = t.plan
   WHERE token_hash = ANY ($1::bytea[]) AND origins IS NOT NULL`,
  undefined,
  { priority: true },
)

/** Finds a publishable token; concurrent lookups share one statement. */
export const findPublishableToken = tokenLookup(publishableByHash)

/** Calculates the hash of a token once for all lookups that share a statement. */
function tokenLookup<Row extends TokenRow>(byHash: Statement<Row>) {
  return sharedLookup<string, Row>(String, async (reader, tokens) => {
    const hashes = tokens.map(hashOf)
    const tokenOf = new Map(hashes.map((hash, index) => [hash.toString('latin1'), tokens[index] as string]))
    const rows = await reader.read(byHash, [hashes])
    return new Map(rows.map((row) => [tokenOf.get(row.token_hash.toString('latin1')) as string, row]))
  })
}

const columns = [
  'token_id as tokenId',
  'account_id as accountId',
  'name',
  'areas',
  'plan',
  'plan_needs_operator as planNeedsOperator',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'origins',
  'space_ids as spaceIds',
  'last_four as lastFour',
] as const

export async function insertToken(db: Kysely<DB>, token: TokenRecord, hash: Buffer): Promise<void> {
  await db
    .insertInto('server_tokens')
    .values({
      token_id: token.tokenId,
      account_id: token.accountId,
      name: token.name,
      token_hash: hash,
      areas: token.areas,
      plan: token.plan,
      plan_needs_operator: token.planNeedsOperator,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      revoked_at: null,
      origins: token.origins,
      space_ids: token.spaceIds,
      last_four: token.lastFour,
    })
    .execute()
}

/** The tokens of one account or of all, oldest first. */
export async function listTokens(db: Kysely<DB>, accountId?: string): Promise<TokenRecord[]> {
  return db
    .selectFrom('server_tokens')
    .select(columns)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .orderBy('created_at')
    .orderBy('token_id')
    .execute()
}

export async function isPublishable(db: Kysely<DB>, tokenId: string): Promise<boolean> {
  const found = await db
    .selectFrom('server_tokens')
    .select('token_id')
    .where('token_id', '=', tokenId)
    .where('origins', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

export async function existingSpaces(db: Kysely<DB>, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('spaces').select('space_id').where('space_id', 'in', ids).execute()
  return rows.map(({ space_id }) => space_id)
}

export async function lastUses(db: Kysely<DB>, tokenIds: readonly string[]): Promise<Map<string, Date>> {
  if (tokenIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('token_usage')
    .select(({ fn }) => ['token_id', fn.max('last_used_at').as('at')])
    .where('token_id', 'in', tokenIds)
    .groupBy('token_id')
    .execute()
  return new Map(rows.map((row) => [row.token_id, row.at]))
}

/** Replaces the value of a token. Returns undefined if the token does not exist, has expired or is revoked. */
export async function replaceHash(
  db: Kysely<DB>,
  tokenId: string,
  { hash, lastFour }: StoredValue,
  now: Date,
): Promise<TokenRecord | undefined> {
  return db
    .updateTable('server_tokens')
    .set({ token_hash: hash, last_four: lastFour })
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .returning(columns)
    .executeTakeFirst()
}

/** Changes the plan of a token. Returns undefined if the token does not exist or is revoked. */
export async function setPlan(
  db: Kysely<DB>,
  tokenId: string,
  { plan, assignedBy }: { plan: string; assignedBy: string },
): Promise<TokenRecord | undefined> {
  return db
    .updateTable('server_tokens')
    .set({ plan, plan_assigned_by: assignedBy, plan_needs_operator: sql<boolean>`account_id = ${assignedBy}` })
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()
}

/** Revokes a token. Returns undefined if the token does not exist or is already revoked. */
export async function setRevoked(db: Kysely<DB>, tokenId: string, at: Date): Promise<TokenRecord | undefined> {
  return db
    .updateTable('server_tokens')
    .set({ revoked_at: at })
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .returning(columns)
    .executeTakeFirst()
}

/** Finds a token by id or by the hash of its value. */
export async function findTokenId(db: Kysely<DB>, token: string | Buffer): Promise<string | undefined> {
  const query = db.selectFrom('server_tokens').select('token_id')
  const found = await (
    typeof token === 'string'
      ? query.where((row) => row.cast<string>('token_id', 'text'), '=', token.toLowerCase())
      : query.where('token_hash', '=', token)
  ).executeTakeFirst()
  return found?.token_id
}

export async function findLiveToken(db: Kysely<DB>, hash: Buffer, now: Date): Promise<string | undefined> {
  const found = await db
    .selectFrom('server_tokens')
    .select('token_id')
    .where('token_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .executeTakeFirst()
  return found?.token_id
}

export async function accountExists(db: Kysely<DB>, accountId: string): Promise<boolean> {
  const found = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return found !== undefined
}

/** Finds an account by name, ignoring case, or creates it. */
export async function findOrCreateAccount(
  db: Kysely<DB>,
  account: { accountId: string; name: string; createdAt: Date },
): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const username = sql<string>`lower(${account.name})`
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('usernames')
      .values({ username, account_id: account.accountId })
      .onConflict((conflict) => conflict.column('username').doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows !== 1n) {
      const owner = transaction.selectFrom('usernames').select('account_id').where('username', '=', username)
      return (await owner.executeTakeFirstOrThrow()).account_id
    }
    await transaction
      .insertInto('accounts')
      .values({ account_id: account.accountId, name: account.name, created_at: account.createdAt })
      .execute()
    return account.accountId
  })
}
