import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

const ALIVE = sql.raw('9223372036854775807')
const isListed = sql.raw(`q.status NOT IN ('Draft', 'Deleted') AND NOT q.is_private`)
// Citus inserts the rows of a SELECT only with immutable functions, which date_trunc is not.
const startsAt = sql.raw(`CASE WHEN q.status = 'NotStarted' THEN date_bin('1 millisecond', q.start_time, 'epoch') END`)

export async function lockQuests(trx: Kysely<DB>, questIds: readonly string[]): Promise<void> {
  await sql`SELECT FROM quests WHERE quest_id = ANY(${questIds}) ORDER BY quest_id FOR NO KEY UPDATE`.execute(trx)
}

/** The quests whose current listing is outdated. */
export async function changedListings(trx: Kysely<DB>, questIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ quest_id: string }>`
    WITH wanted AS (
      SELECT quest_id, space_id, type, status, created_at, ${startsAt} AS starts_at
      FROM quests q WHERE quest_id = ANY(${questIds}) AND ${isListed}
    ), alive AS (
      SELECT quest_id, space_id, type, status, created_at, starts_at FROM quest_listings
      WHERE quest_id = ANY(${questIds}) AND died = ${ALIVE}
    )
    SELECT quest_id FROM wanted w FULL JOIN alive a USING (quest_id)
    WHERE (w.space_id, w.type, w.status, w.created_at, w.starts_at)
      IS DISTINCT FROM (a.space_id, a.type, a.status, a.created_at, a.starts_at)
    ORDER BY quest_id`.execute(trx)
  return rows.map((row) => row.quest_id)
}

export async function takeCatalogueVersion(trx: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    UPDATE quest_catalogue SET version = version + 1 WHERE only_row RETURNING version`.execute(trx)
  const version = rows[0]?.version
  if (version === undefined) throw new Error('the row of quest_catalogue is missing')
  return version
}

export async function endListings(trx: Kysely<DB>, questIds: string[], version: number, at: Date): Promise<void> {
  await sql`
    UPDATE quest_listings SET died = ${version}, died_at = ${at}
    WHERE quest_id = ANY(${questIds}) AND died = ${ALIVE}`.execute(trx)
}

export async function beginListings(trx: Kysely<DB>, questIds: string[], version: number): Promise<void> {
  await sql`
    INSERT INTO quest_listings (quest_id, born, space_id, type, status, created_at, starts_at)
    SELECT quest_id, ${version}::bigint, space_id, type, status, created_at, ${startsAt} FROM quests q
    WHERE quest_id = ANY(${questIds}) AND ${isListed}`.execute(trx)
}

/** Updates the counts of listed quests by the listings that ended or began with a version. The catalogue is locked. */
export async function countListings(trx: Kysely<DB>, questIds: string[], version: number): Promise<void> {
  await sql`
    INSERT INTO quest_counts AS c (space_id, type, status, listed)
    SELECT coalesce(space_id, 0), type, status, sum(step) FROM (
      SELECT space_id, type, status, 1 AS step FROM quest_listings
      WHERE quest_id = ANY(${questIds}) AND died = ${ALIVE} AND born = ${version}
      UNION ALL
      SELECT space_id, type, status, -1 FROM quest_listings WHERE quest_id = ANY(${questIds}) AND died = ${version}
    ) steps
    GROUP BY GROUPING SETS ((space_id, type, status), (type, status))
    HAVING sum(step) <> 0
    ON CONFLICT (space_id, type, status) DO UPDATE SET listed = c.listed + excluded.listed`.execute(trx)
}

export async function deleteDeadListings(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM quest_listings WHERE (quest_id, died) IN (
      SELECT quest_id, died FROM quest_listings WHERE died_at < ${before} ORDER BY quest_id, died LIMIT ${limit}
    )`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
