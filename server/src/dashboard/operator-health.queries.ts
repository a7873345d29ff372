import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import { APP_WAITS } from '../oauth/app.queries.ts'

/** Counts of pending and late work. */
export interface Work {
  /** Apps, or new redirect URIs of apps, that wait for a decision. */
  appsWaiting: number
  /** Credentials whose last run failed or waits for a confirmation. */
  syncsFailed: number
  syncsRunning: number
  /** Pending webhook messages, and those that were due more than five minutes ago. */
  deliveriesWaiting: number
  deliveriesLate: number
  /** Webhooks that were disabled because all deliveries failed. */
  webhooksDisabled: number
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
