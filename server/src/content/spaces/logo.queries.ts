import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { UploadedImage } from '../../images/uploaded-image.ts'

/** The logo of a space, a PNG file; undefined if it has none. */
export async function findLogo(kysely: Kysely<DB>, spaceId: number): Promise<Buffer | undefined> {
  const row = await kysely.selectFrom('spaces').select('logo').where('space_id', '=', spaceId).executeTakeFirst()
  return row?.logo ?? undefined
}

/** Stores a logo, or removes it. @returns whether something changed */
export async function storeLogo(
  trx: Transaction<DB>,
  spaceId: number,
  image: UploadedImage | undefined,
): Promise<boolean> {
  const version = image?.version ?? null
  const { numUpdatedRows } = await trx
    .updateTable('spaces')
    .set({ logo: image?.picture ?? null, logo_version: version })
    .where('space_id', '=', spaceId)
    .where('logo_version', 'is distinct from', version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
