import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { Claim } from '../jobs/sender.ts'

export interface ClaimedMessage {
  endpointId: string
  messageId: string
  payload: string
  /** Attempts since the message was last queued. */
  tries: number
  url: string
}

export interface EndpointClaim extends Claim {
  /** The maximum number of concurrent attempts of this process for a working and for a failing endpoint. */
  perEndpoint: number
  perFailing: number
  /** The maximum number of concurrent attempts of this process for all endpoints of an account. */
  perAccount: number
}

/**
 * Claims due messages, skipping rows that another process is claiming. First come the endpoints with the fewest attempts,
 * then the messages that have been due longest, so a long queue of one endpoint does not delay the others.
 */
export async function claimDue(kysely: Kysely<DB>, claim: EndpointClaim): Promise<ClaimedMessage[]> {
  const { lease, now, until, limit, perEndpoint, perFailing, perAccount, busy } = claim
  // Chooses without locks, then locks only the chosen rows and checks again that they are due: a claim moves
  // next_attempt_at to the end of its lease.
  const { rows } = await sql<ClaimedMessage>`
    WITH busy AS (
      SELECT b.endpoint_id, e.account_id, b.count
      FROM unnest(${[...busy.keys()]}::uuid[], ${[...busy.values()]}::int[]) AS b (endpoint_id, count)
      JOIN webhook_endpoints e USING (endpoint_id)
    ), busy_accounts AS (
      SELECT account_id, sum(count) AS count FROM busy GROUP BY account_id
    ), counted AS (
      SELECT e.endpoint_id, e.account_id, e.url, m.message_id, m.next_attempt_at, coalesce(b.count, 0) + m.n AS place
      FROM webhook_endpoints e LEFT JOIN busy b ON b.endpoint_id = e.endpoint_id
      CROSS JOIN LATERAL (
        SELECT message_id, next_attempt_at, row_number() OVER (ORDER BY next_attempt_at) AS n FROM webhook_messages
        WHERE endpoint_id = e.endpoint_id AND next_attempt_at <= ${now}
        ORDER BY next_attempt_at
        LIMIT greatest(0, CASE WHEN e.failing_since IS NULL THEN ${perEndpoint}::int ELSE ${perFailing}::int END
          - coalesce(b.count, 0))
      ) AS m
      WHERE e.disabled_at IS NULL AND (e.paused_until IS NULL OR e.paused_until <= ${now})
    ), shares AS MATERIALIZED (
      SELECT counted.*,
        row_number() OVER (PARTITION BY account_id ORDER BY place, next_attempt_at) AS of_account FROM counted
    ), due AS MATERIALIZED (
      SELECT m.endpoint_id, m.message_id, s.url
      FROM shares s LEFT JOIN busy_accounts a ON a.account_id = s.account_id
      JOIN webhook_messages m ON m.endpoint_id = s.endpoint_id AND m.message_id = s.message_id
      WHERE s.of_account + coalesce(a.count, 0) <= ${perAccount}::int AND m.next_attempt_at <= ${now}
      ORDER BY s.place, s.next_attempt_at
      LIMIT ${limit}
      FOR UPDATE OF m SKIP LOCKED
    )
    UPDATE webhook_messages m SET lease = ${lease}, next_attempt_at = ${until}
    FROM due WHERE m.endpoint_id = due.endpoint_id AND m.message_id = due.message_id
    RETURNING m.endpoint_id AS "endpointId", m.message_id AS "messageId", m.payload, m.tries, due.url`.execute(kysely)
  return rows
}

/** Ends an attempt; `next` is null for a settled message. Returns false if the lease belongs to another process. */
export async function endAttempt(
  trx: Kysely<DB>,
  { endpointId, messageId }: Pick<ClaimedMessage, 'endpointId' | 'messageId'>,
  lease: string,
  outcome: { state: 'pending' | 'delivered' | 'failed'; next: Date | null; tries: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE webhook_messages
    SET state = ${outcome.state}, next_attempt_at = ${outcome.next}, tries = ${outcome.tries}, lease = NULL
    WHERE endpoint_id = ${endpointId} AND message_id = ${messageId} AND lease = ${lease}`.execute(trx)
  return numAffectedRows === 1n
}

export interface Attempt {
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  response: string
}

export async function recordAttempt(
  trx: Kysely<DB>,
  { endpointId, messageId }: Pick<ClaimedMessage, 'endpointId' | 'messageId'>,
  { startedAt, durationMs, status, error, response }: Attempt,
): Promise<void> {
  await sql`
    INSERT INTO webhook_attempts (endpoint_id, message_id, attempt, started_at, duration_ms, status, error, response)
    SELECT ${endpointId}, ${messageId}, coalesce(max(attempt), 0) + 1, ${startedAt}, ${durationMs}, ${status}::int,
           ${error}::text, ${response}
    FROM webhook_attempts WHERE endpoint_id = ${endpointId} AND message_id = ${messageId}`.execute(trx)
}

export async function noteSuccess(trx: Kysely<DB>, endpointId: string): Promise<void> {
  await sql`
    UPDATE webhook_endpoints SET failing_since = NULL
    WHERE endpoint_id = ${endpointId} AND failing_since IS NOT NULL`.execute(trx)
}

/**
 * Records a failed attempt. Returns the time of the first failure in a row; undefined if the endpoint is disabled or
 * deleted.
 */
export async function noteFailure(
  trx: Kysely<DB>,
  endpointId: string,
  now: Date,
  pauseUntil: Date | null,
): Promise<Date | undefined> {
  const { rows } = await sql<{ failing_since: Date }>`
    UPDATE webhook_endpoints
    SET failing_since = coalesce(failing_since, ${now}), paused_until = greatest(paused_until, ${pauseUntil}::timestamptz)
    WHERE endpoint_id = ${endpointId} AND disabled_at IS NULL
    RETURNING failing_since`.execute(trx)
  return rows[0]?.failing_since
}
