import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** The entries of a member: one index lookup per board. */
const standings = (address: string) => sql`(
  SELECT e.* FROM boards b CROSS JOIN LATERAL (
    SELECT e.ctid AS place, e.* FROM board_entries e
    WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = ${address} LIMIT 1
  ) AS e)`

/** The spaces with an entry of the member, in lock order. */
export async function spacesOfMember(kysely: Kysely<DB>, address: string): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT DISTINCT space_id FROM ${standings(address)} AS e ORDER BY space_id`.execute(kysely)
  return rows.map((row) => row.space_id)
}

/** Waits for running writes of rank days for these spaces, and blocks new ones until the transaction ends. */
export async function lockRankDays(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM boards WHERE space_id = ANY(${spaceIds}::int[])
    ORDER BY space_id, sprint_id FOR UPDATE`.execute(trx)
}

/**
 * Removes a member from all boards of the spaces, which the caller has locked. Each space gets one version; readers of
 * older versions still see the member. Returns the number of boards.
 */
export async function removeMember(
  trx: Kysely<DB>,
  address: string,
  spaceIds: readonly number[],
): Promise<{ boards: number; spaceIds: number[] }> {
  const { rows } = await sql<{ space_id: number }>`
    WITH stood AS MATERIALIZED (
      SELECT * FROM ${standings(address)} AS e WHERE space_id = ANY(${spaceIds}::int[])
    ), v AS (
      UPDATE space_versions SET version = version + 1 WHERE space_id IN (SELECT space_id FROM stood)
      RETURNING space_id, version
    ), gone AS (
      DELETE FROM board_entries e USING stood s WHERE e.space_id = s.space_id AND e.ctid = s.place
    ), counted AS (
      UPDATE boards b SET member_count = b.member_count - 1
      FROM stood s WHERE b.space_id = s.space_id AND b.sprint_id = s.sprint_id
    )
    INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
    SELECT s.space_id, s.sprint_id, s.descent, s.address, s.born, v.version, s.username, s.avatar
    FROM stood s JOIN v USING (space_id)
    RETURNING space_id`.execute(trx)
  return { boards: rows.length, spaceIds: [...new Set(rows.map((row) => row.space_id))] }
}

/** Deletes the past ranks of a member. The member's boards are locked, so that no new ones are written. */
export async function forgetRankDays(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`
    DELETE FROM rank_days d USING rank_day_boards b
    WHERE d.space_id = b.space_id AND d.sprint_id = b.sprint_id AND d.address = ${address}`.execute(trx)
}

/** Deletes the imported name of a member. A name from an account remains. */
export async function forgetImportedName(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`UPDATE profiles SET username = NULL, avatar = '' WHERE address = ${address}`.execute(trx)
  await sql`DELETE FROM profiles WHERE address = ${address} AND own_username IS NULL`.execute(trx)
}
