import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

export async function hasStarboardPage(kysely: Kysely<DB>, id: string): Promise<boolean> {
  const row = await kysely
    .selectFrom('starboard_pages')
    .select('starboard_id')
    .where('starboard_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** The ids of starboards with a public page, oldest first. */
export async function listStarboardPages(kysely: Kysely<DB>, limit: number): Promise<string[]> {
  const rows = await kysely
    .selectFrom('starboard_pages')
    .select('starboard_id')
    .orderBy('published_at')
    .orderBy('starboard_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.starboard_id)
}

/** @returns whether the starboard had no public page */
export async function storeStarboardPage(
  transaction: Transaction<DB>,
  id: string,
  publishedAt: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await transaction
    .insertInto('starboard_pages')
    .values({ starboard_id: id, published_at: publishedAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** @returns whether the starboard had a public page */
export async function deleteStarboardPage(transaction: Transaction<DB>, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('starboard_pages')
    .where('starboard_id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
