import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Where a member stands: one index look-up a board. */
const standings = (address: string) => sql`(
  SELECT e.* FROM boards b CROSS JOIN LATERAL (
    SELECT e.ctid AS place, e.* FROM board_entries e
    WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = ${address} LIMIT 1
  ) AS e)`

/** The spaces on whose boards the member stands, in the order in which they are locked. */
export async function spacesOfMember(kysely: Kysely<DB>, address: string): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT DISTINCT space_id FROM ${standings(address)} AS e ORDER BY space_id`.execute(kysely)
  return rows.map((row) => row.space_id)
}

/** Until the transaction ends nobody writes down who stands on the boards of the spaces; who does is waited for. */
export async function lockRankDays(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  await sql`
    SELECT FROM boards WHERE space_id = ANY(${spaceIds}::int[])
    ORDER BY space_id, sprint_id FOR UPDATE`.execute(trx)
}

/**
 * Takes a member off every board of the spaces, which must be locked. Each of them gets one new version; who reads an
 * older one still finds the member there, as of its first page. Answers how many boards there were.
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

/** Forgets where a member stood on past days; the boards where the member stands must be locked against a new one. */
export async function forgetRankDays(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`
    DELETE FROM rank_days d USING rank_day_boards b
    WHERE d.space_id = b.space_id AND d.sprint_id = b.sprint_id AND d.address = ${address}`.execute(trx)
}

/** Forgets the name that was imported for a member; one that the member chose stays with the account. */
export async function forgetImportedName(trx: Kysely<DB>, address: string): Promise<void> {
  await sql`UPDATE profiles SET username = NULL, avatar = '' WHERE address = ${address}`.execute(trx)
  await sql`DELETE FROM profiles WHERE address = ${address} AND own_username IS NULL`.execute(trx)
}
