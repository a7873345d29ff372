import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** What a list of Explore shows of one thing. */
export interface Entry {
  id: string
  name: string
}

const idColumns = { spaces: 'space_id', starboards: 'starboard_id', credentials: 'credential_id' } as const

/** What an account owns of a kind, or all that there is, in the order of ids. */
export async function listEntries(
  kysely: Kysely<DB>,
  table: keyof typeof idColumns,
  { ownerAccountId, limit }: { ownerAccountId: string | undefined; limit: number },
): Promise<Entry[]> {
  const id = sql.ref(idColumns[table])
  const owned = ownerAccountId === undefined ? sql`true` : sql`owner_account_id = ${ownerAccountId}`
  const { rows } = await sql<Entry>`
    SELECT ${id}::text AS id, name FROM ${sql.table(table)} WHERE ${owned} ORDER BY ${id} LIMIT ${limit}`.execute(
    kysely,
  )
  return rows
}

export interface Sprint {
  sprintId: number
  name: string
  startTime: Date | null
  endTime: Date | null
}

/** The sprints of a space, newest first; undefined when there is no such space. */
export async function listSprints(kysely: Kysely<DB>, spaceId: number): Promise<Sprint[] | undefined> {
  const space = await kysely.selectFrom('spaces').select('space_id').where('space_id', '=', spaceId).executeTakeFirst()
  if (!space) return undefined
  return kysely
    .selectFrom('sprints')
    .select(['sprint_id as sprintId', 'name', 'start_time as startTime', 'end_time as endTime'])
    .where('space_id', '=', spaceId)
    .orderBy('start_time', (order) => order.desc().nullsLast())
    .orderBy('sprint_id', 'desc')
    .execute()
}
