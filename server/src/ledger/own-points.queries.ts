import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import { columns } from './entries.queries.ts'
import type { EntryRow, EntryPosition } from './entry.ts'

/** The points of an address on the overall board of a space. */
export interface OwnBalance {
  spaceId: number
  space: string
  address: string
  points: number
}

const orders = {
  name: sql`space, "spaceId", address`,
  points: sql`points DESC, space, "spaceId", address`,
}

/**
 * The points of the addresses on all overall boards: one index lookup per board and address. Citus rejects a join with
 * LATERAL and LIMIT here.
 */
export async function readBalances(
  kysely: Kysely<DB>,
  addresses: readonly string[],
  { by, limit }: { by: keyof typeof orders; limit: number },
): Promise<OwnBalance[]> {
  const { rows } = await sql<OwnBalance>`
    SELECT "spaceId", space, address, points FROM (
      SELECT s.space_id AS "spaceId", s.name AS space, own.address COLLATE "C" AS address, (
        SELECT e.points FROM board_entries e
        WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = own.address
      ) AS points
      FROM boards b JOIN spaces s ON s.space_id = b.space_id
        CROSS JOIN unnest(${textArray(addresses)}::text[]) AS own (address)
      WHERE b.sprint_id = 0
    ) AS balances WHERE points IS NOT NULL ORDER BY ${orders[by]} LIMIT ${limit}`.execute(kysely)
  return rows
}

/** The entries of a space for the addresses before a position, newest first. */
export async function entriesBefore(
  kysely: Kysely<DB>,
  { spaceId, addresses }: { spaceId: number; addresses: readonly string[] },
  { version, position }: EntryPosition,
  limit: number,
): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT e.* FROM unnest(${textArray(addresses)}::text[]) AS own (address) CROSS JOIN LATERAL (
      SELECT ${columns} FROM ledger_entries l
      WHERE l.space_id = ${spaceId} AND l.address = own.address
        AND (l.version, l.position) < (${version}::bigint, ${position}::int)
      ORDER BY l.version DESC, l.position DESC LIMIT ${limit}
    ) AS e ORDER BY e.version DESC, e.position DESC LIMIT ${limit}`.execute(kysely)
  return rows
}
