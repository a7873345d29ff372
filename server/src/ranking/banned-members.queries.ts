import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import type { Name } from './boards.queries.ts'

/** In a statement about the space $1: whether it has bans, or points of members whose ban has just ended. */
export const HAS_BANS = `(EXISTS (SELECT FROM ban_addresses WHERE space_id IN (0, $1))
  OR EXISTS (SELECT FROM banned_entries WHERE space_id = $1))`

export interface BoardMember {
  sprintId: number
  address: string
}

const bannedOf = preparedWrite<{ place: number; points: number | null }>(
  'awards.banned',
  `SELECT m.place::int, b.points FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS m (sprint_id, address, place)
   LEFT JOIN banned_entries b ON b.space_id = $1 AND b.sprint_id = m.sprint_id AND b.address = m.address
   WHERE b.points IS NOT NULL
     OR EXISTS (SELECT FROM ban_addresses a WHERE a.space_id IN (0, $1) AND a.address = m.address)`,
)

/**
 * The banned members among `members`, by their position: their points while they are not on the board; null if they
 * have none. The caller has locked the space.
 */
export async function bannedAmong(
  trx: Kysely<DB>,
  spaceId: number,
  members: readonly BoardMember[],
): Promise<Map<number, number | null>> {
  const sprints = numberArray(members.map(({ sprintId }) => sprintId))
  const rows = await bannedOf(trx, [spaceId, sprints, textArray(members.map(({ address }) => address))])
  return new Map(rows.map(({ place, points }) => [place - 1, points]))
}

const keep = preparedWrite(
  'awards.keep-banned',
  `INSERT INTO banned_entries (space_id, sprint_id, address, points)
   SELECT v.space_id, c.sprint_id, c.address, c.points FROM space_versions v
   CROSS JOIN unnest($2::int[], $3::text[], $4::int[]) AS c (sprint_id, address, points) WHERE v.space_id = $1
   ON CONFLICT (space_id, sprint_id, address) DO UPDATE SET points = excluded.points`,
)

/** Stores the points of banned members. The caller has locked the space. */
export async function keepPoints(
  trx: Kysely<DB>,
  spaceId: number,
  members: readonly (BoardMember & { points: number })[],
): Promise<void> {
  await keep(trx, [
    spaceId,
    numberArray(members.map(({ sprintId }) => sprintId)),
    textArray(members.map(({ address }) => address)),
    numberArray(members.map(({ points }) => points)),
  ])
}

/** The members among the addresses who are banned, and the points on the overall board that return when the ban ends. */
export async function findBannedMembers(
  kysely: Kysely<DB>,
  spaceId: number,
  { addresses, limit }: { addresses: readonly string[]; limit: number },
): Promise<{ address: string; points: number }[]> {
  const { rows } = await sql<{ address: string; points: number }>`
    SELECT address, points FROM banned_entries
    WHERE space_id = ${spaceId} AND sprint_id = 0 AND address = ANY(${addresses}::text[])
    ORDER BY points DESC LIMIT ${limit}`.execute(kysely)
  return rows
}

export interface MisplacedMember extends BoardMember {
  spaceId: number
  points: number
  /** True for a member on a board; false for a member that is not banned and not on its board. */
  banned: boolean
}

/** The members among these addresses that a ban or its end moves from or to a board. */
export async function misplacedMembers(
  trx: Kysely<DB>,
  addresses: readonly string[],
  spaceIds?: readonly number[],
): Promise<MisplacedMember[]> {
  const within = (column: string) =>
    spaceIds === undefined ? sql`true` : sql`${sql.ref(column)} = ANY(${numberArray(spaceIds)}::int[])`
  // Two statements, because a cluster can send each of them to the nodes unchanged.
  const banned = await sql<MisplacedMember>`
    SELECT DISTINCT e.space_id AS "spaceId", e.sprint_id AS "sprintId", e.address, e.points, true AS banned
    FROM ban_addresses a JOIN boards b ON a.space_id IN (0, b.space_id)
    JOIN board_entries e ON e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = a.address
    WHERE a.address = ANY(${textArray(addresses)}::text[]) AND ${within('b.space_id')}`.execute(trx)
  const kept = await sql<MisplacedMember>`
    SELECT h.space_id AS "spaceId", h.sprint_id AS "sprintId", h.address, h.points, false AS banned
    FROM banned_entries h
    WHERE h.address = ANY(${textArray(addresses)}::text[]) AND ${within('h.space_id')} AND NOT EXISTS (
      SELECT FROM ban_addresses a WHERE a.space_id IN (0, h.space_id) AND a.address = h.address)`.execute(trx)
  return [...banned.rows, ...kept.rows]
}

