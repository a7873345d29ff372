import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { passes } from '../database/passing.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'

/** The name shown for a member without a name: short and stable. */
export const shortId = (address: string) => `substr(md5(${address}), 1, 10)`

/**
 * Rows (space_id, sprint_id, address, points, username, avatar, known): the new state of members. A null name or avatar
 * of a known member does not change.
 */
export type Changes = RawBuilder<unknown>

/** A current member of a board. */
export interface Standing {
  space_id: number
  sprint_id: number
  address: string
  points: number
  username: string
  avatar: string
}

const DURABLE = `CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`

/**
 * Locks the spaces in the order of their ids, so that versions are serialized. The commit waits for the disk,
 * regardless of the server's default.
 */
export async function lockSpaces(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  // Before any lock, to avoid a deadlock between transactions that hold spaces and add new ones.
  await addVersions(trx, spaceIds)
  await sql`
    SELECT space_id, ${sql.raw(DURABLE)}
    FROM space_versions WHERE space_id = ANY(${spaceIds}::int[]) ORDER BY space_id FOR UPDATE`.execute(trx)
}

const lockOne = preparedWrite(
  'boards.lock',
  `SELECT space_id, ${DURABLE} FROM space_versions WHERE space_id = $1 FOR UPDATE`,
)

/** Locks one space, in a transaction of awards. @returns whether the space exists */
export async function lockSpace(trx: Kysely<DB>, spaceId: number): Promise<boolean> {
  if ((await lockOne(trx, [spaceId])).length > 0) return true
  await addVersions(trx, [spaceId])
  return (await lockOne(trx, [spaceId])).length > 0
}

async function addVersions(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  await sql`
    INSERT INTO space_versions (space_id)
    SELECT space_id FROM spaces s
    WHERE space_id = ANY(${spaceIds}::int[]) AND NOT EXISTS (SELECT FROM space_versions v WHERE v.space_id = s.space_id)
    ORDER BY space_id ON CONFLICT DO NOTHING`.execute(trx)
}

/** The existing sprints among `sprintIds`. */
export async function knownSprints(
  trx: Kysely<DB>,
  spaceId: number,
  sprintIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ sprint_id: number }>`
    SELECT sprint_id FROM sprints
    WHERE space_id = ${spaceId} AND sprint_id = ANY(${numberArray(sprintIds)}::int[])`.execute(trx)
  return new Set(rows.map((row) => row.sprint_id))
}

/** The name in a member's profile; empty fields are not set. */
export interface Name {
  username: string
  avatar: string
}

/** The profiles of the addresses. A separate statement, because profiles are not distributed by space. */
export async function namesOf(trx: Kysely<DB>, addresses: readonly string[]): Promise<Map<string, Name>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<Name & { address: string }>`
    SELECT address, coalesce(own_username, username, '') AS username, coalesce(own_avatar, avatar) AS avatar
    FROM profiles WHERE address = ANY(${textArray(addresses)}::text[])`.execute(trx)
  return new Map(rows.map((row) => [row.address, row]))
}

export function standingsAsChanges(standings: readonly Standing[]): Changes {
  return sql`(
    SELECT *, true AS known FROM unnest(
      ${numberArray(standings.map((s) => s.space_id))}::int[], ${numberArray(standings.map((s) => s.sprint_id))}::int[],
      ${textArray(standings.map((s) => s.address))}::text[], ${numberArray(standings.map((s) => s.points))}::int[],
      ${textArray(standings.map((s) => s.username))}::text[], ${textArray(standings.map((s) => s.avatar))}::text[]
    ) AS c (space_id, sprint_id, address, points, username, avatar))`
}

/**
 * Creates the next version of each space with the changes: updates known members in place and keeps a copy of the old
 * row; inserts new members. The caller has locked the spaces, so a row found by a lookup can be updated by its ctid.
 * @param numbered the changes have a number (`line`) for progress reports (passing.ts): the statement reports each
 * written row, which are two for a known member
 */
