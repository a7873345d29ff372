import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { APP_WAITS } from '../oauth/app.queries.ts'

/** What waits for somebody, or is late. */
export interface Work {
  /** Apps about which, or about whose new redirect URIs, an operator has to decide. */
  appsWaiting: number
  /** Credentials whose last run failed, or waits for a confirmation. */
  syncsFailed: number
  syncsRunning: number
  /** Webhook messages that are to be sent, and of them those that were due more than five minutes ago. */
  deliveriesWaiting: number
  deliveriesLate: number
  /** Webhooks that were switched off because they only failed. */
  webhooksDisabled: number
  /** Quest transitions that fell due more than a minute ago. */
  transitionsLate: number
}

export async function countWork(kysely: Kysely<DB>, now: Date): Promise<Work> {
  const { rows } = await sql<Work>`
    SELECT
      (SELECT count(*) FROM apps WHERE ${sql.raw(APP_WAITS)}) AS "appsWaiting",
      (SELECT count(*) FROM credential_sources WHERE state IN ('failed', 'held')) AS "syncsFailed",
      (SELECT count(*) FROM credential_sources WHERE state = 'running' AND lease_until > ${now}) AS "syncsRunning",
      (SELECT count(*) FROM webhook_messages WHERE next_attempt_at IS NOT NULL) AS "deliveriesWaiting",
      (SELECT count(*) FROM webhook_messages
       WHERE next_attempt_at < ${now}::timestamptz - interval '5 minutes') AS "deliveriesLate",
      (SELECT count(*) FROM webhook_endpoints WHERE disabled_at IS NOT NULL AND failing_since IS NOT NULL) AS "webhooksDisabled",
      (SELECT count(*) FROM quests
       WHERE next_transition_at < ${now}::timestamptz - interval '1 minute') AS "transitionsLate"`.execute(kysely)
  return rows[0] as Work
}
