import { type Kysely, sql } from 'kysely'
import { numberArray, textArray } from '@questboard/pg-read-pipeline'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import { type Name, shortId } from './boards.queries.ts'

/** An award in the ledger. */
export interface StoredEvent {
  key: string
  sprint_id: number
  address: string
  points: number
}

// A connection keeps its plans while boards grow, so a plan for a small table must not use sequential scans.
const begin = preparedWrite(
  'awards.begin',
  `SELECT set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true),
          set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
          set_config('enable_mergejoin', 'off', true)`,
)

/** Sets the transaction's planner settings and its lock timeout in milliseconds. */
export async function beginAwards(trx: Kysely<DB>, lockWait: number): Promise<void> {
  await begin(trx, [String(lockWait)])
}

const storedEvents = preparedWrite<StoredEvent>(
  'awards.find-events',
  'SELECT key, sprint_id, address, points FROM point_events WHERE space_id = $1 AND key = ANY($2::text[])',
)

/** The awards of the space with one of these keys. */
export async function findEvents(trx: Kysely<DB>, spaceId: number, keys: readonly string[]): Promise<StoredEvent[]> {
  return storedEvents(trx, [spaceId, textArray(keys)])
}

const newEvents = preparedWrite(
  'awards.insert-events',
  `INSERT INTO point_events (space_id, key, sprint_id, address, points, applied_at)
   SELECT $1::int, key, sprint_id, address, points, $6::timestamptz
   FROM unnest($2::text[], $3::int[], $4::text[], $5::int[]) AS e (key, sprint_id, address, points)
   ORDER BY key`,
)

export async function insertEvents(
  trx: Kysely<DB>,
  spaceId: number,
  events: readonly { key: string; sprintId: number; address: string; points: number }[],
  now: Date,
): Promise<void> {
  await newEvents(trx, [
    spaceId,
    textArray(events.map((event) => event.key)),
    numberArray(events.map((event) => event.sprintId)),
    textArray(events.map((event) => event.address)),
    numberArray(events.map((event) => event.points)),
    now,
  ])
}

/** The row of a member on a board. */
export interface Place {
  points: number
  /** The row's ctid, which is valid while the space is locked. */
  ctid: string
}

// One text instead of many rows, which the client reads several times as fast.
const standing = preparedWrite<{ places: string | null }>(
  'awards.places',
  `SELECT string_agg(coalesce(e.points || e.ctid::text, ''), ';' ORDER BY m.place) AS places
   FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS m (sprint_id, address, place)
   LEFT JOIN board_entries e ON e.space_id = $1 AND e.sprint_id = m.sprint_id AND e.address = m.address`,
)

/** The rows of members, in the order of `members`; undefined for new members. */
export async function placesOf(
  trx: Kysely<DB>,
  spaceId: number,
  members: readonly { sprintId: number; address: string }[],
): Promise<(Place | undefined)[]> {
  const sprints = numberArray(members.map((member) => member.sprintId))
  const [row] = await standing(trx, [spaceId, sprints, textArray(members.map((member) => member.address))])
  return (row?.places ?? '').split(';').map((place) => {
    const end = place.indexOf('(')
    return end === -1 ? undefined : { points: Number(place.slice(0, end)), ctid: place.slice(end) }
  })
}

// Like applyChanges, for members whose rows are known, so that no row is looked up again.
const totals = preparedWrite<{ changed: number }>(
  'awards.totals',
  `WITH c AS MATERIALIZED (
     SELECT * FROM unnest($2::int[], $3::text[], $4::int[], $5::tid[], $8::text[], $9::text[])
       AS c (sprint_id, address, points, place, username, avatar)
   ), v AS (
     UPDATE space_versions SET version = version + 1 WHERE space_id = $1 RETURNING version
   ), noted AS (
     INSERT INTO space_version_times (space_id, version, recorded_at)
     SELECT $1, v.version, $6::timestamptz FROM v WHERE NOT coalesce((
       SELECT recorded_at > $7::timestamptz FROM space_version_times WHERE space_id = $1
       ORDER BY version DESC LIMIT 1), false)
     ON CONFLICT DO NOTHING
   ), past AS (
     INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
     SELECT e.space_id, e.sprint_id, e.descent, e.address, e.born, v.version, e.username, e.avatar
     FROM v CROSS JOIN c JOIN board_entries e ON e.ctid = c.place
     WHERE e.space_id = $1 AND e.sprint_id = c.sprint_id AND e.address = c.address
   ), changed AS (
     UPDATE board_entries e SET points = c.points, born = v.version
     FROM c CROSS JOIN v
     WHERE e.ctid = c.place AND e.space_id = $1 AND e.sprint_id = c.sprint_id AND e.address = c.address
     RETURNING 1
   ), fresh AS (
     INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
     SELECT $1, c.sprint_id, c.points, c.address, v.version,
            coalesce(nullif(c.username, ''), ${shortId('c.address')}), c.avatar
     FROM v CROSS JOIN c WHERE c.place IS NULL
     ORDER BY c.sprint_id, c.points DESC, c.address
     RETURNING 1
   ), counted AS (
     INSERT INTO boards AS b (space_id, sprint_id, member_count)
     SELECT $1, sprint_id, count(*) FILTER (WHERE place IS NULL) FROM c
     GROUP BY sprint_id ORDER BY sprint_id
     ON CONFLICT (space_id, sprint_id) DO UPDATE SET member_count = b.member_count + excluded.member_count
     WHERE excluded.member_count > 0
   )
   SELECT (SELECT count(*)::int FROM changed) + (SELECT count(*)::int FROM fresh) AS changed`,
)

/** A member's new total on one board. */
export interface NewTotal {
  sprintId: number
  address: string
  points: number
  /** The current row; undefined for a new member, whose name is in `names`. */
  place: Place | undefined
}

/**
 * Creates the next version of a space with these totals. The space has been locked since the rows were read.
 * @param since skips recording the time of the version if one was recorded after this
 */
export async function applyTotals(
  trx: Kysely<DB>,
  spaceId: number,
  changed: readonly NewTotal[],
  names: ReadonlyMap<string, Name>,
  { now, since }: { now: Date; since: Date },
): Promise<void> {
  // Existing members keep their names.
  const shown = (part: keyof Name) => textArray(changed.map(({ address }) => names.get(address)?.[part] ?? ''))
  const [row] = await totals(trx, [
    spaceId,
    numberArray(changed.map((total) => total.sprintId)),
    textArray(changed.map((total) => total.address)),
    numberArray(changed.map((total) => total.points)),
    `{${changed.map(({ place }) => (place ? `"${place.ctid}"` : 'NULL')).join(',')}}`,
    now,
    since,
    shown('username'),
    shown('avatar'),
  ])
  if (row?.changed !== changed.length)
    throw new Error(`${row?.changed ?? 0} of ${changed.length} members were unchanged since they were read`)
}

/** Deletes at most `limit` events. @returns the number of deleted events */
export async function deleteEvents(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM point_events WHERE applied_at < ${before} AND ctid = ANY (ARRAY(
      SELECT ctid FROM point_events WHERE applied_at < ${before} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`.execute(
    kysely,
  )
  return Number(numAffectedRows ?? 0)
}
