import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { Changes } from './boards.queries.ts'

export interface FirstMember {
  side: 'before' | 'after'
  address: string
  username: string
  points: number
}

/**
 * The first members of a board before its newest version and in it, in order. The previous rows are those that ended
 * with the newest version, found by an index, plus the unchanged ones.
 */
export async function firstMembers(
  trx: Kysely<DB>,
  board: { spaceId: number; sprintId: number; version: number; top: number },
): Promise<FirstMember[]> {
  const { spaceId, sprintId, version, top } = board
  const { rows } = await sql<FirstMember>`
    WITH ended AS MATERIALIZED (
      SELECT sprint_id, descent, address, username FROM board_past
      WHERE space_id = ${spaceId} AND died + 0 = ${version}
    )
    SELECT side, address, username, ~descent AS points FROM (
      (SELECT 'before' AS side, descent, address, username FROM (
         (SELECT descent, address, username FROM board_entries
          WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND born < ${version}
          ORDER BY descent, address LIMIT ${top})
         UNION ALL
         (SELECT descent, address, username FROM ended WHERE sprint_id = ${sprintId}
          ORDER BY descent, address LIMIT ${top})
       ) AS before ORDER BY descent, address LIMIT ${top})
      UNION ALL
      (SELECT 'after', descent, address, username FROM board_entries
       WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}
       ORDER BY descent, address LIMIT ${top})
    ) AS first ORDER BY side, descent, address`.execute(trx)
  return rows
}

/** The current rows of some members. */
export async function readCurrentEntries(
  trx: Kysely<DB>,
  spaceId: number,
  sprintId: number,
  addresses: readonly string[],
): Promise<Map<string, { username: string; points: number }>> {
  const { rows } = await sql<{ address: string; username: string; points: number }>`
    SELECT address, username, points FROM board_entries
    WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND address = ANY(${textArray(addresses)}::text[])
  `.execute(trx)
  return new Map(rows.map((row) => [row.address, row]))
}

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
  /** The number of all raised members. */
  members: number
}

/** Members whose overall total rose by at least `least`, largest raise first. */
export async function largestRaises(
  trx: Kysely<DB>,
  changes: Changes,
  spaceId: number,
  least: number,
  limit: number,
): Promise<Raise[]> {
  const { rows } = await sql<Raise>`
    SELECT c.address, c.username, c.points::bigint - coalesce(c.old_points, 0) AS points, c.points AS total,
           count(*) OVER () AS members
    FROM ${changes} AS c
    WHERE c.space_id = ${spaceId} AND c.sprint_id = 0 AND c.points::bigint - coalesce(c.old_points, 0) >= ${least}
    ORDER BY 3 DESC, c.address LIMIT ${limit}`.execute(trx)
  return rows
}

/** The boards of the given spaces that the changes affect. */
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
