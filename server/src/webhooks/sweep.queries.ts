import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Deletes only settled messages, and messages whose endpoint no longer exists. */
export async function deleteOldMessages(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH old AS (
      DELETE FROM webhook_messages WHERE (endpoint_id, message_id) IN (
        SELECT endpoint_id, message_id FROM webhook_messages m
        WHERE created_at < ${before} AND (next_attempt_at IS NULL
          OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.endpoint_id = m.endpoint_id))
        ORDER BY created_at LIMIT ${limit} FOR UPDATE OF m SKIP LOCKED)
      RETURNING endpoint_id, message_id
    ), attempts AS (
      DELETE FROM webhook_attempts a USING old WHERE a.endpoint_id = old.endpoint_id AND a.message_id = old.message_id
    )
    SELECT count(*) AS count FROM old`.execute(kysely)
  return rows[0]?.count ?? 0
}

export async function deleteExpiredSecrets(kysely: Kysely<DB>, now: Date): Promise<number> {
  const { numDeletedRows } = await kysely
    .deleteFrom('webhook_secrets')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
