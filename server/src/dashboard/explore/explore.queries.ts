import { type Kysely, type RawBuilder, sql } from 'kysely'
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

export interface PageOfKind {
  search: string
  after: string | undefined
  limit: number
}

/** The objects of a kind after the id `after`, by id; those of which each word of `search` begins a word of the name. */
function ofPage(kind: EntryKind, { search, after, limit }: PageOfKind): RawBuilder<unknown> {
  const id = sql.ref(`t.${idColumns[kind]}`)
  const behind = after === undefined ? sql`true` : sql`${id} > ${after}::text::${sql.raw(idTypes[kind])}`
  const found = search === '' ? sql`true` : (matchesWords('t.name', search) ?? sql`false`)
  return sql`WHERE ${behind} AND ${found} ORDER BY ${id} LIMIT ${limit}`
}

/** The parts of the path of the logo that everyone can read. */
interface WithLogo {
  slug: string | null
  logoVersion: string | null
}

export async function searchSpaces(kysely: Kysely<DB>, page: PageOfKind): Promise<(Entry & WithLogo)[]> {
  const { rows } = await sql<Entry & WithLogo>`
    SELECT t.space_id::text AS id, t.name, p.slug, t.logo_version AS "logoVersion"
    FROM spaces t LEFT JOIN space_pages p ON p.space_id = t.space_id
    ${ofPage('spaces', page)}`.execute(kysely)
  return rows
}

/** The number of public quests of each space that members can complete now, by space id. */
export async function countOpenQuests(kysely: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, number>> {
  if (spaceIds.length === 0) return new Map()
  const { rows } = await sql<{ spaceId: number; quests: number }>`
    SELECT space_id AS "spaceId", sum(listed)::int AS quests FROM quest_counts
    WHERE space_id = ANY(${spaceIds}::int[]) AND status = 'Active' GROUP BY space_id`.execute(kysely)
  return new Map(rows.map(({ spaceId, quests }) => [spaceId, quests]))
}

export interface ListedStarboard extends Entry {
  projectName: string
  /** Users in the current ranking. */
  users: number
}

export async function searchStarboards(kysely: Kysely<DB>, page: PageOfKind): Promise<ListedStarboard[]> {
  const { rows } = await sql<ListedStarboard>`
    SELECT t.starboard_id AS id, t.name, t.project_name AS "projectName", coalesce((
      SELECT r.user_count FROM starboard_rankings r WHERE r.starboard_id = t.starboard_id ORDER BY r.version DESC LIMIT 1
    ), 0) AS users
    FROM starboards t ${ofPage('starboards', page)}`.execute(kysely)
  return rows
}

export interface ListedCredential extends Entry, WithLogo {
  holders: number
  /** The curator; null without one. */
  spaceId: string | null
  spaceName: string | null
}

export async function searchCredentials(kysely: Kysely<DB>, page: PageOfKind): Promise<ListedCredential[]> {
  const { rows } = await sql<ListedCredential>`
    SELECT t.credential_id::text AS id, t.name, t.item_count AS holders, s.space_id::text AS "spaceId",
      s.name AS "spaceName", p.slug, s.logo_version AS "logoVersion"
    FROM credentials t LEFT JOIN spaces s ON s.space_id = t.curator_space_id
    LEFT JOIN space_pages p ON p.space_id = s.space_id
    ${ofPage('credentials', page)}`.execute(kysely)
  return rows
}

/** Those of the given spaces that have a logo which everyone can read. */
export async function findLogos(
  kysely: Kysely<DB>,
  spaceIds: readonly number[],
): Promise<{ spaceId: number; slug: string; logoVersion: string | null }[]> {
  return kysely
    .selectFrom('space_pages as p')
    .innerJoin('spaces as s', 's.space_id', 'p.space_id')
    .select(['s.space_id as spaceId', 'p.slug', 's.logo_version as logoVersion'])
    .where('s.space_id', 'in', spaceIds)
    .where('s.logo_version', 'is not', null)
    .execute()
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
