import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'

/**
 * Removes names and avatars from lines of members who already have a name or are on a board of a space outside
 * `spaceIds`, because a name is shown on all boards of a member.
 */
export async function dropNamesOfOthers(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  await sql`
    UPDATE ${STAGED} s SET username = NULL, avatar = NULL
    WHERE (s.username IS NOT NULL OR s.avatar IS NOT NULL) AND (
      EXISTS (SELECT FROM profiles p WHERE p.address = s.address)
      OR EXISTS (
        SELECT FROM boards b CROSS JOIN LATERAL (
          SELECT FROM board_entries e
          WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = s.address LIMIT 1
        ) AS standing WHERE b.space_id <> ALL (${spaceIds}::int[])))`.execute(trx)
}
