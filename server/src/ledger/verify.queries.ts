import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** A contradiction between two entries of a member on a board, or between the last entry and the points on the board. */
export interface Difference {
  sprintId: number
  address: string
  /** The version of the entry with the problem; null for the current points. */
  version: number | null
  /** The points according to the ledger; null if the member is not on the board. */
  expected: number | null
  found: number | null
}

export interface Differences {
  count: number
  /** Some of them. */
  first: Difference[]
}

const SHOWN = 20

/** The changes of each board of a space. An award in a sprint changes two boards. */
const moves = (spaceId: number) => sql`(
  SELECT 0 AS sprint_id, address, version, position, points_before AS before, points_after AS after
  FROM ledger_entries WHERE space_id = ${spaceId} AND (points_before IS NOT NULL OR points_after IS NOT NULL)
  UNION ALL
  SELECT sprint_id, address, version, position, sprint_before, sprint_after
  FROM ledger_entries WHERE space_id = ${spaceId} AND (sprint_before IS NOT NULL OR sprint_after IS NOT NULL)
)`

async function differences(query: ReturnType<typeof sql<Difference & { count: number }>>, trx: Kysely<DB>) {
  const { rows } = await query.execute(trx)
  return {
    count: rows[0]?.count ?? 0,
    first: rows.map(({ sprintId, address, version, expected, found }) => ({
      sprintId,
      address,
      version,
      expected,
      found,
    })),
  }
}

/** The entries that do not begin with the balance at which the previous entry of the member ended. */
export async function brokenChains(trx: Kysely<DB>, spaceId: number): Promise<Differences> {
  return differences(
    sql`
      SELECT sprint_id AS "sprintId", address, version, previous AS expected, before AS found,
             count(*) OVER () AS count
      FROM (
        SELECT *, lag(after) OVER member AS previous, row_number() OVER member AS place
        FROM ${moves(spaceId)} AS m WINDOW member AS (PARTITION BY sprint_id, address ORDER BY version, position)
      ) AS chained
      WHERE place > 1 AND before IS DISTINCT FROM previous
      ORDER BY version, sprint_id, address LIMIT ${SHOWN}`,
    trx,
  )
}

/**
 * The members whose points on a board, or kept during a ban, are not those of their last entry. Members without entries
 * are skipped until their opening balance is entered.
 */
export async function wrongBalances(trx: Kysely<DB>, spaceId: number): Promise<Differences> {
  return differences(
    sql`
      SELECT coalesce(l.sprint_id, e.sprint_id) AS "sprintId", coalesce(l.address, e.address) AS address,
             NULL AS version, l.after AS expected, e.points AS found, count(*) OVER () AS count
      FROM (
        SELECT DISTINCT ON (sprint_id, address) sprint_id, address, after FROM ${moves(spaceId)} AS m
        ORDER BY sprint_id, address, version DESC, position DESC
      ) AS l
      FULL JOIN (
        SELECT sprint_id, address, points FROM board_entries WHERE space_id = ${spaceId}
        UNION ALL
        SELECT sprint_id, address, points FROM banned_entries WHERE space_id = ${spaceId}
      ) AS e
        ON e.sprint_id = l.sprint_id AND e.address = l.address
      WHERE l.after IS DISTINCT FROM e.points AND (l.address IS NOT NULL OR NOT EXISTS (
        SELECT FROM ledger_openings o
        WHERE o.space_id = ${spaceId} AND o.sprint_id = e.sprint_id AND o.last_address < e.address))
      ORDER BY 1, 2 LIMIT ${SHOWN}`,
    trx,
  )
}

/** The sums of points that are not available yet: by the entries, and by the awards that will become available. */
export async function pendingPoints(trx: Kysely<DB>, spaceId: number): Promise<{ expected: number; found: number }> {
  const { rows } = await sql<{ expected: number; found: number }>`
    SELECT (SELECT coalesce(sum(pending), 0)::bigint FROM ledger_entries WHERE space_id = ${spaceId}) AS expected,
      (SELECT coalesce(sum(e.pending), 0)::bigint FROM timed_awards t JOIN ledger_entries e
         ON e.space_id = t.space_id AND e.version = t.version AND e.position = t.position AND e.entered_at = t.entered_at
       WHERE t.space_id = ${spaceId} AND e.space_id = ${spaceId} AND NOT t.available) AS found`.execute(trx)
  return rows[0] ?? { expected: 0, found: 0 }
}

export interface LedgerSummary {
  entries: number
  /** Boards whose opening balances are not all entered. */
  opening: number
  version: number
}

/** @returns undefined if the space does not exist */
export async function summarize(trx: Kysely<DB>, spaceId: number): Promise<LedgerSummary | undefined> {
  const { rows } = await sql<LedgerSummary>`
    SELECT (SELECT count(*) FROM ledger_entries WHERE space_id = ${spaceId}) AS entries,
           (SELECT count(*) FROM ledger_openings WHERE space_id = ${spaceId}) AS opening,
           coalesce((SELECT version FROM space_versions WHERE space_id = ${spaceId}), 0) AS version
    FROM spaces WHERE space_id = ${spaceId}`.execute(trx)
  return rows[0]
}
