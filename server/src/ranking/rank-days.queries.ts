import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface Board {
  spaceId: number
  /** 0 for the overall board. */
  sprintId: number
}

/** A member's rank at the beginning of a day. */
export interface RankDay {
  /** YYYY-MM-DD, UTC. */
  day: string
  rank: number
  points: number
}

/** Boards with members whose ranks of a day are not recorded; sprints that have ended are excluded. */
export async function unwrittenBoards(kysely: Kysely<DB>, day: string, now: Date, limit: number): Promise<Board[]> {
  const { rows } = await sql<Board>`
    SELECT b.space_id AS "spaceId", b.sprint_id AS "sprintId" FROM boards b
    LEFT JOIN rank_day_boards w USING (space_id, sprint_id)
    LEFT JOIN sprints s USING (space_id, sprint_id)
    WHERE b.member_count > 0 AND (w.day IS NULL OR w.day < ${day}::date)
      AND (s.end_time IS NULL OR w.day IS NULL OR s.end_time > ${now}::timestamptz - interval '1 day')
    ORDER BY b.space_id, b.sprint_id LIMIT ${limit}`.execute(kysely)
  return rows
}

/**
 * Records the first ranks of a board, and for a space the number of members, unless another process has done so.
 * Serialized with removals of members, so that no rank of a removed member is recorded.
 */
export async function writeRankDay(
  kysely: Kysely<DB>,
  { spaceId, sprintId }: Board,
  day: string,
  places: number,
): Promise<void> {
  await kysely.transaction().execute(async (trx) => {
    // Locked before the board is read. Awards do not wait for this lock, since they change no key of the board.
    await sql`
      SELECT FROM boards WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} FOR KEY SHARE`.execute(trx)
    await sql`
      INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
      SELECT ${spaceId}::int, ${sprintId}::int, address, ${day}::date, rank() OVER (ORDER BY descent), ~descent
      FROM (
        SELECT descent, address FROM board_entries
        WHERE space_id = ${spaceId} AND sprint_id = ${sprintId}
        ORDER BY descent, address LIMIT ${places}
      ) first_places
      ON CONFLICT DO NOTHING`.execute(trx)
    if (sprintId === 0)
      await sql`
        INSERT INTO member_days (space_id, day, members)
        SELECT space_id, ${day}::date, member_count FROM boards WHERE space_id = ${spaceId} AND sprint_id = 0
        ON CONFLICT DO NOTHING`.execute(trx)
    await sql`
      INSERT INTO rank_day_boards AS w (space_id, sprint_id, day) VALUES (${spaceId}, ${sprintId}, ${day})
      ON CONFLICT (space_id, sprint_id) DO UPDATE SET day = excluded.day WHERE w.day < excluded.day`.execute(trx)
  })
}

/** The recorded days of a member, oldest first. */
export async function readRankDays(kysely: Kysely<DB>, { spaceId, sprintId }: Board, address: string) {
  const { rows } = await sql<RankDay>`
    SELECT day::text, rank, points FROM rank_days
    WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND address = ${address} ORDER BY rank_days.day`.execute(
    kysely,
  )
  return rows
}

/** Deletes at most `limit` rows. @returns the number of deleted rows */
export async function deleteRankDays(kysely: Kysely<DB>, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM rank_days WHERE (space_id, sprint_id, address, day) IN (
      SELECT space_id, sprint_id, address, day FROM rank_days WHERE day < ${before}::date LIMIT ${limit})`.execute(
    kysely,
  )
  return Number(numAffectedRows ?? 0)
}

/** Deletes at most `limit` rows. @returns the number of deleted rows */
export async function deleteMemberDays(kysely: Kysely<DB>, before: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM member_days WHERE (space_id, day) IN (
      SELECT space_id, day FROM member_days WHERE day < ${before}::date LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
