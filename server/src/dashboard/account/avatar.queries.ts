import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/** The avatar of an address as boards store it (settings/uploaded-picture.ts), or ''. */
export async function findAvatar(kysely: Kysely<DB>, address: string): Promise<string> {
  const row = await kysely
    .selectFrom('profiles')
    .select(sql<string>`coalesce(own_avatar, avatar)`.as('avatar'))
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.avatar ?? ''
}

/** The avatar URL of a starboard's user, or ''. */
export async function findStarboardAvatar(kysely: Kysely<DB>, starboardId: string, username: string): Promise<string> {
  const row = await kysely
    .selectFrom('starboard_users')
    .select('profile_image_url')
    .where('starboard_id', '=', starboardId)
    .where('handle', '=', username.toLowerCase())
    .executeTakeFirst()
  return row?.profile_image_url ?? ''
}