/** Creates the next version of a locked space. */
export async function createVersion(trx: Kysely<DB>, spaceId: number): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    UPDATE space_versions SET version = version + 1 WHERE space_id = ${spaceId} RETURNING version`.execute(trx)
  return rows[0]?.version ?? 0
}

const listed = (members: readonly BoardMember[]) => sql`
  unnest(${numberArray(members.map(({ sprintId }) => sprintId))}::int[],
    ${textArray(members.map(({ address }) => address))}::text[]) AS m (sprint_id, address)`

/** Moves members from the boards of a locked space, which readers of versions before `version` still see. */
export async function takeFromBoards(
  trx: Kysely<DB>,
  spaceId: number,
  version: number,
  members: readonly BoardMember[],
): Promise<void> {
  await sql`
    INSERT INTO banned_entries (space_id, sprint_id, address, points)
    SELECT e.space_id, e.sprint_id, e.address, e.points FROM ${listed(members)}
    JOIN board_entries e ON e.space_id = ${spaceId} AND e.sprint_id = m.sprint_id AND e.address = m.address`.execute(
    trx,
  )
  await sql`
    INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
    SELECT e.space_id, e.sprint_id, e.descent, e.address, e.born, ${version}::bigint, e.username, e.avatar
    FROM ${listed(members)}
    JOIN board_entries e ON e.space_id = ${spaceId} AND e.sprint_id = m.sprint_id AND e.address = m.address`.execute(
    trx,
  )
  await sql`
    DELETE FROM board_entries e USING ${listed(members)}
    WHERE e.space_id = ${spaceId} AND e.sprint_id = m.sprint_id AND e.address = m.address`.execute(trx)
}

/** Moves members back to the boards of a locked space. */
export async function returnToBoards(
  trx: Kysely<DB>,
  spaceId: number,
  version: number,
  members: readonly (BoardMember & { points: number })[],
  names: ReadonlyMap<string, Name>,
): Promise<void> {
  const shown = (part: keyof Name) => textArray(members.map(({ address }) => names.get(address)?.[part] ?? ''))
  await sql`
    INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
    SELECT v.space_id, m.sprint_id, m.points, m.address, ${version}::bigint,
           coalesce(nullif(m.username, ''), substr(md5(m.address), 1, 10)), m.avatar
    FROM space_versions v CROSS JOIN unnest(
      ${numberArray(members.map(({ sprintId }) => sprintId))}::int[],
      ${textArray(members.map(({ address }) => address))}::text[],
      ${numberArray(members.map(({ points }) => points))}::int[], ${shown('username')}::text[], ${shown('avatar')}::text[]
    ) AS m (sprint_id, address, points, username, avatar)
    WHERE v.space_id = ${spaceId}`.execute(trx)
  await sql`
    DELETE FROM banned_entries h USING ${listed(members)}
    WHERE h.space_id = ${spaceId} AND h.sprint_id = m.sprint_id AND h.address = m.address`.execute(trx)
}

/** Records the members that left or joined the boards of a locked space, for readers of changes. */
export async function noteMoved(
  trx: Kysely<DB>,
  spaceId: number,
  version: number,
  moved: readonly BoardMember[],
): Promise<void> {
  await sql`
    INSERT INTO other_board_changes (space_id, version, position, sprint_id, address)
    SELECT v.space_id, ${version}::bigint, m.position, m.sprint_id, m.address
    FROM space_versions v CROSS JOIN unnest(
      ${numberArray(moved.map(({ sprintId }) => sprintId))}::int[], ${textArray(moved.map(({ address }) => address))}::text[]
    ) WITH ORDINALITY AS m (sprint_id, address, position)
    WHERE v.space_id = ${spaceId}`.execute(trx)
}

/** Adds to the member counts of the boards of a space, and records the changes of points for exact ranks. */
export async function countMoved(trx: Kysely<DB>, spaceId: number, moved: readonly MisplacedMember[]): Promise<void> {
  const byBoard = Map.groupBy(moved, ({ sprintId }) => sprintId)
  const sprints = [...byBoard.keys()]
  const added = sprints.map((sprintId) =>
    (byBoard.get(sprintId) ?? []).reduce((sum, { banned }) => sum + (banned ? -1 : 1), 0),
  )
  await sql`
    INSERT INTO boards (space_id, sprint_id, member_count)
    SELECT v.space_id, c.sprint_id, 0 FROM space_versions v
    CROSS JOIN unnest(${numberArray(sprints)}::int[]) AS c (sprint_id) WHERE v.space_id = ${spaceId}
    ON CONFLICT DO NOTHING`.execute(trx)
  await sql`
    UPDATE boards b SET member_count = b.member_count + c.added
    FROM unnest(${numberArray(sprints)}::int[], ${numberArray(added)}::int[]) AS c (sprint_id, added)
    WHERE b.space_id = ${spaceId} AND b.sprint_id = c.sprint_id`.execute(trx)
  const points = (wanted: boolean) =>
    `{${moved.map(({ banned, points: own }) => (banned === wanted ? own : 'NULL')).join(',')}}`
  await sql`
    SELECT note_changes(${spaceId}, ${numberArray(moved.map(({ sprintId }) => sprintId))}::int[],
      ${points(true)}::int[], ${points(false)}::int[])`.execute(trx)
}
