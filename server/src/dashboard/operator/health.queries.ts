import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { APP_PROPOSES, APP_WAITS } from '../../oauth/app.queries.ts'

/** Counts of pending and late work. */
export interface Work {
  /** Apps, or new URIs of apps, that wait for a decision. */
  appsWaiting: number
  appsPending: number
  appChanges: number
  /** Credentials whose last run failed or waits for a confirmation. */
  syncsFailed: number
  syncsHeld: number
  syncsRunning: number
  /** Pending webhook messages, and those that were due more than five minutes ago. */
  deliveriesWaiting: number
  deliveriesLate: number
  /** Webhooks that were disabled because all deliveries failed. */
  webhooksDisabled: number
  transitionsLate: number
  /** Bans that end within a week. */
  bansEnding: number
}

/** The condition of late messages, and of webhooks that were disabled because all deliveries failed. */
const isLate = (now: Date) => sql`next_attempt_at < ${now}::timestamptz - interval '5 minutes'`
const IS_DISABLED = sql`disabled_at IS NOT NULL AND failing_since IS NOT NULL`

export interface LateMessages {
  endpointId: string
  count: number
  /** The time at which the oldest was due. */
  since: Date
}

/** The webhooks with late messages, the latest first. */
export async function findLateMessages(kysely: Kysely<DB>, now: Date, limit: number): Promise<LateMessages[]> {
  const { rows } = await sql<LateMessages>`
    SELECT endpoint_id AS "endpointId", count(*) AS count, min(next_attempt_at) AS since
    FROM webhook_messages WHERE ${isLate(now)}
    GROUP BY endpoint_id ORDER BY since, endpoint_id LIMIT ${limit}`.execute(kysely)
  return rows
}

export interface LateOrDisabledWebhook {
  endpointId: string
  accountId: string
  url: string
  disabledAt: Date | null
  disabledReason: string | null
  failingSince: Date | null
  pausedUntil: Date | null
}

/** Webhooks that were disabled because all deliveries failed, and the given ones. */
export async function findLateAndDisabledWebhooks(
  kysely: Kysely<DB>,
  late: readonly string[],
  limit: number,
): Promise<LateOrDisabledWebhook[]> {
  const { rows } = await sql<LateOrDisabledWebhook>`
    SELECT endpoint_id AS "endpointId", account_id AS "accountId", url, disabled_at AS "disabledAt",
      disabled_reason AS "disabledReason", failing_since AS "failingSince", paused_until AS "pausedUntil"
    FROM webhook_endpoints WHERE (${IS_DISABLED}) OR endpoint_id = ANY(${late}::uuid[])
    ORDER BY disabled_at DESC NULLS FIRST, endpoint_id LIMIT ${limit}`.execute(kysely)
  return rows
}

export async function countWork(kysely: Kysely<DB>, now: Date): Promise<Work> {
  // One statement per count, because the tables have different distribution keys.
  const count = async (which: RawBuilder<unknown>) =>
    (await sql<{ count: number }>`SELECT count(*) AS count FROM ${which}`.execute(kysely)).rows[0]?.count ?? 0
  return {
    appsWaiting: await count(sql`apps WHERE ${sql.raw(APP_WAITS)}`),
    appsPending: await count(sql`apps WHERE status = 'pending'`),
    appChanges: await count(sql`apps WHERE ${sql.raw(APP_PROPOSES)}`),
    syncsFailed: await count(sql`credential_sources WHERE state IN ('failed', 'held')`),
    syncsHeld: await count(sql`credential_sources WHERE state = 'held'`),
    syncsRunning: await count(sql`credential_sources WHERE state = 'running' AND lease_until > ${now}`),
    deliveriesWaiting: await count(sql`webhook_messages WHERE next_attempt_at IS NOT NULL`),
    deliveriesLate: await count(sql`webhook_messages WHERE ${isLate(now)}`),
    webhooksDisabled: await count(sql`webhook_endpoints WHERE ${IS_DISABLED}`),
    transitionsLate: await count(sql`quests WHERE next_transition_at < ${now}::timestamptz - interval '1 minute'`),
    bansEnding: await count(sql`bans WHERE ended_at IS NULL AND ends_at < ${now}::timestamptz + interval '7 days'`),
  }
}
