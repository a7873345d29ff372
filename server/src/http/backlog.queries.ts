import type { Pool } from 'pg'

/** What waits to be done, for all instances together. */
export interface Backlog {
  /** Messages that are due, of endpoints that are on and not paused; counted up to 100,000. */
  webhooksDue: number
  /** Seconds since the oldest of them fell due. */
  webhooksLate: number
  webhooksFailing: number
  /** Sources of holder lists by the state of their last run. */
  sources: Record<string, number> | null
  sourcesLate: number
  /** Seconds that a starboard with new samples was not ranked. */
  rankingLate: number
  /** Seconds since the oldest transition of a quest that was not applied fell due. */
  questsLate: number
}

// Not of the request path: it looks at all of everything, which an operator asks for a few times a minute.
const backlog = `
    WITH due AS (
      SELECT m.next_attempt_at FROM webhook_endpoints e JOIN webhook_messages m USING (endpoint_id)
      WHERE e.disabled_at IS NULL AND (e.paused_until IS NULL OR e.paused_until <= $1::timestamptz)
        AND m.next_attempt_at <= $1 LIMIT 100000)
    SELECT (SELECT count(*)::int FROM due) AS "webhooksDue",
      coalesce((SELECT extract(epoch FROM $1 - min(next_attempt_at)) FROM due), 0)::float8 AS "webhooksLate",
      (SELECT count(*)::int FROM webhook_endpoints WHERE disabled_at IS NULL AND failing_since IS NOT NULL)
        AS "webhooksFailing",
      (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM credential_sources GROUP BY state) s)
        AS sources,
      coalesce((SELECT extract(epoch FROM $1 - min(next_run_at)) FROM credential_sources WHERE next_run_at <= $1), 0)
        ::float8 AS "sourcesLate",
      coalesce((SELECT extract(epoch FROM $1 - min(l.checked_at)) FROM starboard_changes c
        JOIN starboard_refreshes l USING (starboard_id) WHERE c.samples <> l.samples), 0)::float8 AS "rankingLate",
      coalesce((SELECT extract(epoch FROM $1 - min(next_transition_at)) FROM quests WHERE next_transition_at <= $1), 0)
        ::float8 AS "questsLate"`

/** @throws when the database does not answer */
export async function readBacklog(pool: Pick<Pool, 'query'>, now: Date): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(backlog, [now])
  return rows[0] as Backlog
}
