import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../database/tables.ts'
import type { EntryPosition, EntryRow } from './entry.ts'
import type { LedgerFilter } from './filter.ts'

export const columns = sql`
  version, position, entered_at AS "enteredAt", sprint_id AS "sprintId", address, points_before AS "pointsBefore",
  points_after AS "pointsAfter", sprint_before AS "sprintBefore", sprint_after AS "sprintAfter", source, key, reason,
  actor, reverses, award, pending, available_at AS "availableAt", expires_at AS "expiresAt"`

export interface Range {
  /** The position after which entries are read, in the order of the scan. */
  after: EntryPosition
  /** The last version, in the order of the scan. */
  through: number
  order: 'oldest first' | 'newest first'
}

export interface Scan {
  /** The matching entries in order. */
  found: EntryRow[]
  /** The last entry that was read, even if it does not match; undefined if there was none. */
  last: EntryPosition | undefined
  scanned: number
}

/**
 * Reads the next entries of a range, and finds those that match all filters.
 * @param limits the maximum number of matches (`first`), and of entries to read (`scan`)
 */
export async function scanEntries(
  kysely: Kysely<DB>,
  { spaceId, addresses, sprintId, sources, from, to }: LedgerFilter,
  { after, through, order }: Range,
  limits: { first: number; scan: number },
): Promise<Scan> {
  const [beyond, until, by, back] = (
    order === 'oldest first' ? ['>', '<=', 'ASC', 'DESC'] : ['<', '>=', 'DESC', 'ASC']
  ).map((word) => sql.raw(word)) as [RawBuilder<unknown>, RawBuilder<unknown>, RawBuilder<unknown>, RawBuilder<unknown>]
  const matches = [
    ...(sprintId === undefined ? [] : [sql`"sprintId" = ${sprintId}`]),
    ...(sources === undefined ? [] : [sql`source = ANY(${textArray(sources)}::text[])`]),
  ]
  const { rows } = await sql<EntryRow & { last: number; lastPosition: number; scanned: number }>`
    WITH scanned AS MATERIALIZED (
      SELECT ${columns} FROM ledger_entries
      WHERE space_id = ${spaceId} AND (version, position) ${beyond} (${after.version}::bigint, ${after.position}::int)
        AND version ${until} ${through}::bigint
        ${ofMembers(addresses)}
        ${from === undefined ? sql`` : sql`AND entered_at >= ${from}::timestamptz`}
        ${to === undefined ? sql`` : sql`AND entered_at < ${to}::timestamptz`}
      ORDER BY version ${by}, position ${by} LIMIT ${limits.scan}
    )
    SELECT * FROM (
      SELECT version AS last, position AS "lastPosition", count(*) OVER () AS scanned FROM scanned
      ORDER BY version ${back}, position ${back} LIMIT 1
    ) AS read LEFT JOIN (
      SELECT * FROM scanned ${matches.length === 0 ? sql`` : sql`WHERE ${sql.join(matches, sql` AND `)}`}
      ORDER BY version ${by}, position ${by} LIMIT ${limits.first}
    ) AS matching ON true ORDER BY version ${by}, position ${by}`.execute(kysely)
  const [read] = rows
  return {
    found: rows.filter(({ version }) => (version as number | null) !== null),
    last: read && { version: read.last, position: read.lastPosition },
    scanned: read?.scanned ?? 0,
  }
}

/** One member is compared with `=`, so that the index returns the entries in order. */
function ofMembers(addresses: readonly string[] | undefined): RawBuilder<unknown> {
  if (addresses === undefined) return sql``
  return addresses.length === 1
    ? sql`AND address = ${addresses[0]}`
    : sql`AND address = ANY(${textArray(addresses)}::text[])`
}

/** The current version of a space. No entry has a later one. @returns undefined if the space does not exist */
export async function newestVersion(kysely: Kysely<DB>, spaceId: number): Promise<number | undefined> {
  const { rows } = await sql<{ version: number }>`
    SELECT coalesce((SELECT version FROM space_versions WHERE space_id = ${spaceId}), 0) AS version
    FROM spaces WHERE space_id = ${spaceId}`.execute(kysely)
  return rows[0]?.version
}

/**
 * For each time in milliseconds, the first version from which all entries are at or after it; the version after the newest
 * one if there is none. A binary search in one statement, because no index has the times.
 */
export async function firstVersionsSince(
  kysely: Kysely<DB>,
  spaceId: number,
  times: readonly number[],
  newest: number,
): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`
    WITH RECURSIVE search (place, since, low, high) AS (
      SELECT place, to_timestamp(time / 1000.0), 1::bigint, ${newest + 1}::bigint
      FROM unnest(${numberArray(times)}::bigint[]) WITH ORDINALITY AS t (time, place)
      UNION ALL
      SELECT s.place, s.since, CASE WHEN e.entered_at < s.since THEN e.version + 1 ELSE s.low END,
             CASE WHEN e.entered_at < s.since THEN s.high ELSE (s.low + s.high) / 2 END
      FROM search s LEFT JOIN LATERAL (
        SELECT version, entered_at FROM ledger_entries
        WHERE space_id = ${spaceId} AND version >= (s.low + s.high) / 2 ORDER BY version, position LIMIT 1
      ) AS e ON true WHERE s.low < s.high
    )
    SELECT low AS version FROM search WHERE low >= high ORDER BY place`.execute(kysely)
  return rows.map(({ version }) => version)
}
