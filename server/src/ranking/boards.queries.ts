import { type Kysely, type RawBuilder, sql } from 'kysely'
import { numberArray, statement, textArray } from '@questboard/pg-read-pipeline'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { reportsProgress, withProgress } from '../database/statement-progress.ts'
import { preparedWrite } from '../database/prepared-write.ts'
import type { DB } from '../database/tables.ts'
import { CoordinatorNeeded } from '../distribution/coordinator-needed.ts'
import { type LedgerSource, monthOf } from './ledger.ts'
import { openMonth } from './ledger.queries.ts'

/** The name shown for a member without a name: short and stable. */
export const shortId = (address: string) => `substr(md5(${address}), 1, 10)`

/** Columns of changes: the new points, name and avatar of members, and the stored ones, which are null for new members. */
export const CHANGE_COLUMNS = `line integer, space_id integer, sprint_id integer, address text COLLATE "C", points integer,
  username text, avatar text, known boolean, old_points integer, old_username text, old_avatar text, born bigint`

/**
 * Rows with CHANGE_COLUMNS. The stored values were read while the space was locked. `line` is only for progress reports.
 */
export type Changes = RawBuilder<unknown>

/** A row of board_moves with this number of changes fits a page of PostgreSQL (8 kB). */
const CHANGES_PER_PART = 800

/** A row of a board whose name or avatar differs from the profile of its member. */
export interface OutdatedEntry {
  space_id: number
  sprint_id: number
  address: string
  points: number
  username: string
  avatar: string
  old_username: string
  old_avatar: string
  born: number
}

/** For a SELECT: makes the commit of this transaction wait for the disk, regardless of the default of the server. */
export const DURABLE = `CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END`

/**
 * Locks the spaces in the order of their ids, so that versions are serialized. The commit waits for the disk.
 */
export async function lockSpaces(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  // Runs before any lock, to avoid a deadlock between transactions that hold spaces and add new ones.
  await addVersions(trx, spaceIds)
  // pg_current_xact_id() assigns the transaction the number that profile_changes.barrier is compared with.
  await sql`
    SELECT lock_spaces(${numberArray(spaceIds)}::int[]), pg_current_xact_id(), ${sql.raw(DURABLE)}`.execute(trx)
}

/** Also finds the node of a space (Database.owner). */
export const spaceResponds = statement<{ responds: boolean }>(
  'boards.responds',
  'SELECT true AS responds FROM space_versions WHERE space_id = $1',
  undefined,
  { priority: true },
)

/**
 * Called before a transaction of awards (Database.reach).
 * @throws UNAVAILABLE if the node of the space does not respond
 */
export async function reachSpace(database: Pick<Database, 'reach'>, spaceId: number): Promise<void> {
  await database.reach(spaceResponds, [spaceId])
}

const lockOne = preparedWrite<{ missing: boolean }>(
  'boards.lock',
  `SELECT to_regclass($2::text) IS NULL AS missing, ${DURABLE} FROM space_versions WHERE space_id = $1 FOR UPDATE`,
)

/**
 * Locks one space in a transaction of awards. Then creates the partition of the ledger for the current month, if it is
 * missing. Entries need a time after the lock, because the month of an earlier time can be sealed.
 * @returns whether the space exists
 * @throws CoordinatorNeeded if the partition is missing and the transaction runs at the owner of the space
 */
export async function lockSpace(trx: Kysely<DB>, spaceId: number, clock: Clock, atOwner = false): Promise<boolean> {
  const { partition } = monthOf(new Date(clock.now()))
  let [locked] = await lockOne(trx, [spaceId, partition])
  if (!locked) {
    const existing = await trx.selectFrom('spaces').select('space_id').where('space_id', '=', spaceId).execute()
    await insertVersions(trx, existing)
    ;[locked] = await lockOne(trx, [spaceId, partition])
  }
  const now = new Date(clock.now())
  if (locked?.missing || monthOf(now).partition !== partition) {
    if (atOwner) throw new CoordinatorNeeded('a month of the ledger begins')
    await openMonth(trx, now)
  }
  return locked !== undefined
}

async function addVersions(trx: Kysely<DB>, spaceIds: readonly number[]): Promise<void> {
  const { rows } = await sql<{ space_id: number }>`
    SELECT s.space_id FROM spaces s LEFT JOIN space_versions v ON v.space_id = s.space_id
    WHERE s.space_id = ANY(${spaceIds}::int[]) AND v.space_id IS NULL ORDER BY s.space_id`.execute(trx)
  await insertVersions(trx, rows)
}

