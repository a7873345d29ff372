import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { LedgerSource } from './ledger.ts'

/** An award whose points become available, or expire, at `due`. */
export interface TimedAward {
  /** The position of its ledger entry. */
  position: number
  sprintId: number
  address: string
  available: boolean
  due: Date
}

/** Schedules the next changes of awards that were entered at the newest version of a space. */
export async function scheduleAwards(
  trx: Kysely<DB>,
  spaceId: number,
  awards: readonly TimedAward[],
  now: Date,
): Promise<void> {
  if (awards.length === 0) return
  await sql`
    INSERT INTO timed_awards (space_id, version, position, entered_at, sprint_id, address, available, due_at)
    SELECT v.space_id, v.version, a.position, ${now}::timestamptz, a.sprint_id, a.address, a.available, a.due_at
    FROM space_versions v CROSS JOIN unnest(
      ${numberArray(awards.map(({ position }) => position))}::int[],
      ${numberArray(awards.map(({ sprintId }) => sprintId))}::int[],
      ${textArray(awards.map(({ address }) => address))}::text[],
      ${`{${awards.map(({ available }) => available).join(',')}}`}::boolean[],
      ${textArray(awards.map(({ due }) => due.toISOString()))}::timestamptz[]
    ) AS a (position, sprint_id, address, available, due_at)
    WHERE v.space_id = ${spaceId}`.execute(trx)
}

/** The spaces in which awards of a member will still change points. */
export async function spacesOfTimedAwards(kysely: Kysely<DB>, address: string): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT DISTINCT t.space_id AS "spaceId" FROM spaces s JOIN timed_awards t ON t.space_id = s.space_id
    WHERE t.address = ${address} ORDER BY 1`.execute(kysely)
  return rows.map(({ spaceId }) => spaceId)
}

/**
 * Ends the later changes of an erased member in a locked space, in a new version. The entry takes back the points that
 * were not available yet.
 */
export async function cancelTimedAwards(trx: Kysely<DB>, spaceId: number, address: string, now: Date): Promise<void> {
  await sql`UPDATE space_versions SET version = version + 1 WHERE space_id = ${spaceId}`.execute(trx)
  await sql`
    INSERT INTO ledger_entries (space_id, version, entered_at, position, sprint_id, address, source, pending)
    SELECT v.space_id, v.version, ${now}::timestamptz, 1, 0, ${address}, ${'erasure' satisfies LedgerSource}, -(
      SELECT coalesce(sum(e.pending), 0) FROM timed_awards t JOIN ledger_entries e
        ON e.space_id = t.space_id AND e.version = t.version AND e.position = t.position AND e.entered_at = t.entered_at
      WHERE t.space_id = ${spaceId} AND e.space_id = ${spaceId} AND t.address = ${address} AND NOT t.available)
    FROM space_versions v WHERE v.space_id = ${spaceId}`.execute(trx)
  await sql`DELETE FROM timed_awards WHERE space_id = ${spaceId} AND address = ${address}`.execute(trx)
}

/** The spaces with changes that are due, longest overdue first. */
export async function dueSpaces(kysely: Kysely<DB>, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ spaceId: number }>`
    SELECT space_id AS "spaceId" FROM timed_awards WHERE due_at <= ${now}
    GROUP BY space_id ORDER BY min(due_at) LIMIT ${limit}`.execute(kysely)
  return rows.map(({ spaceId }) => spaceId)
}

export interface DueAward extends Omit<TimedAward, 'due'> {
  version: number
  points: number
  reason: string | null
  expiresAt: Date | null
}

/** The next changes that are due, in order. The caller has locked the space. */
export async function dueAwards(trx: Kysely<DB>, spaceId: number, now: Date, limit: number): Promise<DueAward[]> {
  const { rows } = await sql<DueAward>`
    SELECT t.version, t.position, t.sprint_id AS "sprintId", t.address, t.available, e.reason,
           e.expires_at AS "expiresAt", coalesce(e.pending, e.points_after::bigint - coalesce(e.points_before, 0)) AS points
    FROM timed_awards t JOIN ledger_entries e
      ON e.space_id = t.space_id AND e.version = t.version AND e.position = t.position AND e.entered_at = t.entered_at
    WHERE t.space_id = ${spaceId} AND e.space_id = ${spaceId} AND t.due_at <= ${now}
    ORDER BY t.due_at, t.version, t.position LIMIT ${limit}`.execute(trx)
  return rows
}

/** Sets the next change of each award. */
export async function reschedule(
  trx: Kysely<DB>,
  spaceId: number,
  awards: readonly { version: number; position: number; available: boolean; due: Date }[],
): Promise<void> {
  if (awards.length === 0) return
  await sql`
    UPDATE timed_awards t SET due_at = a.due_at, available = a.available
    FROM unnest(
      ${numberArray(awards.map(({ version }) => version))}::bigint[],
      ${numberArray(awards.map(({ position }) => position))}::int[],
      ${`{${awards.map(({ available }) => available).join(',')}}`}::boolean[],
      ${textArray(awards.map(({ due }) => due.toISOString()))}::timestamptz[]
    ) AS a (version, position, available, due_at)
    WHERE t.space_id = ${spaceId} AND t.version = a.version AND t.position = a.position`.execute(trx)
}

export async function unschedule(
  trx: Kysely<DB>,
  spaceId: number,
  places: readonly { version: number; position: number }[],
): Promise<void> {
  if (places.length === 0) return
  await sql`
    DELETE FROM timed_awards t USING unnest(
      ${numberArray(places.map(({ version }) => version))}::bigint[],
      ${numberArray(places.map(({ position }) => position))}::int[]
    ) AS a (version, position)
    WHERE t.space_id = ${spaceId} AND t.version = a.version AND t.position = a.position`.execute(trx)
}
