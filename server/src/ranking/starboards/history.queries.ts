import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/** A day of samples to thin. */
export interface HistoryDay {
  starboard_id: string
  from: Date
  until: Date
  /** The previous value of thinned_until; null if the history was never thinned. */
  thinned_until: Date | null
}

/** The first day of each history that is not thinned up to the day of `before`, in UTC. */
export async function unthinnedDays(kysely: Kysely<DB>, before: Date): Promise<HistoryDay[]> {
  const { rows: starboards } = await sql<{ id: string }>`
    SELECT starboard_id AS id FROM starboards ORDER BY starboard_id`.execute(kysely)
  const days: HistoryDay[] = []
  for (const { id } of starboards) {
    const { rows } = await sql<HistoryDay>`
      SELECT ${id}::text AS starboard_id, begin AS "from", begin + interval '1 day' AS until, thinned_until
      FROM (SELECT max(thinned_until) AS thinned_until FROM starboard_histories WHERE starboard_id = ${id}) AS history
      CROSS JOIN LATERAL (
        SELECT date_trunc('day', min(sampled_at), 'UTC') AS begin FROM score_samples
        WHERE starboard_id = ${id} AND sampled_at >= coalesce(thinned_until, '-infinity')
      ) AS first
      WHERE begin + interval '1 day' <= ${before}`.execute(kysely)
    days.push(...rows)
  }
  return days
}

/** Deletes at most `limit` samples of a day that are not the last of their user on that day; returns their number. */
export async function thinDay(kysely: Kysely<DB>, day: HistoryDay, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM score_samples WHERE starboard_id = ${day.starboard_id} AND ctid = ANY (ARRAY(
      SELECT ctid FROM score_samples s
      WHERE starboard_id = ${day.starboard_id} AND sampled_at >= ${day.from} AND sampled_at < ${day.until}
        AND EXISTS (
          SELECT FROM score_samples later
          WHERE later.starboard_id = ${day.starboard_id} AND later.handle = s.handle
            AND later.sampled_at > s.sampled_at AND later.sampled_at < ${day.until})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** Has no effect if late samples have reopened the history in the meantime. */
export async function noteThinned(kysely: Kysely<DB>, day: HistoryDay): Promise<void> {
  await sql`
    INSERT INTO starboard_histories AS h (starboard_id, thinned_until) VALUES (${day.starboard_id}, ${day.until})
    ON CONFLICT (starboard_id) DO UPDATE SET thinned_until = excluded.thinned_until
    WHERE h.thinned_until = ${day.thinned_until}`.execute(kysely)
}

/** Deletes samples before `end` of users that have a later sample before `recent`; returns their number. */
export async function endHistory(
  kysely: Kysely<DB>,
  starboardId: string,
  end: Date,
  recent: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM score_samples WHERE starboard_id = ${starboardId} AND ctid = ANY (ARRAY(
      SELECT ctid FROM score_samples s
      WHERE starboard_id = ${starboardId} AND sampled_at < ${end} AND EXISTS (
        SELECT FROM score_samples later
        WHERE later.starboard_id = ${starboardId} AND later.handle = s.handle
          AND later.sampled_at > s.sampled_at AND later.sampled_at < ${recent})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** Makes the next run thin late samples. Call it in the transaction that stores them. */
export async function reopenHistory(trx: Kysely<DB>, starboardId: string, sampledAt: Date): Promise<void> {
  await sql`
    UPDATE starboard_histories SET thinned_until = date_trunc('day', ${sampledAt}::timestamptz, 'UTC')
    WHERE starboard_id = ${starboardId} AND thinned_until > ${sampledAt}`.execute(trx)
}
