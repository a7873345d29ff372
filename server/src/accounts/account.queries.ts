import { type Kysely, sql, type Transaction } from 'kysely'
import { ACCOUNT_ADDRESS } from '../addresses/account-address.ts'
import { SECOND } from '../clock.ts'
import { limitLockWait } from '../database/lock-timeout.ts'
import type { DB } from '../database/tables.ts'
import { canCount } from './linked-names.ts'
import { claimLinkedNames, storeLinkedNames } from './linked-names.queries.ts'

export interface Identity {
  kind: string
  subject: string
  username: string | null
  linkedAt: Date
  /** Whether the identity counts for the other addresses of the account. Null if it never can (`canCount`). */
  useForEligibility: boolean | null
}

export interface NewIdentity extends Omit<Identity, 'useForEligibility'> {
  aliases?: readonly string[]
  boundChainId?: number
}

export async function findOwner(kysely: Kysely<DB>, kind: string, subject: string): Promise<string | undefined> {
  const row = await kysely
    .selectFrom('identity_subjects')
    .select('account_id')
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row?.account_id
}

/** The time at which an identity was linked to this account; undefined if it is not linked. */
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

/** Links an identity. Returns false if an account already has it. */
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

/**
 * Gives a locked account its own address, if it has none.
 * @param address a random UUID
 */
export async function addAccountAddress(
  transaction: Transaction<DB>,
  accountId: string,
  address: string,
): Promise<void> {
  if ((await listAccountAddresses(transaction, accountId)).length > 0) return
  await transaction
    .insertInto('identity_aliases')
    .values({ alias: address, kind: ACCOUNT_ADDRESS, account_id: accountId, subject: accountId })
    .execute()
  await storeLinkedNames(transaction, accountId)
}

/** The own address of an account, then those of accounts that were merged into it. `subject` is the first owner. */
export async function listAccountAddresses(kysely: Kysely<DB>, accountId: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('identity_aliases')
    .select('alias')
    .where('account_id', '=', accountId)
    .where('kind', '=', ACCOUNT_ADDRESS)
    // An account without a wallet gets its points at the first address, so this must be the one that has points already.
    .orderBy(sql`subject = account_id::text`, 'desc')
    .orderBy('alias')
    .execute()
  return rows.map(({ alias }) => alias)
}

/** The chain of a contract wallet; null for other identities. */
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

/** Updates the username of an identity, and claims its names. */
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

/** In the order of linking. */
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

const LOCK_WAIT = 5 * SECOND

/**
 * Serializes changes of an account's sign-in methods. Returns false if the account is gone. The transaction waits at
 * most five seconds for each lock (SQLSTATE 55P03, returned as 503), so that one long change does not occupy all
 * connections.
 */
export async function lockAccount(transaction: Transaction<DB>, accountId: string): Promise<boolean> {
  await limitLockWait(transaction, LOCK_WAIT)
  return (await accountRow(transaction, accountId).forUpdate().execute()).length > 0
}

/**
 * Prevents the deletion of an account until the transaction ends. Like lockAccount, but several transactions can hold
 * it.
 */
export async function holdAccount(transaction: Kysely<DB>, accountId: string): Promise<boolean> {
  await limitLockWait(transaction, LOCK_WAIT)
  return (await accountRow(transaction, accountId).forKeyShare().execute()).length > 0
}

const accountRow = (kysely: Kysely<DB>, accountId: string) =>
  kysely.selectFrom('accounts').select('account_id').where('account_id', '=', accountId)

export async function findAccountName(kysely: Kysely<DB>, accountId: string): Promise<string | undefined> {
  const row = await kysely.selectFrom('accounts').select('name').where('account_id', '=', accountId).executeTakeFirst()
  return row?.name
}

/** The names by id. A separate statement, because accounts are not on every node. */
export async function findAccountNames(
  kysely: Kysely<DB>,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  if (accountIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('accounts')
    .select(['account_id', 'name'])
    .where('account_id', 'in', [...new Set(accountIds)])
    .execute()
  return new Map(rows.map(({ account_id, name }) => [account_id, name]))
}

/** The account, or the account that it was merged into; undefined if that account was deleted. */
export async function findLivingAccount(kysely: Kysely<DB>, accountId: string): Promise<string | undefined> {
  const merged = await kysely
    .selectFrom('merged_accounts')
    .select('into_account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const living = merged?.into_account_id ?? accountId
  return (await findAccountName(kysely, living)) === undefined ? undefined : living
}

/** Reserves a username, ignoring case. Returns false if another account has it. */
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

/** Sets a claimed username and releases the previous one. */
export async function renameAccount(transaction: Transaction<DB>, accountId: string, name: string): Promise<void> {
  await transaction
    .deleteFrom('usernames')
    .where('account_id', '=', accountId)
    .where('username', '!=', sql<string>`lower(${name})`)
    .execute()
  await transaction.updateTable('accounts').set({ name }).where('account_id', '=', accountId).execute()
  // The URL of an uploaded picture contains the username.
  await sql`
    UPDATE account_profiles SET avatar = regexp_replace(avatar, '/api/avatars/[^?]*', '/api/avatars/' || ${name}::text)
    WHERE account_id = ${accountId} AND avatar_image IS NOT NULL`.execute(transaction)
}

/** Finds an account by id or by username, ignoring case. */
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

/** Deletes the grants and authorization codes that show this identity to apps, and removes it from consents. */
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
