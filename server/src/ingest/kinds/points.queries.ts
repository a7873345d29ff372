import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { PointEffects } from '../kind.ts'
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

const MAX_EXAMPLES = 5

/** Texts of the forms of `isAddress`. Letter for letter is not necessary, because the result is only a warning. */
const LOOKS_LIKE_ADDRESS =
  '^(0x([0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})|(inj|sei)1[0-9a-z]{38}|[1-9A-HJ-NP-Za-km-z]{43,44}|[^@ ]+@[^@ ]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'

/** The spaces of the staged lines, and new members that are named by other text than an address. */
export async function readEffects(trx: Kysely<DB>): Promise<PointEffects> {
  const spaces = await sql<{ space_id: number }>`
    SELECT DISTINCT space_id FROM ${STAGED} AS s ORDER BY space_id`.execute(trx)
  // The window function keeps its rows in a file above work_mem. An aggregate of the names would keep all in memory.
  const names = await sql<{ count: number; address: string }>`
    SELECT address, count(*) OVER () AS count
    FROM (
      SELECT s.address, min(s.line) AS line FROM ${STAGED} AS s LEFT JOIN board_entries e
        ON e.space_id = s.space_id AND e.sprint_id = 0 AND e.address = s.address
      WHERE e.address IS NULL AND s.address !~ ${LOOKS_LIKE_ADDRESS}
      GROUP BY s.address
    ) AS unknown
    ORDER BY line LIMIT ${sql.lit(MAX_EXAMPLES)}`.execute(trx)
  return {
    spaceIds: spaces.rows.map(({ space_id }) => space_id),
    newNames: { count: names.rows[0]?.count ?? 0, examples: names.rows.map(({ address }) => address) },
  }
}
