import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, textArray } from '../database/array-literal.ts'
import type { DB } from '../database/tables.ts'

/** `died` of an entry that is alive. */
const ALIVE = sql.raw('9223372036854775807')

/** What a member without a name is called: short, and the same for ever. */
const shortId = (address: string) => sql.raw(`substr(md5(${address}), 1, 10)`)

/** Rows (space_id, sprint_id, address, points, username, avatar, known): how members stand from now on. */
export type Changes = RawBuilder<unknown>

export interface Standing {
  space_id: number
  sprint_id: number
  address: string
  points: number
  username: string
  avatar: string
  /** The points until now; null for a new member. */
  before: number | null
}

/**
 * Locks the spaces in the order of their ids, so that each takes its versions one after the other. The commit waits for
 * the disk then, whatever the default of the server is. Answers how many of the spaces exist.
 */
export async function lockSpaces(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<number> {
  const lock = sql`
    SELECT space_id, CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
    FROM space_versions WHERE space_id = ANY(${spaceIds}::int[]) ORDER BY space_id FOR UPDATE`
  const { rows } = await lock.execute(trx)
  if (rows.length === spaceIds.length) return rows.length
  await sql`
    INSERT INTO space_versions (space_id)
    SELECT space_id FROM spaces WHERE space_id = ANY(${spaceIds}::int[]) ORDER BY space_id
    ON CONFLICT DO NOTHING`.execute(trx)
  return (await lock.execute(trx)).rows.length
}

/** Which of the sprints exist; sprint 0 is the overall board of a space. */
export async function knownBoards(
  trx: Kysely<DB>,
  boards: readonly { spaceId: number; sprintId: number }[],
): Promise<{ space_id: number; sprint_id: number }[]> {
  const { rows } = await sql<{ space_id: number; sprint_id: number }>`
    SELECT space_id, sprint_id
    FROM unnest(${boards.map((b) => b.spaceId)}::int[], ${boards.map((b) => b.sprintId)}::int[]) AS b (space_id, sprint_id)
    WHERE EXISTS (SELECT FROM spaces s WHERE s.space_id = b.space_id)
      AND (sprint_id = 0 OR EXISTS (
        SELECT FROM sprints s WHERE s.space_id = b.space_id AND s.sprint_id = b.sprint_id))`.execute(trx)
  return rows
}

/** How members stand when the deltas are added to what they have. */
export async function addedStandings(
  trx: Kysely<DB>,
  deltas: readonly { spaceId: number; sprintId: number; address: string; points: number }[],
): Promise<Standing[]> {
  const { rows } = await sql<Standing>`
    SELECT d.space_id, d.sprint_id, d.address, coalesce(e.points, 0) + d.delta AS points, e.points AS before,
           coalesce(p.own_username, p.username, ${shortId('d.address')}) AS username,
           coalesce(p.own_avatar, p.avatar, '') AS avatar
    FROM unnest(
      ${numberArray(deltas.map((d) => d.spaceId))}::int[], ${numberArray(deltas.map((d) => d.sprintId))}::int[],
      ${textArray(deltas.map((d) => d.address))}::text[], ${numberArray(deltas.map((d) => d.points))}::bigint[]
    ) AS d (space_id, sprint_id, address, delta)
    LEFT JOIN board_entries e ON e.space_id = d.space_id AND e.sprint_id = d.sprint_id
      AND e.address = d.address AND e.died = ${ALIVE}
    LEFT JOIN profiles p ON p.address = d.address
    ORDER BY 1, 2, 3`.execute(trx)
  return rows
}

export function standingsAsChanges(standings: readonly Standing[]): Changes {
  return sql`(
    SELECT * FROM unnest(
      ${numberArray(standings.map((s) => s.space_id))}::int[], ${numberArray(standings.map((s) => s.sprint_id))}::int[],
      ${textArray(standings.map((s) => s.address))}::text[], ${numberArray(standings.map((s) => s.points))}::int[],
      ${textArray(standings.map((s) => s.username))}::text[], ${textArray(standings.map((s) => s.avatar))}::text[],
      ${textArray(standings.map((s) => (s.before === null ? 'f' : 't')))}::boolean[]
    ) AS c (space_id, sprint_id, address, points, username, avatar, known))`
}

/**
 * Gives each space of the changes its next version, with the changes in it. The spaces must be locked. One statement:
 * the new entries wait for the count of those that died, because of each member at most one entry may be alive.
 */
export async function applyChanges(trx: Kysely<DB>, changes: Changes): Promise<void> {
  await sql`
    WITH c AS NOT MATERIALIZED (
      SELECT * FROM ${changes} AS c
    ), v AS (
      UPDATE space_versions SET version = version + 1 WHERE space_id IN (SELECT space_id FROM c)
      RETURNING space_id, version
    ), died AS (
      UPDATE board_entries e SET died = v.version FROM c JOIN v ON v.space_id = c.space_id
      WHERE c.known AND e.space_id = c.space_id AND e.sprint_id = c.sprint_id AND e.address = c.address
        AND e.died = ${ALIVE}
      RETURNING 1
    ), counted AS (
      INSERT INTO boards AS b (space_id, sprint_id, member_count)
      SELECT space_id, sprint_id, count(*) FILTER (WHERE NOT known) FROM c
      GROUP BY space_id, sprint_id ORDER BY space_id, sprint_id
      ON CONFLICT (space_id, sprint_id) DO UPDATE SET member_count = b.member_count + excluded.member_count
      WHERE excluded.member_count > 0
    )
    INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
    SELECT c.space_id, c.sprint_id, c.points, c.address, v.version, c.username, c.avatar
    FROM (SELECT count(*) FROM died) AS after_these, c JOIN v ON v.space_id = c.space_id
    ORDER BY c.space_id, c.sprint_id, c.points DESC, c.address`.execute(trx)
}

/** Notes when the current versions of the spaces became current, unless that was done for a version after `since`. */
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
  /** The oldest version that a reader may still ask for. */
  version: number
}

/** For each space with a version that was current at the time: that version, and no later one. */
export async function horizons(kysely: Kysely<DB>, at: Date): Promise<Horizon[]> {
  const { rows } = await sql<Horizon>`
    SELECT space_id, max(version) AS version FROM space_version_times WHERE recorded_at <= ${at}
    GROUP BY space_id ORDER BY space_id`.execute(kysely)
  return rows
}

/** Deletes some of the entries that were dead at the horizon already; answers how many. */
export async function deleteDeadEntries(kysely: Kysely<DB>, horizon: Horizon, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM board_entries WHERE space_id = ${horizon.space_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM board_entries
      WHERE space_id = ${horizon.space_id} AND died <= ${horizon.version} AND died < ${ALIVE} LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

export async function deleteVersionTimes(kysely: Kysely<DB>, horizon: Horizon): Promise<void> {
  await sql`
    DELETE FROM space_version_times
    WHERE space_id = ${horizon.space_id} AND version < ${horizon.version}`.execute(kysely)
}
