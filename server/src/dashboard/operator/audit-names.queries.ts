import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'

export interface BanSubject {
  id: string
  accountId: string | null
  address: string | null
}

export async function findBanSubjects(kysely: Kysely<DB>, banIds: readonly string[]): Promise<BanSubject[]> {
  if (banIds.length === 0) return []
  return kysely
    .selectFrom('bans')
    .select(['ban_id as id', 'account_id as accountId', 'address'])
    .where('ban_id', 'in', banIds)
    .execute()
}

export async function findFileNames(kysely: Kysely<DB>, importIds: readonly string[]): Promise<Map<string, string>> {
  if (importIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('imports')
    .select(['import_id', 'file_name'])
    .where('import_id', 'in', importIds)
    .execute()
  return new Map(rows.map(({ import_id, file_name }) => [import_id, file_name]))
}
