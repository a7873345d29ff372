import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

const usedIn = ['consents', 'authorizations', 'authorization_codes', 'grants'] as const

/** Deletes copies of client metadata documents that were fetched before a time and that nobody uses. @returns how many */
export async function deleteUnusedClients(kysely: Kysely<DB>, before: Date): Promise<number> {
  const idle = await kysely
    .selectFrom('apps')
    .select('client_id')
    .where('metadata_at', '<', before)
    .where('status', '=', 'approved')
    .execute()
  const ids = new Set(idle.map(({ client_id }) => client_id))
  // Separate statements, because the tables have other distribution keys.
  for (const table of usedIn) {
    if (ids.size === 0) return 0
    const used = await kysely
      .selectFrom(table)
      .select('client_id')
      .distinct()
      .where('client_id', 'in', [...ids])
      .execute()
    for (const { client_id } of used) ids.delete(client_id)
  }
  if (ids.size === 0) return 0
  const { numDeletedRows } = await kysely
    .deleteFrom('apps')
    .where('client_id', 'in', [...ids])
    .where('metadata_at', '<', before)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
