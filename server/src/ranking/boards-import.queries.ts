import { type Kysely, sql } from 'kysely'
import { passes } from '../database/passing.ts'
import type { DB } from '../database/tables.ts'
import type { Changes } from './boards.queries.ts'

const NAMED = sql.raw('named_members')
const CHANGES = sql.raw('board_changes')

/** Rows (line, space_id, sprint_id, address, points, username, avatar); a null name or avatar changes nothing. */
export type Totals = ReturnType<typeof sql.raw>

/** Query of the lines that change something. */
export function newTotals(totals: Totals) {
  return sql`
    SELECT t.line FROM ${totals} t LEFT JOIN profiles p ON p.address = t.address
    LEFT JOIN board_entries e ON e.space_id = t.space_id AND e.sprint_id = t.sprint_id
      AND e.address = t.address
    WHERE e.points IS DISTINCT FROM t.points
      OR (t.username IS NOT NULL AND p.username IS DISTINCT FROM t.username)
      OR (t.avatar IS NOT NULL AND coalesce(p.avatar, '') <> t.avatar)`
}

/** Collects new and changed names and avatars; for each address the last line wins. Returns their number. */
export async function collectNames(trx: Kysely<DB>, totals: Totals): Promise<number> {
  const last = (column: string) => sql`
    SELECT DISTINCT ON (address) address, ${sql.ref(column)}, line FROM ${totals} WHERE ${sql.ref(column)} IS NOT NULL
    ORDER BY address, line DESC`
  await sql`
    CREATE TEMPORARY TABLE ${NAMED} ON COMMIT DROP AS
    SELECT address, coalesce(u.username, p.username) AS username, coalesce(a.avatar, p.avatar, '') AS avatar,
           p.address IS NOT NULL AS known, coalesce(u.line, a.line) AS line
    FROM (${last('username')}) AS u FULL JOIN (${last('avatar')}) AS a USING (address) LEFT JOIN profiles p USING (address)
    WHERE p.address IS NULL OR p.username IS DISTINCT FROM coalesce(u.username, p.username)
      OR p.avatar <> coalesce(a.avatar, p.avatar)`.execute(trx)
  await sql`ANALYZE ${NAMED}`.execute(trx)
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${NAMED}`.execute(trx)
  return rows[0]?.count ?? 0
}

export async function storeNames(trx: Kysely<DB>): Promise<void> {
  await sql`
    SELECT FROM profiles WHERE address IN (SELECT address FROM ${NAMED} WHERE known)
    ORDER BY address FOR NO KEY UPDATE`.execute(trx)
  await sql`
    UPDATE profiles p SET username = n.username, avatar = n.avatar
    FROM ${NAMED} n WHERE n.known AND p.address = n.address AND ${passes('n.line', 'p.ctid')}`.execute(trx)
  // A concurrent insert raises a conflict, after which the merge is retried.
  await sql`
    INSERT INTO profiles (address, username, avatar)
    SELECT address, username, avatar FROM (
      SELECT address, username, avatar, line FROM ${NAMED} WHERE NOT known ORDER BY address OFFSET 0
    ) AS sorted WHERE ${passes('line')}`.execute(trx)
}

// For more lookups, one scan of all entries is faster.
const MAX_LOOKUPS = 2_000_000

/** The current entries of the named members on all boards. */
function namedEntries(lookups: number) {
  if (lookups > MAX_LOOKUPS) return sql`(SELECT e.* FROM board_entries e JOIN ${NAMED} n ON n.address = e.address)`
  return sql`(
    SELECT e.* FROM ${NAMED} n CROSS JOIN boards b CROSS JOIN LATERAL (
      SELECT * FROM board_entries e
      WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id AND e.address = n.address LIMIT 1
    ) AS e)`
}

export async function countBoards(trx: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM boards`.execute(trx)
  return rows[0]?.count ?? 0
}

/** The spaces in which anything may change. */
export async function touchedSpaces(trx: Kysely<DB>, totals: Totals, lookups: number): Promise<number[]> {
  const elsewhere = lookups === 0 ? sql`` : sql`UNION SELECT space_id FROM ${namedEntries(lookups)} AS e`
  const { rows } = await sql<{ space_id: number }>`
    SELECT space_id FROM ${totals} GROUP BY space_id ${elsewhere}`.execute(trx)
  return rows.map((row) => row.space_id)
}

/** Collects the differences from the boards, numbered by `line`. The spaces are locked. */
export async function collectChanges(trx: Kysely<DB>, totals: Totals, lookups: number): Promise<Changes> {
  const shownAs = (alias: string) =>
    sql.raw(`coalesce(p.own_username, p.username, substr(md5(${alias}.address), 1, 10)) AS username,
      coalesce(p.own_avatar, p.avatar, '') AS avatar`)
  const renamed = sql`
    UNION ALL
    SELECT (row_number() OVER ())::integer, e.space_id, e.sprint_id, e.address, e.points, ${shownAs('e')}, true AS known,
           e.points, e.username, e.avatar
    FROM ${namedEntries(lookups)} AS e LEFT JOIN profiles p ON p.address = e.address
    WHERE NOT EXISTS (
      SELECT FROM ${totals} t WHERE t.space_id = e.space_id AND t.sprint_id = e.sprint_id AND t.address = e.address)`
  await sql`
    CREATE TEMPORARY TABLE ${CHANGES} ON COMMIT DROP AS
    SELECT line, space_id, sprint_id, address, points, username, avatar, known FROM (
      SELECT t.line, t.space_id, t.sprint_id, t.address, t.points, ${shownAs('t')}, e.points IS NOT NULL AS known,
             e.points AS old_points, e.username AS old_username, e.avatar AS old_avatar
      FROM ${totals} t LEFT JOIN profiles p ON p.address = t.address
      LEFT JOIN board_entries e ON e.space_id = t.space_id AND e.sprint_id = t.sprint_id
        AND e.address = t.address
      ${lookups === 0 ? sql`` : renamed}
    ) AS stand
    WHERE NOT known OR (points, username, avatar) IS DISTINCT FROM (old_points, old_username, old_avatar)`.execute(trx)
  await sql`ANALYZE ${CHANGES}`.execute(trx)
  return CHANGES
}

export async function countChanges(trx: Kysely<DB>): Promise<{ added: number; changed: number; spaces: number[] }> {
  const { rows } = await sql<{ space_id: number; added: number; changed: number }>`
    SELECT space_id, count(*) FILTER (WHERE NOT known) AS added, count(*) FILTER (WHERE known) AS changed
    FROM ${CHANGES} GROUP BY space_id`.execute(trx)
  return {
    added: rows.reduce((sum, row) => sum + row.added, 0),
    changed: rows.reduce((sum, row) => sum + row.changed, 0),
    spaces: rows.map((row) => row.space_id),
  }
}
