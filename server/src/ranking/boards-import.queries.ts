import { type Kysely, type RawBuilder, sql } from 'kysely'
import { reportsProgress, withProgress } from '../database/statement-progress.ts'
import type { DB } from '../database/tables.ts'
import type { Staging } from '../distribution/staging.ts'
import { CHANGE_COLUMNS, type Changes } from './boards.queries.ts'
import type { LedgerSource } from './ledger.ts'

const NAMED = sql.raw('named_members')
const CHANGES = sql.raw('board_changes')
const BANNED = sql.raw('banned_changes')
const CHANGED_BANNED = sql`(SELECT * FROM ${BANNED} WHERE before IS DISTINCT FROM points)`

/** Rows (line, space_id, sprint_id, address, points, username, avatar); a null name or avatar changes nothing. */
export type Totals = RawBuilder<unknown>

/** The profiles of the given addresses, copied to the nodes of the spaces. */
const profilesNear = (staging: Staging, name: string, rows: ReturnType<typeof sql>) =>
  staging.near({
    name,
    rows,
    by: { column: 'space_id', type: 'integer', like: 'boards' },
    table: 'profiles',
    key: { column: 'address', type: 'text COLLATE "C"' },
    columns: { username: 'text', avatar: 'text', own_username: 'text', own_avatar: 'text' },
  })

/** Query of the lines that change something. */
export async function newTotals(staging: Staging, totals: Totals) {
  const profiles = await profilesNear(staging, 'names_before', totals)
  return sql`
    SELECT t.line FROM ${totals} t LEFT JOIN ${profiles.relation} p ON ${profiles.on('p', 't')}
    LEFT JOIN board_entries e ON e.space_id = t.space_id AND e.sprint_id = t.sprint_id
      AND e.address = t.address
    LEFT JOIN banned_entries h ON h.space_id = t.space_id AND h.sprint_id = t.sprint_id AND h.address = t.address
    WHERE coalesce(e.points, h.points) IS DISTINCT FROM t.points
      OR (t.username IS NOT NULL AND p.username IS DISTINCT FROM t.username)
      OR (t.avatar IS NOT NULL AND coalesce(p.avatar, '') <> t.avatar)`
}

/** Collects new and changed names and avatars; for each address the last line wins. Returns their number. */
export async function collectNames(trx: Kysely<DB>, staging: Staging, totals: Totals): Promise<number> {
  const given = await staging.move({
    name: 'given_names',
    rows: totals,
    columns: { line: 'integer', address: 'text COLLATE "C"', username: 'text', avatar: 'text' },
    where: sql`username IS NOT NULL OR avatar IS NOT NULL`,
    like: 'profiles',
  })
  const last = (column: string) => sql`
    SELECT DISTINCT ON (address) address, ${sql.ref(column)}, line FROM ${given} AS given
    WHERE ${sql.ref(column)} IS NOT NULL ORDER BY address, line DESC`
  await staging.create({
    name: 'named_members',
    columns: 'address text COLLATE "C", username text, avatar text, known boolean, line integer',
    like: 'profiles',
  })
  await sql`
    INSERT INTO ${NAMED}
    SELECT address, coalesce(u.username, p.username), coalesce(a.avatar, p.avatar, ''), p.address IS NOT NULL,
           coalesce(u.line, a.line)
    FROM (${last('username')}) AS u FULL JOIN (${last('avatar')}) AS a USING (address) LEFT JOIN profiles p USING (address)
    WHERE p.address IS NULL OR p.username IS DISTINCT FROM coalesce(u.username, p.username)
      OR p.avatar <> coalesce(a.avatar, p.avatar)`.execute(trx)
  await staging.analyze('named_members')
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${NAMED}`.execute(trx)
  return rows[0]?.count ?? 0
}

export async function storeNames(trx: Kysely<DB>, staging: Staging): Promise<void> {
  await staging.lock({
    table: 'profiles',
    key: ['address'],
    keys: sql`(SELECT address FROM ${NAMED} WHERE known) AS known`,
  })
  await sql`
    UPDATE profiles p SET username = n.username, avatar = n.avatar
    FROM ${NAMED} n WHERE n.known AND p.address = n.address AND ${reportsProgress('n.line', 'p.ctid')}`.execute(trx)
  // If another transaction inserts the same address, this statement fails, and the caller repeats the merge.
  await sql`
    INSERT INTO profiles (address, username, avatar)
    SELECT address, username, ${withProgress('avatar')} FROM (
      SELECT address, username, avatar, line FROM ${NAMED} WHERE NOT known ORDER BY address
    ) AS sorted`.execute(trx)
}

/** The current entries of the named members on all boards. Because of OFFSET, a cluster sends the names to all nodes. */
const namedEntries = sql`(
  SELECT e.* FROM boards b
  JOIN board_entries e ON e.space_id = b.space_id AND e.sprint_id = b.sprint_id
  JOIN (SELECT address FROM ${NAMED} OFFSET 0) AS n ON n.address = e.address)`

export async function countBoards(trx: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM boards`.execute(trx)
  return rows[0]?.count ?? 0
}

