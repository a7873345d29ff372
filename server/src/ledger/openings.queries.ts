import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { LedgerSource } from '../ranking/ledger.ts'

export interface Opening {
  spaceId: number
  sprintId: number
  /** The last member whose balance is entered. */
  lastAddress: string
}

/** The board whose opening balances are entered next (openings.ts), of one space or of all. */
export async function nextOpening(kysely: Kysely<DB>, spaceId?: number): Promise<Opening | undefined> {
  const { rows } = await sql<Opening>`
    SELECT space_id AS "spaceId", sprint_id AS "sprintId", last_address AS "lastAddress" FROM ledger_openings
    WHERE ${spaceId === undefined ? sql`true` : sql`space_id = ${spaceId}`}
    ORDER BY space_id, sprint_id LIMIT 1`.execute(kysely)
  return rows[0]
}

/**
 * Enters the balances that the next `limit` members had before their first entry. The caller has locked the space.
 * @returns the last of these members; undefined at the end
 */
export async function enterOpenings(
  trx: Kysely<DB>,
  { spaceId, sprintId, lastAddress }: Opening,
  limit: number,
  now: Date,
): Promise<string | undefined> {
  const [before, after] = sprintId === 0 ? ['points_before', 'points_after'] : ['sprint_before', 'sprint_after']
  const board = sprintId === 0 ? sql`true` : sql`sprint_id = ${sprintId}`
  const members = sql`(
    SELECT space_id, address, points FROM board_entries
    WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND address > ${lastAddress}
    UNION ALL
    SELECT space_id, address, points FROM banned_entries
    WHERE space_id = ${spaceId} AND sprint_id = ${sprintId} AND address > ${lastAddress})`
  const { rows } = await sql<{ last: string | null; positions: number }>`
    SELECT max(n.address) AS last, (
      SELECT coalesce(max(position), 0) FROM ledger_entries WHERE space_id = ${spaceId} AND version = 0) AS positions
    FROM (SELECT address FROM ${members} AS m ORDER BY address LIMIT ${limit}) AS n`.execute(trx)
  const [{ last, positions } = { last: null, positions: 0 }] = rows
  await sql`
    INSERT INTO ledger_entries (space_id, sprint_id, version, entered_at, position, ${sql.id(after)}, source, address)
    SELECT space_id, ${sprintId}::int, 0, ${now}::timestamptz, ${positions}::int + row_number() OVER (ORDER BY address),
           points, ${'opening' satisfies LedgerSource}::text, address
    FROM (
      SELECT n.space_id, n.address, CASE WHEN f.version IS NULL THEN n.points ELSE f.before END AS points
      FROM ${members} AS n LEFT JOIN LATERAL (
        SELECT version, ${sql.ref(before)} AS before FROM ledger_entries
        WHERE space_id = ${spaceId} AND address = n.address AND ${board}
          AND (${sql.ref(before)} IS NOT NULL OR ${sql.ref(after)} IS NOT NULL)
        ORDER BY version, position LIMIT 1
      ) f ON true
      WHERE n.address <= ${last}
    ) AS balances WHERE points IS NOT NULL`.execute(trx)
  return last ?? undefined
}

export async function noteOpening(
  trx: Kysely<DB>,
  { spaceId, sprintId }: Opening,
  lastAddress: string | undefined,
): Promise<void> {
  const board = sql`space_id = ${spaceId} AND sprint_id = ${sprintId}`
  await (
    lastAddress === undefined
      ? sql`DELETE FROM ledger_openings WHERE ${board}`
      : sql`UPDATE ledger_openings SET last_address = ${lastAddress} WHERE ${board}`
  ).execute(trx)
}