export async function applyChanges(trx: Kysely<DB>, changes: Changes, { numbered = false } = {}): Promise<void> {
  const line = numbered ? sql`, c.line` : sql``
  const andPasses = (column: string, place?: string) => (numbered ? sql` AND ${passes(column, place)}` : sql``)
  await sql`
    WITH c AS NOT MATERIALIZED (
      SELECT * FROM ${changes} AS c
    ), v AS (
      UPDATE space_versions SET version = version + 1 WHERE space_id IN (SELECT space_id FROM c)
      RETURNING space_id, version
    ), stood AS MATERIALIZED (
      SELECT e.ctid AS place, e.space_id, e.sprint_id, e.descent, e.address, e.born, v.version, e.username, e.avatar,
             c.points AS new_points, coalesce(c.username, e.username) AS new_username,
             coalesce(c.avatar, e.avatar) AS new_avatar${line}
      FROM c JOIN v ON v.space_id = c.space_id
      JOIN board_entries e ON e.space_id = c.space_id AND e.sprint_id = c.sprint_id AND e.address = c.address
      WHERE c.known
    ), past AS (
      INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
      SELECT space_id, sprint_id, descent, address, born, version, username, avatar FROM stood
      WHERE true${andPasses('line')}
    ), changed AS (
      UPDATE board_entries e
      SET points = s.new_points, username = s.new_username, avatar = s.new_avatar, born = s.version
      FROM stood s WHERE e.space_id = s.space_id AND e.ctid = s.place${andPasses('s.line', 'e.ctid')}
    ), counted AS (
      INSERT INTO boards AS b (space_id, sprint_id, member_count)
      SELECT space_id, sprint_id, count(*) FILTER (WHERE NOT known) FROM c
      GROUP BY space_id, sprint_id ORDER BY space_id, sprint_id
      ON CONFLICT (space_id, sprint_id) DO UPDATE SET member_count = b.member_count + excluded.member_count
      WHERE excluded.member_count > 0
    )
    INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
    SELECT space_id, sprint_id, points, address, version, username, avatar FROM (
      SELECT c.space_id, c.sprint_id, c.points, c.address, v.version, c.username, c.avatar${line}
      FROM c JOIN v ON v.space_id = c.space_id WHERE NOT c.known
      ORDER BY c.space_id, c.sprint_id, c.points DESC, c.address OFFSET 0
    ) AS sorted WHERE true${andPasses('line')}`.execute(trx)
}

/** Records when the current versions became current, unless a version after `since` was recorded. */
export async function recordVersionTimes(
  kysely: Kysely<DB>,
  spaceIds: readonly number[] | 'all',
  now: Date,
  since: Date,
): Promise<void> {
  const chosen = spaceIds === 'all' ? sql`true` : sql`v.space_id = ANY(${spaceIds}::int[])`
  await sql`
    INSERT INTO space_version_times (space_id, version, recorded_at)
    SELECT v.space_id, v.version, ${now}::timestamptz FROM space_versions v
    WHERE ${chosen} AND NOT EXISTS (
      SELECT FROM space_version_times t
      WHERE t.space_id = v.space_id AND (t.version = v.version OR t.recorded_at > ${since}))
    ON CONFLICT DO NOTHING`.execute(kysely)
}

export interface Horizon {
  space_id: number
  /** The oldest version that a reader may still request. */
  version: number
}

/** For each space, the version that was current at a time. */
export async function horizons(kysely: Kysely<DB>, at: Date): Promise<Horizon[]> {
  const { rows } = await sql<Horizon>`
    SELECT space_id, max(version) AS version FROM space_version_times WHERE recorded_at <= ${at}
    GROUP BY space_id ORDER BY space_id`.execute(kysely)
  return rows
}

/** Deletes some entries that ended before the horizon; returns their number. */
export async function deletePast(kysely: Kysely<DB>, horizon: Horizon, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM board_past WHERE space_id = ${horizon.space_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM board_past
      WHERE space_id = ${horizon.space_id} AND died + 0 <= ${horizon.version} LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

export async function deleteVersionTimes(kysely: Kysely<DB>, horizon: Horizon): Promise<void> {
  await sql`
    DELETE FROM space_version_times
    WHERE space_id = ${horizon.space_id} AND version < ${horizon.version}`.execute(kysely)
}