/** The spaces in which anything may change. */
export async function touchedSpaces(trx: Kysely<DB>, totals: Totals, named: boolean): Promise<number[]> {
  const { rows } = await sql<{ space_id: number }>`SELECT DISTINCT space_id FROM ${totals}`.execute(trx)
  const elsewhere = named
    ? (await sql<{ space_id: number }>`SELECT DISTINCT space_id FROM ${namedEntries} AS e`.execute(trx)).rows
    : []
  return [...new Set([...rows, ...elsewhere].map((row) => row.space_id))]
}

/** Whether any ban exists, or any points are still set aside from a ban. */
export async function hasBans(trx: Kysely<DB>): Promise<boolean> {
  for (const table of ['ban_addresses', 'banned_entries'] as const)
    if ((await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(trx)).rows.length > 0) return true
  return false
}

/**
 * Copies the lines whose member is banned and has no row on its board to banned_changes. Returns the other lines. The
 * caller has locked the spaces.
 */
export async function collectBanned(trx: Kysely<DB>, staging: Staging, totals: Totals): Promise<Totals> {
  await staging.create({
    name: 'banned_changes',
    columns:
      'line integer, space_id integer, sprint_id integer, address text COLLATE "C", points integer, before integer, version integer',
    like: 'boards',
  })
  await sql`
    INSERT INTO ${BANNED}
    SELECT t.line, t.space_id, t.sprint_id, t.address, t.points, h.points, v.version + 1
    FROM ${totals} t JOIN space_versions v ON v.space_id = t.space_id LEFT JOIN banned_entries h
      ON h.space_id = t.space_id AND h.sprint_id = t.sprint_id AND h.address = t.address
    WHERE h.points IS NOT NULL OR (
      EXISTS (SELECT 1 FROM ban_addresses a WHERE a.address = t.address AND a.space_id IN (0, t.space_id))
      AND NOT EXISTS (
        SELECT 1 FROM board_entries e
        WHERE e.space_id = t.space_id AND e.sprint_id = t.sprint_id AND e.address = t.address))`.execute(trx)
  await staging.analyze('banned_changes')
  return sql`(
    SELECT * FROM ${totals} AS s
    WHERE NOT EXISTS (SELECT 1 FROM ${BANNED} b WHERE b.space_id = s.space_id AND b.line = s.line))`
}

/** Stores the points of the collected banned members. Each changed space gets a version. */
export async function storeBanned(trx: Kysely<DB>): Promise<{ added: number; changed: number; spaces: number[] }> {
  await sql`
    UPDATE space_versions SET version = version + 1
    WHERE space_id IN (SELECT space_id FROM ${CHANGED_BANNED} AS c)`.execute(trx)
  await sql`
    INSERT INTO banned_entries (space_id, sprint_id, address, points)
    SELECT space_id, sprint_id, address, points FROM ${CHANGED_BANNED} AS c
    ON CONFLICT (space_id, sprint_id, address) DO UPDATE SET points = excluded.points`.execute(trx)
  const { rows } = await sql<{ space_id: number; added: number; changed: number }>`
    SELECT space_id, count(*) FILTER (WHERE before IS NULL) AS added, count(before) AS changed
    FROM ${CHANGED_BANNED} AS c GROUP BY space_id`.execute(trx)
  return sumsOf(rows)
}

