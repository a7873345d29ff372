import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { createVersion } from './banned-members.queries.ts'
import type { LedgerSource } from './ledger.ts'

/** The spaces with an entry or kept points of the member, in lock order. */
export async function spacesOfMember(kysely: Kysely<DB>, address: string): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT e.space_id FROM boards b JOIN board_entries e ON e.space_id = b.space_id AND e.sprint_id = b.sprint_id
    WHERE e.address = ${address}`.execute(kysely)
  const { rows: banned } = await sql<{ space_id: number }>`
    SELECT space_id FROM banned_entries WHERE address = ${address}`.execute(kysely)
  const ids = new Set([...rows, ...banned].map((row) => row.space_id))
  return [...ids].toSorted((one, other) => one - other)
}

/** Waits for running writes of rank days for the given spaces, and blocks new ones until the transaction ends. */
export async function lockRankDays(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  for (const spaceId of spaceIds)
    await sql`SELECT 1 FROM boards WHERE space_id = ${spaceId} ORDER BY sprint_id FOR UPDATE`.execute(trx)
}

/**
 * Removes a member from all boards of the spaces, which the caller has locked. Each space gets one version; readers of
 * older versions still see the member. Returns the number of boards.
 */
export async function removeMember(
  trx: Kysely<DB>,
  address: string,
  spaceIds: readonly number[],
  now: Date,
): Promise<{ boards: number; spaceIds: number[] }> {
  let boards = 0
  const changed: number[] = []
  for (const spaceId of spaceIds) {
    const { rows: stood } = await sql<Stood>`
      DELETE FROM board_entries WHERE space_id = ${spaceId} AND address = ${address}
      RETURNING sprint_id AS "sprintId", points, born, username, avatar`.execute(trx)
    if (stood.length === 0) continue
    boards += stood.length
    changed.push(spaceId)
    await recordRemoval(trx, spaceId, address, stood, now)
  }
  return { boards, spaceIds: changed }
}

/** A deleted row of a board. */
interface Stood {
  sprintId: number
  points: number
  born: number
  username: string
  avatar: string
}

/** Creates the next version of a space without the deleted rows. Each statement concerns one space. */
async function recordRemoval(
  trx: Kysely<DB>,
  spaceId: number,
  address: string,
  stood: readonly Stood[],
  now: Date,
): Promise<void> {
  const rows = sql`unnest(
    ${stood.map((row) => row.sprintId)}::int[], ${stood.map((row) => row.points)}::int[],
    ${stood.map((row) => row.born)}::bigint[], ${stood.map((row) => row.username)}::text[],
    ${stood.map((row) => row.avatar)}::text[]) WITH ORDINALITY AS s (sprint_id, points, born, username, avatar, place)`
  const ofSpace = sql`FROM space_versions v CROSS JOIN ${rows} WHERE v.space_id = ${spaceId}`
  await sql`UPDATE space_versions SET version = version + 1 WHERE space_id = ${spaceId}`.execute(trx)
  await sql`
    UPDATE boards SET member_count = member_count - 1
    WHERE space_id = ${spaceId} AND sprint_id = ANY(${stood.map((row) => row.sprintId)}::int[])`.execute(trx)
  await sql`
    INSERT INTO ledger_entries (space_id, version, entered_at, position, sprint_id, address, points_before,
      sprint_before, source)
    SELECT v.space_id, v.version, ${now}::timestamptz, s.place, s.sprint_id, ${address}::text,
           CASE WHEN s.sprint_id = 0 THEN s.points END, CASE WHEN s.sprint_id > 0 THEN s.points END,
           ${'erasure' satisfies LedgerSource}::text ${ofSpace}`.execute(trx)
  await sql`
    INSERT INTO board_moves (space_id, sprint_id, version, part, old_points, new_points)
    SELECT v.space_id, s.sprint_id, v.version, 0, ARRAY[s.points], '{}'::int[] ${ofSpace}`.execute(trx)
  await sql`
    INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
    SELECT v.space_id, s.sprint_id, ~s.points, ${address}::text, s.born, v.version, s.username, s.avatar
    ${ofSpace}`.execute(trx)
  await sql`
    INSERT INTO other_board_changes (space_id, version, position, sprint_id, address)
    SELECT v.space_id, v.version, s.place, s.sprint_id, ${address}::text ${ofSpace}`.execute(trx)
}

/**
 * Deletes the points of a banned member in the spaces, which the caller has locked. Each space gets one version. Returns
 * the spaces, one for each board.
 */
export async function removeBannedMember(
  trx: Kysely<DB>,
  address: string,
  spaceIds: readonly number[],
  now: Date,
): Promise<number[]> {
  const { rows } = await sql<{ space_id: number; sprint_id: number; points: number }>`
    DELETE FROM banned_entries WHERE address = ${address} AND space_id = ANY(${spaceIds}::int[])
    RETURNING space_id, sprint_id, points`.execute(trx)
  for (const [spaceId, own] of Map.groupBy(rows, ({ space_id }) => space_id)) {
    const version = await createVersion(trx, spaceId)
    for (const [i, { sprint_id: sprintId, points }] of own.entries())
      await sql`
        INSERT INTO ledger_entries (space_id, version, entered_at, position, sprint_id, address, points_before,
          sprint_before, source)
        VALUES (${spaceId}, ${version}, ${now}, ${i + 1}, ${sprintId}, ${address},
          ${sprintId === 0 ? points : null}, ${sprintId > 0 ? points : null}, ${'erasure' satisfies LedgerSource})`.execute(
        trx,
      )
  }
  return rows.map((row) => row.space_id)
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
