import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export type MessageState = 'pending' | 'delivered' | 'failed'

/** A message in the delivery log, with the result of its last attempt. */
export interface LoggedMessage {
  id: string
  event: string
  state: MessageState
  createdAt: Date
  nextAttemptAt: Date | null
  attempts: number
  lastAttemptAt: Date | null
  lastStatus: number | null
  lastError: string | null
}

const columns = sql.raw(`m.message_id AS id, m.event_type AS event, m.state, m.created_at AS "createdAt",
  m.next_attempt_at AS "nextAttemptAt", coalesce(a.attempt, 0) AS attempts, a.started_at AS "lastAttemptAt",
  a.status AS "lastStatus", a.error AS "lastError"`)
const lastAttempt = sql.raw(`LEFT JOIN LATERAL (
  SELECT attempt, started_at, status, error FROM webhook_attempts a
  WHERE a.endpoint_id = m.endpoint_id AND a.message_id = m.message_id ORDER BY attempt DESC LIMIT 1) a ON true`)

/** An endpoint's messages, the newest first. */
export async function listMessages(
  kysely: Kysely<DB>,
  endpointId: string,
  page: { limit: number; before: string | undefined; state: MessageState | undefined },
): Promise<LoggedMessage[]> {
  const { limit, before, state } = page
  const after =
    before === undefined
      ? sql``
      : sql`AND (m.created_at, m.message_id) < (
          (SELECT created_at FROM webhook_messages WHERE endpoint_id = ${endpointId} AND message_id = ${before}), ${before})`
  const { rows } = await sql<LoggedMessage>`
    SELECT ${columns} FROM webhook_messages m ${lastAttempt}
    WHERE m.endpoint_id = ${endpointId} ${state === undefined ? sql`` : sql`AND m.state = ${state}`} ${after}
    ORDER BY m.created_at DESC, m.message_id DESC LIMIT ${limit}`.execute(kysely)
  return rows
}

export async function findMessage(
  kysely: Kysely<DB>,
  endpointId: string,
  messageId: string,
): Promise<(LoggedMessage & { payload: string }) | undefined> {
  const { rows } = await sql<LoggedMessage & { payload: string }>`
    SELECT ${columns}, m.payload FROM webhook_messages m ${lastAttempt}
    WHERE m.endpoint_id = ${endpointId} AND m.message_id = ${messageId}`.execute(kysely)
  return rows[0]
}

export interface LoggedAttempt {
  attempt: number
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  response: string
}

export async function listAttempts(
  kysely: Kysely<DB>,
  endpointId: string,
  messageId: string,
): Promise<LoggedAttempt[]> {
  return kysely
    .selectFrom('webhook_attempts')
    .select(['attempt', 'started_at as startedAt', 'duration_ms as durationMs', 'status', 'error', 'response'])
    .where('endpoint_id', '=', endpointId)
    .where('message_id', '=', messageId)
    .orderBy('attempt')
    .execute()
}

/** Adds a message to the queue again, at the beginning of its schedule. @returns false while it is being sent */
export async function requeueMessage(
  kysely: Kysely<DB>,
  endpointId: string,
  messageId: string,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_messages SET state = 'pending', tries = 0, next_attempt_at = ${now}, lease = NULL
    WHERE endpoint_id = ${endpointId} AND message_id = ${messageId}
      AND (lease IS NULL OR next_attempt_at <= ${now})`.execute(kysely)
  return numAffectedRows === 1n
}

/** The same for every failed message that was created at `since` or later. @returns their number */
export async function requeueFailed(kysely: Kysely<DB>, endpointId: string, since: Date, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_messages SET state = 'pending', tries = 0, next_attempt_at = ${now}
    WHERE endpoint_id = ${endpointId} AND state = 'failed' AND created_at >= ${since}`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
