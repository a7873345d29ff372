import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { PublishedSpace } from './space-pages.queries.ts'

export interface ListedSpace extends Pick<PublishedSpace, 'spaceId' | 'slug' | 'name' | 'logoVersion'> {
  description: string
}

/** Published spaces by id. @param after the id of the last space of the page before */
export async function listPublishedSpaces(kysely: Kysely<DB>, after: number, limit: number): Promise<ListedSpace[]> {
  return kysely
    .selectFrom('space_pages as p')
    .innerJoin('spaces as s', 's.space_id', 'p.space_id')
    .select(['p.space_id as spaceId', 'p.slug', 's.name', 's.logo_version as logoVersion'])
    .select((row) => row.fn.coalesce('s.description', row.val('')).as('description'))
    .where('p.space_id', '>', after)
    .orderBy('p.space_id')
    .limit(limit)
    .execute()
}

export interface MemberDay {
  /** YYYY-MM-DD, UTC. */
  day: string
  members: number
}

/** The recorded numbers of members of a space, oldest first. */
export async function readMemberDays(kysely: Kysely<DB>, spaceId: number, since: string): Promise<MemberDay[]> {
  const { rows } = await sql<MemberDay>`
    SELECT day::text, members FROM member_days WHERE space_id = ${spaceId} AND day >= ${since}::date
    ORDER BY member_days.day`.execute(kysely)
  return rows
}
