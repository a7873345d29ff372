import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { matchesWords } from '../../search/words.ts'
import { accountMay } from '../../teams/roles.queries.ts'

export interface Entry {
  id: string
  name: string
}

const idColumns = { spaces: 'space_id', starboards: 'starboard_id', credentials: 'credential_id' } as const

/** The objects of a kind that an account owns, and the spaces in whose team it is, by id. */
export async function listEntries(
  kysely: Kysely<DB>,
  table: keyof typeof idColumns,
  { ownerAccountId, limit }: { ownerAccountId: string; limit: number },
): Promise<Entry[]> {
  const id = sql.ref(idColumns[table])
  const account = sql`${ownerAccountId}::uuid`
  const { rows } = await sql<Entry>`
    SELECT ${id}::text AS id, name FROM ${sql.table(table)} 
    WHERE ${table === 'spaces' ? accountMay('view', table, account) : sql`owner_account_id = ${account}`}
    ORDER BY ${id} LIMIT ${limit}`.execute(kysely)
  return rows
}

export type EntryKind = keyof typeof idColumns

const idTypes = { spaces: 'bigint', starboards: 'text', credentials: 'numeric' } as const

/** The objects of a kind after the id `after`, by id; those of which each word of `search` begins a word of the name. */
export async function searchEntries(
  kysely: Kysely<DB>,
  kind: EntryKind,
  { search, after, limit }: { search: string; after: string | undefined; limit: number },
): Promise<Entry[]> {
  const id = sql.ref(idColumns[kind])
  const behind = after === undefined ? sql`true` : sql`${id} > ${after}::text::${sql.raw(idTypes[kind])}`
  const found = search === '' ? sql`true` : (matchesWords('name', search) ?? sql`false`)
  const { rows } = await sql<Entry>`
    SELECT ${id}::text AS id, name FROM ${sql.table(kind)} WHERE ${behind} AND ${found}
    ORDER BY ${id} LIMIT ${limit}`.execute(kysely)
  return rows
}

export interface Sprint {
  sprintId: number
  name: string
  startTime: Date | null
  endTime: Date | null
}

/** The sprints of a space, newest first; undefined if the space does not exist. */
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
