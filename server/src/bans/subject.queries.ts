import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'

export async function namesOfSpaces(kysely: Kysely<DB>, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await kysely.selectFrom('spaces').select(['space_id', 'name']).where('space_id', 'in', ids).execute()
  return new Map(rows.map(({ space_id, name }) => [space_id, name]))
}
