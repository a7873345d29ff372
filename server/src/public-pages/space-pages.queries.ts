import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'

/** A space with a public page. */
export interface PublishedSpace {
  spaceId: number
  slug: string
  name: string
  /** Changes with the logo; null if the space has none. */
  logoVersion: string | null
  publishedAt: Date
  /** The origins whose pages may show the board in a frame; null allows all. */
  embedOrigins: string[] | null
}

const published = (kysely: Kysely<DB>) =>
  kysely
    .selectFrom('space_pages as p')
    .innerJoin('spaces as s', 's.space_id', 'p.space_id')
    .select([
      'p.space_id as spaceId',
      'p.slug',
      's.name',
      's.logo_version as logoVersion',
      'p.published_at as publishedAt',
      'p.embed_origins as embedOrigins',
    ])

export async function findPageBySlug(kysely: Kysely<DB>, slug: string): Promise<PublishedSpace | undefined> {
  return published(kysely).where('p.slug', '=', slug).executeTakeFirst()
}

export async function findPageOfSpace(kysely: Kysely<DB>, spaceId: number): Promise<PublishedSpace | undefined> {
  return published(kysely).where('p.space_id', '=', spaceId).executeTakeFirst()
}

/** The logo of a published space, a PNG file. */
export async function findLogoBySlug(kysely: Kysely<DB>, slug: string): Promise<Buffer | undefined> {
  const row = await kysely
    .selectFrom('space_pages as p')
    .innerJoin('spaces as s', 's.space_id', 'p.space_id')
    .select('s.logo')
    .where('p.slug', '=', slug)
    .executeTakeFirst()
  return row?.logo ?? undefined
}

/** The slug of each given space that has a public page, by space id. */
export async function readSlugs(kysely: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, string>> {
  if (spaceIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('space_pages')
    .select(['space_id', 'slug'])
    .where('space_id', 'in', spaceIds)
    .execute()
  return new Map(rows.map((row) => [row.space_id, row.slug]))
}

/** The number of members on the overall board of each given space that has one, by space id. */
export async function countMembers(kysely: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, number>> {
  if (spaceIds.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('boards')
    .select(['space_id', 'member_count'])
    .where('space_id', 'in', spaceIds)
    .where('sprint_id', '=', 0)
    .execute()
  return new Map(rows.map((row) => [row.space_id, row.member_count]))
}

/** All public pages, oldest first. */
export async function listPages(kysely: Kysely<DB>, limit: number): Promise<PublishedSpace[]> {
  return published(kysely).orderBy('p.published_at').orderBy('p.space_id').limit(limit).execute()
}

/** Publishes a space, or changes its slug. @returns false if another space has the slug */
export async function storePage(
  transaction: Transaction<DB>,
  { spaceId, slug, publishedAt }: Pick<PublishedSpace, 'spaceId' | 'slug' | 'publishedAt'>,
): Promise<boolean> {
  const other = await transaction
    .selectFrom('space_pages')
    .select('space_id')
    .where('slug', '=', slug)
    .where('space_id', '!=', spaceId)
    .forUpdate()
    .executeTakeFirst()
  if (other) return false
  await transaction
    .insertInto('space_pages')
    .values({ space_id: spaceId, slug, published_at: publishedAt })
    .onConflict((conflict) => conflict.column('space_id').doUpdateSet({ slug }))
    .execute()
  return true
}

/** @returns false if the space has no public page */
export async function storeEmbedOrigins(
  transaction: Transaction<DB>,
  spaceId: number,
  origins: string[] | null,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('space_pages')
    .set({ embed_origins: origins })
    .where('space_id', '=', spaceId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns whether the space had a public page */
export async function deletePage(transaction: Transaction<DB>, spaceId: number): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('space_pages')
    .where('space_id', '=', spaceId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export interface SprintPeriod {
  sprintId: number
  name: string
  startTime: Date | null
  endTime: Date | null
}

const sprintsOf = (kysely: Kysely<DB>, spaceId: number) =>
  kysely
    .selectFrom('sprints')
    .select(['sprint_id as sprintId', 'name', 'start_time as startTime', 'end_time as endTime'])
    .where('space_id', '=', spaceId)

export async function findSprint(
  kysely: Kysely<DB>,
  spaceId: number,
  sprintId: number,
): Promise<SprintPeriod | undefined> {
  return sprintsOf(kysely, spaceId).where('sprint_id', '=', sprintId).executeTakeFirst()
}

export async function listNewestSprints(kysely: Kysely<DB>, spaceId: number, limit: number): Promise<SprintPeriod[]> {
  return sprintsOf(kysely, spaceId)
    .orderBy('start_time', (order) => order.desc().nullsLast())
    .orderBy('sprint_id', 'desc')
    .limit(limit)
    .execute()
}

export interface PastRank {
  address: string
  /** YYYY-MM-DD, UTC. */
  day: string
  rank: number
}

/** Returns the daily ranks of these members from the day `since` on, oldest first. */
export async function readRanksSince(
  kysely: Kysely<DB>,
  { spaceId, sprintId }: { spaceId: number; sprintId: number },
  addresses: readonly string[],
  since: string,
): Promise<PastRank[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<PastRank>`
    SELECT address, day::text, rank FROM rank_days
    WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND address = ANY(${addresses}::text[]) AND day >= ${since}::date
    ORDER BY rank_days.day`.execute(kysely)
  return rows
}

/**
 * Returns the IDs of the given quests that the address has completed. Sends one statement per quest: on a Citus
 * cluster each of them then runs on one node, which has all participants of the quest.
 */
export async function readCompletedQuests(
  kysely: Kysely<DB>,
  questIds: readonly string[],
  address: string,
): Promise<Set<string>> {
  const found = await Promise.all(
    questIds.map((id) =>
      kysely
        .selectFrom('quest_participants')
        .select('quest_id')
        .where('quest_id', '=', id)
        .where('address', '=', address)
        .executeTakeFirst(),
    ),
  )
  return new Set(found.flatMap((row) => row?.quest_id ?? []))
}
