import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { STAGED } from '../staging.queries.ts'

/**
 * Removes names and avatars from lines of members who already have a name or are on a board of a space outside
 * `spaceIds`, because a name is shown on all boards of a member. For batches, whose addresses fit a list.
 */
export async function dropNamesOfOthers(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  const { rows: named } = await sql<{ address: string }>`
    SELECT DISTINCT address FROM ${STAGED} WHERE username IS NOT NULL OR avatar IS NOT NULL`.execute(trx)
  const addresses = named.map(({ address }) => address)
  if (addresses.length === 0) return
  const { rows: known } = await sql<{ address: string }>`
    SELECT address FROM profiles WHERE address = ANY(${addresses}::text[])`.execute(trx)
  const { rows: members } = await sql<{ address: string }>`
    SELECT DISTINCT e.address FROM boards b JOIN board_entries e ON e.space_id = b.space_id AND e.sprint_id = b.sprint_id
    WHERE e.address = ANY(${addresses}::text[]) AND b.space_id <> ALL (${spaceIds}::int[])`.execute(trx)
  const others = [...new Set([...known, ...members].map(({ address }) => address))]
  await sql`UPDATE ${STAGED} SET username = NULL, avatar = NULL WHERE address = ANY(${others}::text[])`.execute(trx)
}
