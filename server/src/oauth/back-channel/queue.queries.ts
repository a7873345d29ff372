import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import type { Claim } from '../../jobs/sender.ts'

/** A logout token that an app has not received yet. */
export interface LogoutNotice {
  noticeId: string
  clientId: string
  /** Null if the account was deleted. */
  accountId: string | null
  sid: string
  /** Failed attempts. */
  tries: number
}

export interface NoticeClaim extends Claim {
  /** The maximum of concurrent attempts of this process for an app. */
  perApp: number
}

/**
 * Claims due notices, skipping rows that another process is claiming. At most `perApp` notices of an app are claimed, so
 * that an app that does not respond does not delay other apps.
 */
export async function claimNotices(kysely: Kysely<DB>, claim: NoticeClaim): Promise<LogoutNotice[]> {
  const { lease, now, until, limit, perApp, busy } = claim
  // Reads the name of each app in the queue by the index, not all notices.
  const { rows } = await sql<LogoutNotice>`
    WITH RECURSIVE queued AS (
      (SELECT client_id FROM logout_notices ORDER BY client_id LIMIT 1)
      UNION ALL
      SELECT (SELECT n.client_id FROM logout_notices n WHERE n.client_id > q.client_id ORDER BY n.client_id LIMIT 1)
      FROM queued q WHERE q.client_id IS NOT NULL
    ), busy AS (
      SELECT client_id, count FROM unnest(${[...busy.keys()]}::text[], ${[...busy.values()]}::int[]) AS b (client_id, count)
    ), shares AS MATERIALIZED (
      SELECT n.notice_id, n.next_attempt_at, coalesce(b.count, 0) + n.place AS place
      FROM queued q LEFT JOIN busy b ON b.client_id = q.client_id
      CROSS JOIN LATERAL (
        SELECT notice_id, next_attempt_at, row_number() OVER (ORDER BY next_attempt_at) AS place FROM logout_notices
        WHERE client_id = q.client_id AND next_attempt_at <= ${now}
        ORDER BY next_attempt_at LIMIT greatest(0, ${perApp}::int - coalesce(b.count, 0))
      ) AS n
    ), due AS MATERIALIZED (
      SELECT n.notice_id FROM shares s JOIN logout_notices n ON n.notice_id = s.notice_id
      WHERE n.next_attempt_at <= ${now}
      ORDER BY s.place, s.next_attempt_at LIMIT ${limit}
      FOR UPDATE OF n SKIP LOCKED
    )
    UPDATE logout_notices n SET lease = ${lease}, next_attempt_at = ${until}
    FROM due WHERE n.notice_id = due.notice_id
    RETURNING n.notice_id AS "noticeId", n.client_id AS "clientId", n.account_id AS "accountId", n.sid, n.tries`.execute(
    kysely,
  )
  return rows
}

/** Deletes a notice. Returns false if the lease belongs to another process. */
export async function deleteNotice(kysely: Kysely<DB>, noticeId: string, lease: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('logout_notices')
    .where('notice_id', '=', noticeId)
    .where('lease', '=', lease)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Sets the time of the next attempt. Returns false if the lease belongs to another process. */
export async function postponeNotice(
  kysely: Kysely<DB>,
  noticeId: string,
  lease: string,
  { next, tries }: { next: Date; tries: number },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('logout_notices')
    .set({ lease: null, next_attempt_at: next, tries })
    .where('notice_id', '=', noticeId)
    .where('lease', '=', lease)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
