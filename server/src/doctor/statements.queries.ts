import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

const STARBOARD = 'questboard-doctor'

/** Inserts a space with an empty board. @returns its id */
export async function addSpace(kysely: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT coalesce(max(space_id), 0) + 1 AS id FROM spaces WHERE space_id < 2147483647`.execute(kysely)
  const id = rows[0]?.id ?? 1
  await sql`INSERT INTO spaces (space_id, name, created_at) VALUES (${id}, 'doctor', now())`.execute(kysely)
  await sql`INSERT INTO space_versions (space_id) VALUES (${id})`.execute(kysely)
  await sql`INSERT INTO boards (space_id, sprint_id, member_count) VALUES (${id}, 0, 0)`.execute(kysely)
  return id
}

/** Inserts a starboard with one sample. @returns its id */
export async function addStarboard(kysely: Kysely<DB>): Promise<string> {
  await sql`
    INSERT INTO starboards (starboard_id, name, type, created_at) VALUES (${STARBOARD}, 'doctor', 'TWITTER', now())
    ON CONFLICT DO NOTHING`.execute(kysely)
  await sql`
    INSERT INTO starboard_users (starboard_id, handle, username) VALUES (${STARBOARD}, 'doctor', 'doctor')
    ON CONFLICT DO NOTHING`.execute(kysely)
  await sql`
    INSERT INTO score_samples (starboard_id, handle, sampled_at, score) VALUES (${STARBOARD}, 'doctor', now(), 1)
    ON CONFLICT DO NOTHING`.execute(kysely)
  return STARBOARD
}

export async function isOnBoard(kysely: Kysely<DB>, spaceId: number, address: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM board_entries WHERE space_id = ${spaceId} AND sprint_id = 0 AND address = ${address}`.execute(kysely)
  return rows.length > 0
}
