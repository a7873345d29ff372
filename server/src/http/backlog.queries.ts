import type { Pool, QueryResultRow } from 'pg'

/** The pending work of all instances together. */
export interface Backlog {
  /** Due messages of webhooks that are on and not paused; counted up to 100,000. */
  webhooksDue: number
  /** Seconds since the oldest of these messages became due. */
  webhooksLate: number
  webhooksFailing: number
  /** Sources of holder lists by the state of their last run. */
  sources: Record<string, number> | null
  sourcesLate: number
  /** Seconds for which a starboard with new samples has not been ranked. */
  rankingLate: number
  /** Seconds since the oldest pending transition of a quest became due. */
  questsLate: number
}

// These statements read whole tables, a few times a minute, and are not part of the request path. One statement per table,
// because the tables have different distribution keys.
const late = (times: string) => `coalesce(extract(epoch FROM $1::timestamptz - min(${times})), 0)::float8 AS late`
const statements = {
  webhooks: `
    SELECT count(*)::int AS due, ${late('next_attempt_at')} FROM (
      SELECT m.next_attempt_at FROM webhook_endpoints e JOIN webhook_messages m USING (endpoint_id)
      WHERE e.disabled_at IS NULL AND (e.paused_until IS NULL OR e.paused_until <= $1::timestamptz)
        AND m.next_attempt_at <= $1 LIMIT 100000) AS due`,
  failing: `
    SELECT count(*)::int AS failing FROM webhook_endpoints WHERE disabled_at IS NULL AND failing_since IS NOT NULL`,
  sources: `SELECT state, count(*)::int AS n FROM credential_sources GROUP BY state`,
  runs: `SELECT ${late('next_run_at')} FROM credential_sources WHERE next_run_at <= $1`,
  rankings: `
    SELECT ${late('l.checked_at')} FROM starboard_refreshes l
    WHERE EXISTS (SELECT FROM starboard_sample_changes c WHERE c.starboard_id = l.starboard_id)`,
  quests: `SELECT ${late('next_transition_at')} FROM quests WHERE next_transition_at <= $1`,
}

/** @throws if the database does not respond */
export async function readBacklog(pool: Pick<Pool, 'query'>, now: Date): Promise<Backlog> {
  const first = async <Row extends QueryResultRow>(text: string, values: unknown[] = [now]) =>
    (await pool.query<Row>(text, values)).rows[0] as Row
  const webhooks = await first<{ due: number; late: number }>(statements.webhooks)
  const { failing } = await first<{ failing: number }>(statements.failing, [])
  const { rows: sources } = await pool.query<{ state: string; n: number }>(statements.sources)
  return {
    webhooksDue: webhooks.due,
    webhooksLate: webhooks.late,
    webhooksFailing: failing,
    sources: sources.length === 0 ? null : Object.fromEntries(sources.map(({ state, n }) => [state, n])),
    sourcesLate: (await first<{ late: number }>(statements.runs)).late,
    rankingLate: (await first<{ late: number }>(statements.rankings)).late,
    questsLate: (await first<{ late: number }>(statements.quests)).late,
  }
}
