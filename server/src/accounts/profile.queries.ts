import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** The public profile of an account. */
export interface Profile {
  username: string
  /** '' if unset. */
  avatar: string
  isPublic: boolean
}

/** The default is not public and without an avatar. */
export async function findProfile(kysely: Kysely<DB>, accountId: string): Promise<Profile | undefined> {
  const row = await kysely
    .selectFrom('accounts')
    .leftJoin('account_profiles', 'account_profiles.account_id', 'accounts.account_id')
    .select(['name', 'avatar', 'is_public'])
    .where('accounts.account_id', '=', accountId)
    .executeTakeFirst()
  return row && { username: row.name, avatar: row.avatar ?? '', isPublic: row.is_public ?? false }
}

export async function storeProfile(
  transaction: Transaction<DB>,
  accountId: string,
  { avatar, isPublic }: Omit<Profile, 'username'>,
): Promise<void> {
  const values = { avatar, is_public: isPublic }
  await transaction
    .insertInto('account_profiles')
    .values({ account_id: accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
}
