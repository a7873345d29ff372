import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Person {
  id: string
  username: string
  createdAt: Date
  suspendedAt: Date | null
  operator: boolean
  identities: { kind: string; subject: string; username: string | null }[]
  passkeys: number
}

export interface AccountPosition {
  createdAt: Date
  id: string
}

/** Accounts, newest first, from after a place. */
export async function listPeople(
  kysely: Kysely<DB>,
  after: AccountPosition | undefined,
  limit: number,
): Promise<Person[]> {
  const before = after
    ? sql`WHERE (created_at, account_id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : sql``
  const { rows } = await sql<{ id: string }>`
    SELECT account_id AS id FROM accounts ${before} ORDER BY created_at DESC, account_id DESC LIMIT ${limit}`.execute(
    kysely,
  )
  return readPeople(
    kysely,
    rows.map(({ id }) => id),
  )
}

/**
 * The accounts with an ID, a username that begins with a text, or an identity of this subject, spelling or name.
 * `spellings` are the forms of the text in which identities are stored.
 */
export async function searchPeople(
  kysely: Kysely<DB>,
  text: string,
  spellings: readonly string[],
  limit: number,
): Promise<Person[]> {
  const forms = sql`ANY(${[...spellings]}::text[])`
  // A statement for each table, because they are distributed by different columns.
  const found = await Promise.all(
    [
      sql<{ id: string }>`SELECT account_id AS id FROM accounts WHERE account_id = ${uuidIn(text)}::uuid`,
      sql<{ id: string }>`
        SELECT account_id AS id FROM usernames WHERE starts_with(username, lower(${text})) ORDER BY username LIMIT ${limit}`,
      sql<{ id: string }>`SELECT account_id AS id FROM identity_subjects WHERE subject = ${forms} LIMIT ${limit}`,
      sql<{ id: string }>`SELECT account_id AS id FROM identity_aliases WHERE alias = ${forms} LIMIT ${limit}`,
      sql<{ id: string }>`
        SELECT account_id AS id FROM identities WHERE lower(username) = ltrim(lower(${text}), '@') LIMIT ${limit}`,
    ].map(async (query) => (await query.execute(kysely)).rows),
  )
  const ids = [...new Set(found.flat().map(({ id }) => id))]
  return readPeople(kysely, ids.slice(0, limit))
}

/** Newest first. */
async function readPeople(kysely: Kysely<DB>, ids: readonly string[]): Promise<Person[]> {
  if (ids.length === 0) return []
  const accounts = await kysely
    .selectFrom('accounts')
    .select(['account_id as id', 'name as username', 'created_at as createdAt', 'suspended_at as suspendedAt'])
    .where('account_id', 'in', ids)
    .orderBy('created_at', 'desc')
    .orderBy('account_id', 'desc')
    .execute()
  const operators = await kysely.selectFrom('operators').select('account_id').where('account_id', 'in', ids).execute()
  const identities = await kysely
    .selectFrom('identities')
    .select(['account_id as id', 'kind', 'subject', 'username'])
    .where('account_id', 'in', ids)
    .orderBy('linked_at')
    .execute()
  const passkeys = await countPasskeys(kysely, ids)
  return accounts.map((account) => ({
    ...account,
    operator: operators.some((row) => row.account_id === account.id),
    identities: identities.flatMap(({ id, ...identity }) => (id === account.id ? [identity] : [])),
    passkeys: passkeys.get(account.id) ?? 0,
  }))
}

/** The numbers of passkeys by account. They are no identities, but the only sign-in of many accounts. */
export async function countPasskeys(kysely: Kysely<DB>, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await kysely
    .selectFrom('passkeys')
    .select(({ fn }) => ['account_id as id', fn.countAll<string>().as('count')])
    .where('account_id', 'in', ids)
    .groupBy('account_id')
    .execute()
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

const uuidIn = (text: string) => (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text) ? text : null)