/**
 * Enters the stored points of banned members in the ledger.
 * @param now the time of the entries; its partition exists
 */
export async function enterBanned(trx: Kysely<DB>, now: Date, actor?: string): Promise<void> {
  await sql`
    INSERT INTO ledger_entries (space_id, version, entered_at, position, sprint_id, address, points_before,
      points_after, sprint_before, sprint_after, source, actor)
    SELECT space_id, version, ${now}::timestamptz, row_number() OVER (PARTITION BY space_id), sprint_id, address,
           CASE WHEN sprint_id = 0 THEN before END, CASE WHEN sprint_id = 0 THEN points END,
           CASE WHEN sprint_id > 0 THEN before END, CASE WHEN sprint_id > 0 THEN points END,
           ${'import' satisfies LedgerSource}::text, ${actor ?? null}::uuid
    FROM ${CHANGED_BANNED} AS c`.execute(trx)
}

/** Collects the differences from the boards. The spaces are locked. */
export async function collectChanges(
  trx: Kysely<DB>,
  staging: Staging,
  totals: Totals,
  named: boolean,
): Promise<Changes> {
  const renamed = sql`
    UNION ALL
    SELECT 0 AS line, e.space_id, e.sprint_id, e.address, e.points, e.points, e.username, e.avatar, e.born
    FROM ${namedEntries} AS e
    WHERE NOT EXISTS (
      SELECT 1 FROM ${totals} t WHERE t.space_id = e.space_id AND t.sprint_id = e.sprint_id AND t.address = e.address)`
  const affected = sql`(
    SELECT t.line, t.space_id, t.sprint_id, t.address, t.points, e.points AS old_points, e.username AS old_username,
           e.avatar AS old_avatar, e.born
    FROM ${totals} t
    LEFT JOIN board_entries e ON e.space_id = t.space_id AND e.sprint_id = t.sprint_id AND e.address = t.address
    ${named ? renamed : sql``})`
  const profiles = await profilesNear(staging, 'names_after', affected)
  await staging.create({ name: 'board_changes', columns: CHANGE_COLUMNS, like: 'boards' })
  await sql`
    INSERT INTO ${CHANGES}
    SELECT line, space_id, sprint_id, address, points, username, avatar, born IS NOT NULL, old_points, old_username,
           old_avatar, born
    FROM (
      SELECT a.*, coalesce(p.own_username, p.username, substr(md5(a.address), 1, 10)) AS username,
             coalesce(p.own_avatar, p.avatar, '') AS avatar
      FROM ${affected} AS a LEFT JOIN ${profiles.relation} p ON ${profiles.on('p', 'a')}
    ) AS shown
    WHERE (points, username, avatar) IS DISTINCT FROM (old_points, old_username, old_avatar)`.execute(trx)
  await staging.analyze('board_changes')
  return CHANGES
}

interface CountedChanges {
  added: number
  changed: number
  /** Rows of other boards that only show a new name; they have no line. */
  renamed: number
  spaces: number[]
}

export async function countChanges(trx: Kysely<DB>): Promise<CountedChanges> {
  const { rows } = await sql<{ space_id: number; added: number; changed: number; renamed: number }>`
    SELECT space_id, count(*) FILTER (WHERE NOT known) AS added,
           count(*) FILTER (WHERE known AND line > 0) AS changed, count(*) FILTER (WHERE line = 0) AS renamed
    FROM ${CHANGES} GROUP BY space_id`.execute(trx)
  return { ...sumsOf(rows), renamed: rows.reduce((sum, row) => sum + row.renamed, 0) }
}

const sumsOf = (rows: readonly { space_id: number; added: number; changed: number }[]) => ({
  added: rows.reduce((sum, row) => sum + row.added, 0),
  changed: rows.reduce((sum, row) => sum + row.changed, 0),
  spaces: rows.map((row) => row.space_id),
})
