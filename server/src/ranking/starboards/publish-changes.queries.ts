import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { AGES, PERIODS } from './changes.queries.ts'
import { isOfUser, nextPlaces, rankAt, USERS_PER_PLACE } from './entries.queries.ts'
import { type CurrentRanking, previousVersion } from './refresh.queries.ts'

export interface PublishChangesInput {
  starboardId: string
  now: Date
  /** The time of the last refresh. */
  since: Date
  published: CurrentRanking
  /** The ids of the recorded changes to include. */
  changes: readonly string[]
}

/**
 * Stores the next version of a ranking in its generation: only the entries of users whose values have changed, unless
 * nothing changed.
 * @returns the number of ranked users, or undefined if nothing was stored
 */
export async function publishChanges(trx: Kysely<DB>, input: PublishChangesInput): Promise<number | undefined> {
  const { starboardId, now, since, published, changes } = input
  await lookUpByIndex(trx)
  const { rows } = await trx.executeQuery<{ user_count: number }>(
    CompiledQuery.raw(PUBLISH, [
      starboardId,
      now,
      published.version,
      published.generation,
      previousVersion(published) ?? null,
      changes,
      since,
      published.has_newer,
    ]),
  )
  return rows[0]?.user_count
}

/**
 * The statistics lack the newest generation, so the planner expects one row of it, and other joins than look-ups in an
 * index would read all users.
 */
export async function lookUpByIndex(trx: Kysely<DB>): Promise<void> {
  await sql`SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('jit', 'off', true)`.execute(trx)
}

const reached = (age: string) => `
  SELECT handle FROM score_samples
  WHERE starboard_id = $1 AND sampled_at > $7::timestamptz - interval '${age}' AND sampled_at <= $2::timestamptz - interval '${age}'`

/**
 * The newest sample of a candidate that is at least this old. Only the primary key has this order: without statistics of old
 * samples, the planner would read all of them in the order of time.
 */
const newest = (name: string, age: string) => `
  LEFT JOIN LATERAL (
    SELECT s.score, s.individual, s.aura FROM score_samples s
    WHERE s.starboard_id = $1 AND s.handle >= c.handle
      AND (s.handle, s.sampled_at) <= (c.handle, $2::timestamptz - interval '${age}')
    ORDER BY s.handle DESC, s.sampled_at DESC LIMIT 1) AS ${name} ON true`

/** Whether the previous version contains an entry. Otherwise, the entry contains the previous values. */
const isCounted = '(e.from_version <= $5::bigint)'

/** Exported for its test. */
export const PUBLISH = `
WITH candidates AS MATERIALIZED (
  SELECT unnest(handles) AS handle FROM starboard_sample_changes WHERE starboard_id = $1 AND change_id = ANY ($6::uuid[])
  UNION ${AGES.map(reached).join(' UNION ')}
),
changes AS MATERIALIZED (
  SELECT c.handle, latest.score, latest.individual, latest.aura,
    day.score AS score_24h, week.score AS score_7d, month.score AS score_30d,
    e.score AS old_score,
    CASE WHEN ${isCounted} THEN ${rankAt('$4', '$5', 'e.descent')} ELSE e.previous_rank END AS previous_rank,
    CASE WHEN ${isCounted} THEN e.score ELSE e.previous_score END AS previous_score,
    e.score IS NOT NULL AND NOT coalesce(${isCounted}, false) AND e.score IS DISTINCT FROM e.previous_score AS had_moved
  FROM candidates c
  ${newest('latest', '0')} ${Object.entries(PERIODS)
    .map(([name, age]) => newest(name, age))
    .join(' ')}
  LEFT JOIN LATERAL (
    SELECT e.* FROM starboard_entries e
    WHERE e.starboard_id = $1 AND ${isOfUser('e', '$4', 'c.handle')} AND e.until_version IS NULL) AS e ON true
  WHERE (latest.score, latest.individual, latest.aura, day.score, week.score, month.score)
    IS DISTINCT FROM (e.score, e.individual, e.aura, e.score_24h, e.score_7d, e.score_30d)
),
ranking AS (
  INSERT INTO starboard_rankings (starboard_id, version, generation, previous_version, ranked_at, newest_sample,
    user_count, rows_written, changed, moved)
  SELECT $1, $3::bigint + 1, $4, $5, $2, (
      SELECT sampled_at FROM score_samples WHERE starboard_id = $1 AND sampled_at <= $2 ORDER BY sampled_at DESC LIMIT 1),
    r.user_count + change.joined, change.entries + r.user_count / ${USERS_PER_PLACE}, r.changed + change.entries,
    CASE WHEN $8::boolean THEN 0 ELSE r.moved - change.had_moved END + change.moved
  FROM starboard_rankings r
  CROSS JOIN (
    SELECT count(*)::int AS entries, (count(score) - count(old_score))::int AS joined,
      (count(*) FILTER (WHERE had_moved))::int AS had_moved,
      (count(*) FILTER (WHERE score IS DISTINCT FROM previous_score))::int AS moved
    FROM changes) AS change
  WHERE r.starboard_id = $1 AND r.version = $3 AND (change.entries > 0 OR $8 AND r.moved > 0)
  RETURNING user_count
),
replaced AS (
  UPDATE starboard_entries e SET until_version = $3::bigint + 1 FROM changes c
  WHERE c.old_score IS NOT NULL AND e.starboard_id = $1 AND ${isOfUser('e', '$4', 'c.handle')} AND e.until_version IS NULL
),
entries AS (
  INSERT INTO starboard_entries (starboard_id, generation, handle, from_version, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura)
  SELECT $1, $4, handle, $3::bigint + 1, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura
  FROM changes WHERE score IS NOT NULL
),
places AS (${nextPlaces('changes', '$3::bigint', 'EXISTS (SELECT FROM ranking)')})
SELECT user_count FROM ranking`
