import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { shortId as shortIdOf } from '../ranking/boards.queries.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { accountMay } from '../teams/roles.queries.ts'
import { endOf, matchesWords } from './words.ts'

export interface Found {
  id: string
  name: string
}

const idColumns = { spaces: 'space_id', starboards: 'starboard_id', credentials: 'credential_id' } as const
type NamedTable = keyof typeof idColumns

/** Objects with this id, then those with words that begin so, by name. */
export async function findNamed(
  kysely: Kysely<DB>,
  table: NamedTable,
  search: string,
  limit: number,
): Promise<Found[]> {
  const id = sql.ref(idColumns[table])
  const words = matchesWords('name', search) ?? sql`false`
  const isId = idMatches(table, search)
  const { rows } = await sql<Found>`
    SELECT id, name FROM (
      (SELECT ${id}::text AS id, name, 0 AS place FROM ${sql.table(table)} WHERE ${isId})
      UNION ALL
      (SELECT ${id}::text, name, 1 FROM ${sql.table(table)} WHERE ${words} AND NOT (${isId})
       ORDER BY length(name), name, ${id} LIMIT ${limit})
    ) AS found ORDER BY place, length(name), name, id LIMIT ${limit}`.execute(kysely)
  return rows
}

/** Compares an id without a conversion that fails for other texts. */
function idMatches(table: NamedTable, search: string) {
  if (table === 'starboards') return sql`starboard_id = ${search}`
  if (!isCredentialId(search)) return sql`false`
  return table === 'spaces'
    ? sql`space_id = ${Number(search) <= 2_147_483_647 ? Number(search) : 0}`
    : sql`credential_id = ${search}::bigint`
}

export interface FoundQuest extends Found {
  spaceId: number
  spaceName: string
  status: string
  loyaltyPoints: number
  participantsCount: number
  endTime: Date | null
  /** Why members have no page for the quest: it is a draft, or private and the account is not in its team. */
  hidden: 'draft' | 'private' | null
}

interface FindQuestsOptions {
  accountId: string
  status?: string | undefined
  drafts?: 'team' | 'all'
  limit: number
}

/**
 * Quests that an account may see: public ones, and those of spaces in whose team it is.
 * @param status a status of quests; undefined for all but drafts and deleted ones
 * @param drafts also finds drafts: `team` those of spaces in whose team the account is, `all` all, with all private quests
 */
export async function findQuests(
  kysely: Kysely<DB>,
  search: string,
  { accountId, status, drafts, limit }: FindQuestsOptions,
): Promise<FoundQuest[]> {
  const words = matchesWords('q.name', search) ?? sql`false`
  const ofTeam = accountMay('view', 's', sql`${accountId}::uuid`)
  const columns = sql`q.quest_id AS id, q.name, q.space_id AS "spaceId", s.name AS "spaceName", q.status,
    q.loyalty_points AS "loyaltyPoints", q.participants_count AS "participantsCount", q.end_time AS "endTime",
    CASE WHEN q.status = 'Draft' THEN 'draft' WHEN q.is_private AND ${ofTeam} IS NOT TRUE THEN 'private' END AS hidden`
  const mayEdit = drafts === 'all' ? sql`true` : ofTeam
  const published = status === undefined ? sql`q.status NOT IN ('Draft', 'Deleted')` : sql`q.status = ${status}`
  const wanted = drafts === undefined ? published : sql`(${published} OR q.status = 'Draft' AND ${mayEdit})`
  const visible = sql`${wanted} AND (NOT q.is_private OR ${mayEdit})`
  const { rows } = await sql<FoundQuest>`
    SELECT id, name, "spaceId", "spaceName", status, "loyaltyPoints", "participantsCount", "endTime", hidden FROM (
      (SELECT ${columns}, 0 AS place FROM quests q JOIN spaces s ON s.space_id = q.space_id
       WHERE q.quest_id = ${search} AND ${visible})
      UNION ALL
      (SELECT ${columns}, 1 FROM quests q JOIN spaces s ON s.space_id = q.space_id
       WHERE ${words} AND q.quest_id <> ${search} AND ${visible}
       ORDER BY length(q.name), q.name, q.quest_id LIMIT ${limit})
    ) AS found ORDER BY place, length(name), name, id LIMIT ${limit}`.execute(kysely)
  return rows
}

export interface Named {
  address: string
  username: string
}

/** Members whose shown name begins so, ignoring case. */
export async function findNames(kysely: Kysely<DB>, beginning: string, limit: number): Promise<Named[]> {
  const key = sql`lower(coalesce(own_username, username)) COLLATE "C"`
  const name = beginning.toLowerCase()
  const { rows } = await sql<Named>`
    SELECT address, coalesce(own_username, username) AS username FROM profiles
    WHERE coalesce(own_username, username) IS NOT NULL AND ${key} >= ${name} AND ${key} < ${endOf(name)}
    ORDER BY ${key}, address LIMIT ${limit}`.execute(kysely)
  return rows
}

