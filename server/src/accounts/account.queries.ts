import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { canCount } from './linked-names.ts'
import { claimLinkedNames, storeLinkedNames } from './linked-names.queries.ts'

export interface Identity {
  kind: string
  subject: string
  username: string | null
  linkedAt: Date
  /** Null for an identity that cannot count for others. */
  useForEligibility: boolean | null
}

export interface NewIdentity extends Omit<Identity, 'useForEligibility'> {
  aliases?: readonly string[]
  boundChainId?: number
}

/** The account that an identity belongs to. */
export async function findOwner(kysely: Kysely<DB>, kind: string, subject: string): Promise<string | undefined> {
  const row = await kysely
    .selectFrom('identity_subjects')
    .select('account_id')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row?.account_id
}

/** Since when an identity belongs to this account; undefined when it does not. */
export async function findLinkTime(
  kysely: Kysely<DB>,
  accountId: string,
  kind: string,
  subject: string,
): Promise<Date | undefined> {
  const row = await kysely
    .selectFrom('identities')
    .select('linked_at')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.linked_at
}

/** Links an identity that belongs to nobody; false when it belongs to some account already. */
export async function linkIdentity(
  transaction: Transaction<DB>,
  accountId: string,
  identity: NewIdentity,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('identity_subjects')
    .values({ subject: identity.subject, kind: identity.kind, account_id: accountId })
    .onConflict((conflict) => conflict.columns(['subject', 'kind']).doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  await transaction
    .insertInto('identities')
    .values({
      account_id: accountId,
      kind: identity.kind,
      subject: identity.subject,
      username: identity.username,
      linked_at: identity.linkedAt,
      bound_chain_id: identity.boundChainId ?? null,
    })
    .execute()
  for (const alias of identity.aliases ?? [])
    await transaction
      .insertInto('identity_aliases')
      .values({ alias, kind: identity.kind, account_id: accountId, subject: identity.subject })
      .onConflict((conflict) => conflict.columns(['alias', 'kind']).doNothing())
      .execute()
  await storeLinkedNames(transaction, accountId, identity)
  return true
}

/** The chain to which an identity is bound (a contract wallet), null when it is not bound. */
export async function findBoundChain(
  kysely: Kysely<DB>,
  accountId: string,
  kind: string,
  subject: string,
): Promise<number | null> {
  const row = await kysely
    .selectFrom('identities')
    .select('bound_chain_id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.bound_chain_id ?? null
}

/** What people call an identity may have changed since it was linked, or belong to it again. */
export async function renameIdentity(
  transaction: Transaction<DB>,
  accountId: string,
  identity: Pick<NewIdentity, 'kind' | 'subject' | 'username' | 'aliases'>,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('identities')
    .set({ username: identity.username })
    .where('account_id', '=', accountId)
    .where('kind', '=', identity.kind)
    .where('subject', '=', identity.subject)
    .where('username', 'is distinct from', identity.username)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await storeLinkedNames(transaction, accountId, identity)
  else await claimLinkedNames(transaction, accountId, identity)
}

/** Lets an identity count for the others of its account, or not. */
export async function setUseForEligibility(
  transaction: Transaction<DB>,
  accountId: string,
  { kind, subject, useForEligibility }: Pick<Identity, 'kind' | 'subject'> & { useForEligibility: boolean },
): Promise<void> {
  await transaction
    .updateTable('identities')
    .set({ use_for_eligibility: useForEligibility })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .execute()
  await storeLinkedNames(transaction, accountId)
}

export async function unlinkIdentity(
  transaction: Transaction<DB>,
  accountId: string,
  kind: string,
  subject: string,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('identities')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  await transaction
    .deleteFrom('identity_aliases')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .execute()
  await transaction
    .deleteFrom('identity_subjects')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('account_id', '=', accountId)
    .execute()
  await storeLinkedNames(transaction, accountId)
  return numDeletedRows === 1n
}

/** In the order in which they were linked. */
export async function listIdentities(kysely: Kysely<DB>, accountId: string): Promise<Identity[]> {
  const rows = await kysely
    .selectFrom('identities')
    .select(['kind', 'subject', 'username', 'linked_at', 'bound_chain_id', 'use_for_eligibility'])
    .where('account_id', '=', accountId)
    .orderBy('linked_at')
    .orderBy('kind')
    .orderBy('subject')
    .execute()
  return rows.map((row) => ({
    kind: row.kind,
    subject: row.subject,
    username: row.username,
    linkedAt: row.linked_at,
    useForEligibility: canCount(row.kind, row.bound_chain_id) ? row.use_for_eligibility : null,
  }))
}

export async function insertAccount(
  kysely: Kysely<DB>,
  account: { accountId: string; name: string; createdAt: Date },
): Promise<void> {
  await kysely
    .insertInto('accounts')
    .values({ account_id: account.accountId, name: account.name, created_at: account.createdAt })
    .execute()
}

/** A condition that holds, for the statement that locks accounts: a row is locked after its condition was found to hold. */
export const noLongWait = sql<boolean>`set_config('lock_timeout', '5s', true) IS NOT NULL`

/**
 * Serialises changes of one account's sign-in methods; false when the account is gone. Neither here nor later does its
 * transaction wait longer than five seconds for a lock (SQLSTATE 55P03, answered with 503): a long change of one account
 * does not keep all connections from the others.
 */
export async function lockAccount(transaction: Transaction<DB>, accountId: string): Promise<boolean> {
  const row = await transaction
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where(noLongWait)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export async function findAccountName(kysely: Kysely<DB>, accountId: string): Promise<string | undefined> {
  const row = await kysely.selectFrom('accounts').select('name').where('account_id', '=', accountId).executeTakeFirst()
  return row?.name
}

/** The account itself, or the one that it was merged into; undefined when it is gone. */
export async function findLivingAccount(kysely: Kysely<DB>, accountId: string): Promise<string | undefined> {
  const merged = await kysely
    .selectFrom('merged_accounts')
    .select('into_account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const living = merged?.into_account_id ?? accountId
  return (await findAccountName(kysely, living)) === undefined ? undefined : living
}

/** Takes a username for an account; false when another account has it, in whatever case. */
export async function claimUsername(transaction: Transaction<DB>, accountId: string, name: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('usernames')
    .values({ username: sql<string>`lower(${name})`, account_id: accountId })
    .onConflict((conflict) =>
      conflict.column('username').doUpdateSet({ account_id: accountId }).where('usernames.account_id', '=', accountId),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Gives an account a username that it has claimed; the one before is free again. */
export async function renameAccount(transaction: Transaction<DB>, accountId: string, name: string): Promise<void> {
  await transaction
    .deleteFrom('usernames')
    .where('account_id', '=', accountId)
    .where('username', '!=', sql<string>`lower(${name})`)
    .execute()
  await transaction.updateTable('accounts').set({ name }).where('account_id', '=', accountId).execute()
}

/** The account of this id, or of this username in whatever case. */
export async function findAccountByName(
  kysely: Kysely<DB>,
  nameOrId: string,
): Promise<{ id: string; username: string; createdAt: Date } | undefined> {
  const byId = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(nameOrId)
  const query = kysely
    .selectFrom('accounts')
    .select(['account_id as id', 'name as username', 'created_at as createdAt'])
  if (byId) return query.where('account_id', '=', nameOrId.toLowerCase()).executeTakeFirst()
  const owner = kysely
    .selectFrom('usernames')
    .select('account_id')
    .where('username', '=', sql<string>`lower(${nameOrId})`)
  return query.where('account_id', '=', owner).executeTakeFirst()
}

export async function isOperator(kysely: Kysely<DB>, accountId: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('operators')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined
}

export async function setOperator(kysely: Kysely<DB>, accountId: string, since: Date | null): Promise<void> {
  if (since === null) {
    await kysely.deleteFrom('operators').where('account_id', '=', accountId).execute()
    return
  }
  await kysely
    .insertInto('operators')
    .values({ account_id: accountId, granted_at: since })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute()
}

export async function listOperators(kysely: Kysely<DB>): Promise<{ accountId: string; name: string }[]> {
  return kysely
    .selectFrom('operators')
    .innerJoin('accounts', 'accounts.account_id', 'operators.account_id')
    .select(['operators.account_id as accountId', 'accounts.name'])
    .orderBy('operators.granted_at')
    .execute()
}

/** The grants that show this identity to an app, the open codes that would, and its part of every remembered consent. */
export async function endSharesOf(
  transaction: Transaction<DB>,
  accountId: string,
  kind: string,
  subject: string,
): Promise<void> {
  const shares = sql<boolean>`shared -> ${kind} @> ${JSON.stringify({ subject })}::jsonb`
  await transaction
    .deleteFrom('consents')
    .where('account_id', '=', accountId)
    .where(shares)
    .where(sql<boolean>`scopes <@ ARRAY[${kind}::text]`)
    .execute()
  await transaction
    .updateTable('consents')
    .set({ scopes: sql`array_remove(scopes, ${kind}::text)`, shared: sql`shared - ${kind}::text` })
    .where('account_id', '=', accountId)
    .where(shares)
    .execute()
  for (const table of ['authorization_codes', 'grants'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).where(shares).execute()
}

const IDENTITY_TABLES = ['linked_names', 'identity_aliases', 'identity_subjects', 'identities'] as const

/** Deletes everything of an account. What it published (spaces, boards, credentials) stays, without an owner. */
export async function deleteAccount(transaction: Transaction<DB>, accountId: string): Promise<void> {
  for (const table of ['consents', 'authorization_codes', 'grants', 'sessions', 'challenges', 'passkeys'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  for (const table of [...IDENTITY_TABLES, 'operators', 'usernames'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  // These have no account of their own, and no foreign key.
  const endpoints = transaction
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('account_id', '=', accountId)
  for (const table of ['webhook_messages', 'webhook_attempts'] as const)
    await transaction.deleteFrom(table).where('endpoint_id', 'in', endpoints).execute()
  for (const table of ['account_profiles', 'ingest_tokens', 'webhook_subscriptions', 'webhook_endpoints'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  await transaction
    .deleteFrom('merge_offers')
    .where((eb) => eb.or([eb('into_account_id', '=', accountId), eb('from_account_id', '=', accountId)]))
    .execute()
  const merged = await transaction
    .deleteFrom('merged_accounts')
    .where('into_account_id', '=', accountId)
    .returning('account_id')
    .execute()
  for (const { account_id: endedId } of merged)
    await transaction.deleteFrom('security_events').where('account_id', '=', endedId).execute()
  const tokens = await transaction
    .selectFrom('server_tokens')
    .select('token_id')
    .where('account_id', '=', accountId)
    .execute()
  // Queries from the pages are counted for the account itself.
  const counted = [accountId, ...merged.map(({ account_id }) => account_id), ...tokens.map(({ token_id }) => token_id)]
  for (const table of ['token_usage', 'quota_windows'] as const)
    await transaction.deleteFrom(table).where('token_id', 'in', counted).execute()
  for (const table of ['security_events', 'server_tokens'] as const)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  for (const table of ['spaces', 'starboards', 'credentials'] as const)
    await transaction
      .updateTable(table)
      .set({ owner_account_id: null })
      .where('owner_account_id', '=', accountId)
      .execute()
  await transaction
    .updateTable('server_tokens')
    .set({ plan_assigned_by: null })
    .where('plan_assigned_by', '=', accountId)
    .execute()
  await transaction.deleteFrom('accounts').where('account_id', '=', accountId).execute()
}
