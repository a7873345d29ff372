import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/**
 * Records that samples of users changed, so that their starboards are ranked again soon. Call it in the transaction that
 * changes the samples.
 * @param changed a SELECT of the columns starboard_id and handle
 */
export async function noteSampleChanges(trx: Kysely<DB>, changed: RawBuilder<unknown>): Promise<void> {
  await sql`
    INSERT INTO starboard_sample_changes (starboard_id, handles)
    SELECT starboard_id, array_agg(DISTINCT handle) FROM (${changed}) AS changed GROUP BY starboard_id`.execute(trx)
}

/** Recorded changes of samples that no refresh has included. */
export interface SampleChanges {
  ids: string[]
  /** The number of their handles; a handle that changed twice counts twice. */
  handles: number
}

export async function recordedChanges(trx: Kysely<DB>, starboardId: string): Promise<SampleChanges> {
  const { rows } = await sql<SampleChanges>`
    SELECT coalesce(array_agg(change_id), '{}') AS ids, coalesce(sum(cardinality(handles)), 0)::int AS handles
    FROM starboard_sample_changes WHERE starboard_id = ${starboardId}`.execute(trx)
  return rows[0] ?? { ids: [], handles: 0 }
}

export async function deleteChanges(trx: Kysely<DB>, starboardId: string, ids: readonly string[]): Promise<void> {
  await sql`
    DELETE FROM starboard_sample_changes
    WHERE starboard_id = ${starboardId} AND change_id = ANY (${ids}::uuid[])`.execute(trx)
}

/** The periods that a ranking compares with. */
export const PERIODS = { day: '24 hours', week: '168 hours', month: '720 hours' }

/** The ages at which samples change a ranking. */
export const AGES = ['0', ...Object.values(PERIODS)]

/** A SELECT of the samples of a starboard that have reached an age between two times. */
const reached = (age: string, id: RawBuilder<unknown>, after: RawBuilder<unknown>, until: RawBuilder<unknown>) => sql`
  SELECT FROM score_samples p WHERE p.starboard_id = ${id}
    AND p.sampled_at > ${after} - ${sql.lit(age)}::interval AND p.sampled_at <= ${until} - ${sql.lit(age)}::interval`

/**
 * The number of samples whose time has arrived between two times, and of those that have become as old as a comparison period,
 * each counted up to `limit`.
 */
export async function countReached(
  trx: Kysely<DB>,
  starboardId: string,
  { after, until, limit }: { after: Date; until: Date; limit: number },
): Promise<{ arrived: number; aged: number }> {
  const times = [sql`${after}::timestamptz`, sql`${until}::timestamptz`] as const
  const count = (ages: readonly string[]) => sql`(
    SELECT count(*)::int FROM (${sql.join(
      ages.map((age) => reached(age, sql`${starboardId}`, ...times)),
      sql` UNION ALL `,
    )} LIMIT ${limit}) AS samples)`
  const { rows } = await sql<{ arrived: number; aged: number }>`
    SELECT ${count(['0'])} AS arrived, ${count(Object.values(PERIODS))} AS aged`.execute(trx)
  return rows[0] ?? { arrived: 0, aged: 0 }
}

/**
 * The starboards whose ranking may be outdated: those that were never checked, those whose samples have changed since the last
 * check, and, if this check was `period` ago, those with a sample that has since become as old as a comparison period (24
 * hours, 7 or 30 days). The time between two checks grows by 1 ms for each row that the last ranking wrote. This limits the
 * rows of rankings that cursors can still reach to a few million.
 * @param rest the minimum time between two checks in milliseconds
 * @param period the time in milliseconds after which elapsed time alone requires a check
 */
export async function dueStarboards(kysely: Kysely<DB>, now: Date, rest: number, period: number): Promise<string[]> {
  const { rows: all } = await sql<{ starboard_id: string }>`
    SELECT starboard_id FROM starboards ORDER BY starboard_id`.execute(kysely)
  const aged = AGES.map(
    (age) => sql`EXISTS (${reached(age, sql`l.starboard_id`, sql`l.checked_at`, sql`${now}::timestamptz`)})`,
  )
  // Separate, because an outer join of the starboards with distributed tables cannot run on the nodes.
  const { rows: checked } = await sql<{ starboard_id: string; due: boolean }>`
    SELECT l.starboard_id, l.checked_at <= ${now}::timestamptz - interval '1 millisecond' * greatest(${rest}::integer, coalesce((
      SELECT r.rows_written FROM starboard_rankings r WHERE r.starboard_id = l.starboard_id ORDER BY r.version DESC LIMIT 1
    ), 0)) AND (
      EXISTS (SELECT FROM starboard_sample_changes c WHERE c.starboard_id = l.starboard_id)
      OR l.checked_at <= ${now}::timestamptz - ${period}::integer * interval '1 millisecond' AND (${sql.join(aged, sql` OR `)})) AS due
    FROM starboard_refreshes l
    ORDER BY l.checked_at, l.starboard_id`.execute(kysely)
  const [known, existing] = [checked, all].map((rows) => new Set(rows.map((row) => row.starboard_id)))
  return [
    ...all.filter((row) => !known?.has(row.starboard_id)),
    ...checked.filter((row) => row.due && existing?.has(row.starboard_id)),
  ].map((row) => row.starboard_id)
}
