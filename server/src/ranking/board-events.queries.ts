import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { Changes } from './boards.queries.ts'

const ALIVE = sql.raw('9223372036854775807')

export interface WatchedBoard {
  spaceId: number
  sprintId: number
  top: number
}

export interface TopMember {
  space_id: number
  sprint_id: number
  side: 'before' | 'after'
  address: string
  username: string
  points: number
  /** What the member has now. */
  points_now: number
}

/**
 * The first members of boards before and after the newest version of their space, in the order of the board: two
 * ranges of the board's index. The space must be locked.
 */
export async function topsAroundNewest(trx: Kysely<DB>, boards: readonly WatchedBoard[]): Promise<TopMember[]> {
  const { rows } = await sql<TopMember>`
    SELECT b.space_id, b.sprint_id, t.side, t.address, t.username, t.points, t.points_now
    FROM unnest(${boards.map((b) => b.spaceId)}::int[], ${boards.map((b) => b.sprintId)}::int[],
      ${boards.map((b) => b.top)}::int[]) AS b (space_id, sprint_id, top)
    JOIN space_versions v ON v.space_id = b.space_id
    CROSS JOIN LATERAL (
      SELECT 'before' AS side, e.address, n.username, e.points, n.points AS points_now FROM (
        SELECT address, points FROM board_entries
        WHERE space_id = b.space_id AND sprint_id = b.sprint_id AND born < v.version AND died >= v.version
        ORDER BY points DESC, address LIMIT b.top) AS e
      JOIN board_entries n ON n.space_id = b.space_id AND n.sprint_id = b.sprint_id AND n.address = e.address
        AND n.died = ${ALIVE}
      UNION ALL
      (SELECT 'after', address, username, points, points FROM board_entries
       WHERE space_id = b.space_id AND sprint_id = b.sprint_id AND born <= v.version AND died > v.version
       ORDER BY points DESC, address LIMIT b.top)
    ) AS t
    ORDER BY b.space_id, b.sprint_id, t.side, t.points DESC, t.address`.execute(trx)
  return rows
}

/** The newest versions of spaces. */
export async function newestVersions(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ space_id: number; version: number }>`
    SELECT space_id, version FROM space_versions WHERE space_id = ANY(${spaceIds}::int[])`.execute(trx)
  return new Map(rows.map((row) => [row.space_id, row.version]))
}

export interface Raise {
  address: string
  username: string
  points: number
  total: number
  /** How many members were raised in all. */
  members: number
}

/**
 * Members whose overall total the changes raised by at least `least`, the largest raise first. After applyChanges: what
 * was until then is the entry that died with the newest version.
 */
export async function largestRaises(
  trx: Kysely<DB>,
  changes: Changes,
  spaceId: number,
  least: number,
  limit: number,
): Promise<Raise[]> {
  const { rows } = await sql<Raise>`
    SELECT c.address, c.username, c.points::bigint - coalesce(e.points, 0) AS points, c.points AS total,
           count(*) OVER () AS members
    FROM ${changes} AS c JOIN space_versions v ON v.space_id = c.space_id
    LEFT JOIN board_entries e ON e.space_id = c.space_id AND e.sprint_id = 0 AND e.address = c.address
      AND e.died = v.version
    WHERE c.space_id = ${spaceId} AND c.sprint_id = 0 AND c.points::bigint - coalesce(e.points, 0) >= ${least}
    ORDER BY 3 DESC, c.address LIMIT ${limit}`.execute(trx)
  return rows
}

/** The boards of these spaces in which the changes are. */
export async function changedBoards(
  trx: Kysely<DB>,
  changes: Changes,
  spaceIds: readonly number[],
): Promise<{ space_id: number; sprint_id: number }[]> {
  const { rows } = await sql<{ space_id: number; sprint_id: number }>`
    SELECT DISTINCT space_id, sprint_id FROM ${changes} AS c WHERE space_id = ANY(${spaceIds}::int[])
    ORDER BY space_id, sprint_id`.execute(trx)
  return rows
}
