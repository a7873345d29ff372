import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface AccountOverview {
  accountId: string
  name: string
  createdAt: Date
  suspendedAt: Date | null
  tokens: number
  spaces: number[]
}

/** Returns all accounts, oldest first. `tokens` counts server tokens that are not revoked; `spaces` are those of the owner. */
export async function listAccounts(db: Kysely<DB>): Promise<AccountOverview[]> {
  const accounts = await db
    .selectFrom('accounts')
    .select(['account_id as accountId', 'name', 'created_at as createdAt', 'suspended_at as suspendedAt'])
    .orderBy('created_at')
    .orderBy('account_id')
    .execute()
  const tokens = await db
    .selectFrom('server_tokens')
    .select(({ fn }) => ['account_id', fn.countAll<number>().as('count')])
    .where('revoked_at', 'is', null)
    .groupBy('account_id')
    .execute()
  const spaces = await db
    .selectFrom('spaces')
    .select(['space_id', 'owner_account_id'])
    .where('owner_account_id', 'is not', null)
    .orderBy('space_id')
    .execute()
  return accounts.map((account) => ({
    ...account,
    tokens: tokens.find((row) => row.account_id === account.accountId)?.count ?? 0,
    spaces: spaces.filter((row) => row.owner_account_id === account.accountId).map((row) => row.space_id),
  }))
}

/** An account that a user can sign in to. */
export interface PersonalAccount {
  accountId: string
  name: string
  createdAt: Date
  identities: { kind: string; subject: string; username: string | null }[]
  passkeys: number
}

/** Returns the account if a user can sign in to it. Accounts that a command has created have no sign-in method. */
export async function findPersonalAccount(db: Kysely<DB>, accountId: string): Promise<PersonalAccount | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select(['account_id as accountId', 'name', 'created_at as createdAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const identities = await db
    .selectFrom('identities')
    .select(['kind', 'subject', 'username'])
    .where('account_id', '=', accountId)
    .orderBy('linked_at')
    .orderBy('kind')
    .orderBy('subject')
    .execute()
  const { passkeys } = await db
    .selectFrom('passkeys')
    .select(({ fn }) => fn.countAll<number>().as('passkeys'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return account && identities.length + passkeys > 0 ? { ...account, identities, passkeys } : undefined
}
