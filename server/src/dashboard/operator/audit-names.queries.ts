import { type Kysely, sql } from 'kysely'
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

/** The key of each kind of object with a name, and its type. */
const keys = {
  quest: { table: 'quests', column: 'quest_id', type: sql`text[]` },
  credential: { table: 'credentials', column: 'credential_id', type: sql`bigint[]` },
  starboard: { table: 'starboards', column: 'starboard_id', type: sql`text[]` },
  app: { table: 'apps', column: 'client_id', type: sql`text[]` },
} as const

/** The names by ID. Deleted objects have none. */
export async function findObjectNames(
  kysely: Kysely<DB>,
  kind: keyof typeof keys,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {}
  const { table, column, type } = keys[kind]
  const id = sql.ref(column)
  const exists = kind === 'quest' ? sql`status <> 'Deleted'` : sql`true`
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT ${id}::text AS id, name FROM ${sql.table(table)} WHERE ${id} = ANY(${ids}::${type}) AND ${exists}`.execute(
    kysely,
  )
  return Object.fromEntries(rows.map(({ id: found, name }) => [found, name]))
}

export async function findWebhooks(
  kysely: Kysely<DB>,
  ids: readonly string[],
): Promise<{ id: string; accountId: string; url: string }[]> {
  if (ids.length === 0) return []
  return kysely
    .selectFrom('webhook_endpoints')
    .select(['endpoint_id as id', 'account_id as accountId', 'url'])
    .where('endpoint_id', 'in', ids)
    .execute()
}