/** The addresses of members with this shown name, ignoring case. */
export async function findNamesakes(kysely: Kysely<DB>, name: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT address FROM profiles
    WHERE coalesce(own_username, username) IS NOT NULL
      AND lower(coalesce(own_username, username)) COLLATE "C" = ${name.toLowerCase()}
    ORDER BY address LIMIT ${limit}`.execute(kysely)
  return rows.map((row) => row.address)
}

/** Spaces in whose team an account is. */
export async function ownSpaces(kysely: Kysely<DB>, accountId: string, limit: number): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT space_id FROM spaces WHERE ${accountMay('view', 'spaces', sql`${accountId}::uuid`)}
    ORDER BY space_id LIMIT ${limit}`.execute(kysely)
  return rows.map((row) => row.space_id)
}

/** The spaces with the most members. */
export async function largestSpaces(kysely: Kysely<DB>, limit: number): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT space_id FROM boards WHERE sprint_id = 0 AND member_count > 0
    ORDER BY member_count DESC, space_id LIMIT ${limit}`.execute(kysely)
  return rows.map((row) => row.space_id)
}

export interface FoundMember extends Named {
  spaceId: number
  /** URL of the picture; empty if not set. */
  avatar: string
  points: number
}

/** The members with a beginning of an address that are compared by points. A beginning can match a whole board. */
const MAX_CANDIDATES = 1_000

interface WantedMembers {
  addresses: readonly string[]
  beginnings: readonly string[]
  /** Checks this number of the best members, too. Otherwise many matches with few points could hide one of them. */
  best?: { count: number; name?: string | undefined } | undefined
  limit: number
  /** Default: the overall board. */
  sprintId?: number | undefined
}

/**
 * The members of a board with one of the given addresses, with a given beginning, or with a name among the best; most
 * points first. Among members that are not the best, the first 1,000 of each beginning are compared.
 */
export async function findMembers(
  kysely: Kysely<DB>,
  spaceId: number,
  { addresses, beginnings, best, limit, sprintId = 0 }: WantedMembers,
): Promise<FoundMember[]> {
  const columns = sql`space_id AS "spaceId", address, username, avatar, ~descent AS points`
  const board = sql`space_id = ${spaceId} AND sprint_id = ${sprintId}`
  const beginsSo = beginnings.map(
    (text) => sql<boolean>`(address >= ${text} COLLATE "C" AND address < ${endOf(text)} COLLATE "C")`,
  )
  const parts = [
    { condition: sql`address = ANY(${addresses}::text[])`, count: addresses.length },
    ...beginsSo.map((condition) => ({ condition, count: MAX_CANDIDATES })),
  ].map(
    // Only the primary key has this order, so that the planner does not read the whole board in the order of ranks.
    ({ condition, count }) => sql`
      (SELECT ${columns} FROM board_entries WHERE ${board} AND ${condition} ORDER BY address LIMIT ${count})`,
  )
  const ofBest = [...beginsSo, ...(best?.name === undefined ? [] : [isNamed(best.name)])]
  if (best && ofBest.length > 0)
    parts.push(sql`
      (SELECT ${columns} FROM (
         SELECT space_id, address, username, avatar, descent FROM board_entries WHERE ${board}
         ORDER BY descent, address LIMIT ${best.count}) AS best
       WHERE ${sql.join(ofBest, sql` OR `)} ORDER BY descent, address LIMIT ${limit})`)
  const { rows } = await sql<FoundMember>`
    SELECT * FROM (${sql.join(parts, sql` UNION `)}) AS found
    ORDER BY points DESC, address LIMIT ${limit}`.execute(kysely)
  return rows
}

/** Whether the name on a board begins so, ignoring case. A short ID in place of a missing name is not a name. */
function isNamed(beginning: string) {
  const key = sql`lower(username) COLLATE "C"`
  const name = beginning.toLowerCase()
  return sql<boolean>`(${key} >= ${name} AND ${key} < ${endOf(name)} AND username <> ${sql.raw(shortIdOf('address'))})`
}

/** The best members of a board among whom a short ID is looked up. No index has short IDs. */
const MAX_SCANNED = 100_000

interface MembersOfShortId {
  addresses: string[]
  /** False if the board has more members than were looked at. */
  complete: boolean
}

interface SearchedBoard {
  spaceId: number
  /** Default: the overall board. */
  sprintId?: number | undefined
}

/** Exported for its test. */
export const shortIdQuery = ({ spaceId, sprintId = 0 }: SearchedBoard, shortId: string, limit: number) => sql<{
  addresses: string[]
  scanned: number
}>`
  SELECT coalesce(array_agg(address) FILTER (
           WHERE username = ${shortId} AND ${sql.raw(shortIdOf('address'))} = ${shortId}), '{}') AS addresses,
         count(*)::int AS scanned
  FROM (SELECT address, username FROM board_entries WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}
        ORDER BY descent, address LIMIT ${limit}) AS best`

/**
 * The members to whom a board gives this short ID. Other members can choose it as their name, and do not
 * count.
 */
export async function findShortId(
  kysely: Kysely<DB>,
  board: SearchedBoard,
  shortId: string,
  limit = MAX_SCANNED,
): Promise<MembersOfShortId> {
  const { rows } = await shortIdQuery(board, shortId, limit + 1).execute(kysely)
  const { addresses = [], scanned = 0 } = rows[0] ?? {}
  return { addresses, complete: scanned <= limit }
}

export async function nameSpaces(kysely: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ space_id: number; name: string }>`
    SELECT space_id, name FROM spaces WHERE space_id = ANY(${spaceIds}::int[])`.execute(kysely)
  return new Map(rows.map((row) => [row.space_id, row.name]))
}