async function insertVersions(trx: Kysely<DB>, rows: readonly { space_id: number }[]): Promise<void> {
  if (rows.length === 0) return
  await trx
    .insertInto('space_versions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The existing sprints among `sprintIds`. */
export async function knownSprints(
  trx: Kysely<DB>,
  spaceId: number,
  sprintIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ sprint_id: number }>`
    SELECT sprint_id FROM sprints
    WHERE space_id = ${spaceId} AND sprint_id = ANY(${numberArray(sprintIds)}::int[])`.execute(trx)
  return new Set(rows.map((row) => row.sprint_id))
}

/** The name in a member's profile; empty fields are not set. */
export interface Name {
  username: string
  avatar: string
}

const names = preparedWrite<Name & { address: string }>(
  'boards.names',
  `SELECT address, coalesce(own_username, username, '') AS username, coalesce(own_avatar, avatar) AS avatar
   FROM profiles WHERE address = ANY($1::text[])`,
)

/** The profiles of the addresses. A separate statement, because profiles are not distributed by space. */
export async function namesOf(trx: Kysely<DB>, addresses: readonly string[]): Promise<Map<string, Name>> {
  if (addresses.length === 0) return new Map()
  return new Map((await names(trx, [textArray(addresses)])).map((row) => [row.address, row]))
}

export function outdatedAsChanges(standings: readonly OutdatedEntry[]): Changes {
  const numbers = (column: 'space_id' | 'sprint_id' | 'points' | 'born') =>
    numberArray(standings.map((standing) => standing[column]))
  const texts = (column: 'address' | 'username' | 'avatar' | 'old_username' | 'old_avatar') =>
    textArray(standings.map((standing) => standing[column]))
  return sql`(
    SELECT 0 AS line, *, points AS old_points, true AS known FROM unnest(
      ${numbers('space_id')}::int[], ${numbers('sprint_id')}::int[], ${texts('address')}::text[],
      ${numbers('points')}::int[], ${texts('username')}::text[], ${texts('avatar')}::text[],
      ${texts('old_username')}::text[], ${texts('old_avatar')}::text[], ${numbers('born')}::bigint[]
    ) AS c (space_id, sprint_id, address, points, username, avatar, old_username, old_avatar, born))`
}

/**
 * Creates the next version of each space with the changes. Copies the rows of known members to board_past, and updates
 * them. Inserts new members. Enters new names in other_board_changes. Then enters changes of points in the ledger, last,
 * because readers can see the entries only after the commit, and a large import takes long. Before the call, the caller must
 * lock the spaces. Reports the line of each written row (database/statement-progress.ts); a known member has two rows.
 * @param time called for the time of the entries in the ledger; its partition must exist afterwards
 * @param actor the author in the ledger
 * @returns the time of the entries
 */
export async function applyChanges(
  trx: Kysely<DB>,
  changes: Changes,
  time: () => Date | Promise<Date>,
  actor?: string,
): Promise<Date> {
  const versioned = sql`${changes} AS c JOIN space_versions v ON v.space_id = c.space_id`
  const moved = sql`(
    SELECT v.space_id, c.sprint_id, c.address, v.version, c.old_points, c.points,
           row_number() OVER (PARTITION BY v.space_id) AS place
    FROM ${versioned} WHERE NOT c.known OR c.points <> c.old_points)`
  await sql`
    UPDATE space_versions SET version = version + 1
    WHERE space_id IN (SELECT space_id FROM ${changes} AS c)`.execute(trx)
  await sql`
    INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
    SELECT v.space_id, c.sprint_id, ~c.old_points, c.address, c.born, v.version, c.old_username,
           ${withProgress('c.old_avatar', 'c.line')}
    FROM ${versioned} WHERE c.known`.execute(trx)
  await sql`
    UPDATE board_entries e SET points = c.points, username = c.username, avatar = c.avatar, born = v.version
    FROM ${versioned}
    WHERE c.known AND e.space_id = v.space_id AND e.sprint_id = c.sprint_id AND e.address = c.address COLLATE "C"
      AND ${reportsProgress('c.line', 'e.ctid')}`.execute(trx)
  await sql`
    INSERT INTO boards AS b (space_id, sprint_id, member_count)
    SELECT v.space_id, c.sprint_id, count(*) FROM ${versioned} WHERE NOT c.known
    GROUP BY v.space_id, c.sprint_id ORDER BY v.space_id, c.sprint_id
    ON CONFLICT (space_id, sprint_id) DO UPDATE SET member_count = b.member_count + excluded.member_count`.execute(trx)
  await sql`
    INSERT INTO board_moves (space_id, sprint_id, version, part, old_points, new_points)
    SELECT space_id, sprint_id, version, place / ${sql.lit(CHANGES_PER_PART)},
           coalesce(array_agg(old_points ORDER BY old_points) FILTER (WHERE old_points IS NOT NULL), '{}'),
           array_agg(points ORDER BY points)
    FROM ${moved} AS m GROUP BY space_id, sprint_id, version, place / ${sql.lit(CHANGES_PER_PART)}`.execute(trx)
  await sql`
    INSERT INTO other_board_changes (space_id, version, position, sprint_id, address)
    SELECT v.space_id, v.version, row_number() OVER (PARTITION BY v.space_id), c.sprint_id, c.address
    FROM ${versioned} WHERE c.known AND c.points = c.old_points`.execute(trx)
  await sql`
    INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
    SELECT space_id, sprint_id, points, address, version, username, ${withProgress('avatar')} FROM (
      SELECT v.space_id, c.sprint_id, c.points, c.address, v.version, c.username, c.avatar, c.line
      FROM ${versioned} WHERE NOT c.known ORDER BY v.space_id, c.sprint_id, c.points DESC, c.address
    ) AS sorted`.execute(trx)
  const now = await time()
  await sql`
    INSERT INTO ledger_entries (space_id, version, entered_at, position, sprint_id, address, points_before,
      points_after, sprint_before, sprint_after, source, actor)
    SELECT space_id, version, ${now}::timestamptz, place, sprint_id, address,
           CASE WHEN sprint_id = 0 THEN old_points END, CASE WHEN sprint_id = 0 THEN points END,
           CASE WHEN sprint_id > 0 THEN old_points END, CASE WHEN sprint_id > 0 THEN points END, ${'import' satisfies LedgerSource}::text,
           ${actor ?? null}::uuid
    FROM ${moved} AS m`.execute(trx)
  return now
}

/** Stores `now` as the time of the current version of each space, unless a time after `since` is already stored. */
export async function recordVersionTimes(
  kysely: Kysely<DB>,
  spaceIds: readonly number[],
  now: Date,
  since: Date,
): Promise<void> {
  await sql`
    INSERT INTO space_version_times (space_id, version, recorded_at)
    SELECT v.space_id, v.version, ${now}::timestamptz FROM space_versions v
    WHERE v.space_id = ANY(${spaceIds}::int[]) AND NOT EXISTS (
      SELECT FROM space_version_times t
      WHERE t.space_id = v.space_id AND (t.version = v.version OR t.recorded_at > ${since}))
    ON CONFLICT DO NOTHING`.execute(kysely)
}

interface SpaceVersion {
  space_id: number
  version: number
}

/** The current versions that have no recorded time. */
export async function versionsWithoutTime(kysely: Kysely<DB>): Promise<SpaceVersion[]> {
  const { rows } = await sql<SpaceVersion>`
    SELECT v.space_id, v.version FROM space_versions v
    WHERE NOT EXISTS (SELECT FROM space_version_times t WHERE t.space_id = v.space_id AND t.version = v.version)
    ORDER BY v.space_id`.execute(kysely)
  return rows
}

/** Stores `at` as the time of each version that is still current, unless a later time is stored for the space. */
export async function recordCurrentVersions(
  kysely: Kysely<DB>,
  versions: readonly SpaceVersion[],
  at: Date,
): Promise<void> {
  const listed = sql`unnest(${numberArray(versions.map(({ space_id }) => space_id))}::int[],
    ${numberArray(versions.map(({ version }) => version))}::bigint[]) AS s (space_id, version)`
  await sql`
    INSERT INTO space_version_times (space_id, version, recorded_at, last_current_at)
    SELECT v.space_id, v.version, ${at}::timestamptz, ${at}::timestamptz FROM space_versions v
    JOIN (SELECT * FROM ${listed}) AS s ON s.space_id = v.space_id AND s.version = v.version
    WHERE NOT EXISTS (SELECT FROM space_version_times t WHERE t.space_id = v.space_id AND t.recorded_at > ${at})
    ON CONFLICT DO NOTHING`.execute(kysely)
}

export interface Horizon {
  space_id: number
  /** The oldest version that a reader may still request. */
  version: number
}

/** For each space, the version that was current at a time. */
export async function horizons(kysely: Kysely<DB>, at: Date): Promise<Horizon[]> {
  const { rows } = await sql<Horizon>`
    SELECT space_id, max(version) AS version FROM space_version_times WHERE recorded_at <= ${at}
    GROUP BY space_id ORDER BY space_id`.execute(kysely)
  return rows
}

/** Deletes some entries that ended before the horizon; returns their number. */
export async function deletePast(kysely: Kysely<DB>, horizon: Horizon, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM board_past WHERE space_id = ${horizon.space_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM board_past
      WHERE space_id = ${horizon.space_id} AND died + 0 <= ${horizon.version} LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** Deletes some changes up to the horizon; returns their number. */
export async function deleteOtherChanges(kysely: Kysely<DB>, horizon: Horizon, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM other_board_changes WHERE space_id = ${horizon.space_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM other_board_changes
      WHERE space_id = ${horizon.space_id} AND version <= ${horizon.version} LIMIT ${limit}
      FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

export async function deleteVersionTimes(kysely: Kysely<DB>, horizon: Horizon): Promise<void> {
  await sql`
    DELETE FROM space_version_times
    WHERE space_id = ${horizon.space_id} AND version < ${horizon.version}`.execute(kysely)
}
