import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** What an account shows of itself on boards. */
export interface Profile {
  username: string
  /** '' when there is none. */
  avatar: string
  isPublic: boolean
}

/** Not public, and without an avatar, as long as its owner has not said otherwise. */
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
