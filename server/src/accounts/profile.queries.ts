import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { Site } from '../settings/site.ts'
import { avatarUrl } from '../settings/uploaded-picture.ts'

/** The public profile of an account. */
export interface Profile {
  username: string
  /** A URL; '' if unset. */
  avatar: string
  isPublic: boolean
  /** Whether the avatar is a picture that this service stores. */
  isUploaded: boolean
}

/** The default is not public and without an avatar. */
export async function findProfile(
  kysely: Kysely<DB>,
  accountId: string,
  site: Pick<Site, 'issuer'>,
): Promise<Profile | undefined> {
  const row = await kysely
    .selectFrom('accounts')
    .leftJoin('account_profiles', 'account_profiles.account_id', 'accounts.account_id')
    .select(['name', 'avatar', 'is_public', sql<boolean>`avatar_image IS NOT NULL`.as('is_uploaded')])
    .where('accounts.account_id', '=', accountId)
    .executeTakeFirst()
  return (
    row && {
      username: row.name,
      avatar: avatarUrl(row.avatar ?? '', site),
      isPublic: row.is_public ?? false,
      isUploaded: row.is_uploaded,
    }
  )
}

/** @param avatar in place of the picture; undefined keeps it */
export async function storeProfile(
  transaction: Transaction<DB>,
  accountId: string,
  { avatar, isPublic }: { avatar: string | undefined; isPublic: boolean },
): Promise<void> {
  const values = { is_public: isPublic, ...(avatar !== undefined && { avatar, avatar_image: null }) }
  await transaction
    .insertInto('account_profiles')
    .values({ account_id: accountId, avatar: '', ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
}

/** Stores a picture, and its path as the avatar. */
export async function storeUploadedAvatar(
  transaction: Transaction<DB>,
  accountId: string,
  { path, picture }: { path: string; picture: Buffer },
): Promise<void> {
  const values = { avatar: path, avatar_image: picture }
  await transaction
    .insertInto('account_profiles')
    .values({ account_id: accountId, ...values, is_public: false })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
}

export async function findUploadedAvatar(kysely: Kysely<DB>, accountId: string): Promise<Buffer | undefined> {
  const row = await kysely
    .selectFrom('account_profiles')
    .select('avatar_image')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.avatar_image ?? undefined
}

/** The picture that the account with this username has uploaded, if its profile is public. */
export async function findPublicAvatar(kysely: Kysely<DB>, username: string): Promise<Buffer | undefined> {
  // PostgreSQL refuses such a text.
  if (username.includes('\0')) return undefined
  // One statement per table, because the tables have different distribution keys.
  const owner = await kysely
    .selectFrom('usernames')
    .select('account_id')
    .where('username', '=', username.toLowerCase())
    .executeTakeFirst()
  if (!owner) return undefined
  const row = await kysely
    .selectFrom('account_profiles')
    .select('avatar_image')
    .where('account_id', '=', owner.account_id)
    .where('is_public', '=', true)
    .executeTakeFirst()
  return row?.avatar_image ?? undefined
}
