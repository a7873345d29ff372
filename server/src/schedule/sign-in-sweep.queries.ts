import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

export interface SweepTimes {
  now: Date
  codesBefore: Date
  idleSessionsBefore: Date
  revokedGrantsBefore: Date
  /** Signing keys that were followed by another one then. */
  signingKeysFollowedBefore: Date
  /** Seconds since 1970. */
  attemptsBefore: number
}

/** Deletes expired rows that no request can use any more. @returns their number */
export async function deleteEnded(kysely: Kysely<DB>, times: SweepTimes): Promise<number> {
  const { now } = times
  const deletions = [
    kysely.deleteFrom('challenges').where('expires_at', '<', now),
    kysely.deleteFrom('space_invitations').where('expires_at', '<', now),
    kysely.deleteFrom('merge_offers').where('expires_at', '<', now),
    kysely.deleteFrom('authorizations').where('expires_at', '<', now),
    kysely.deleteFrom('authorization_codes').where('expires_at', '<', times.codesBefore),
    kysely.deleteFrom('app_secrets').where('expires_at', '<', now),
    kysely.deleteFrom('access_tokens').where('expires_at', '<', now),
    kysely.deleteFrom('refresh_tokens').where('expires_at', '<', now),
    kysely.deleteFrom('grants').where('revoked_at', '<', times.revokedGrantsBefore),
    kysely.deleteFrom('signing_keys').where('created_at', '<', (eb) =>
      eb
        .selectFrom('signing_keys as next')
        .select(({ fn }) => fn.max('next.created_at').as('created_at'))
        .where('next.created_at', '<=', times.signingKeysFollowedBefore),
    ),
    kysely.deleteFrom('attempt_windows').where('window_start', '<', times.attemptsBefore),
  ]
  let deleted = BigInt(await deleteEndedSessions(kysely, times))
  for (const deletion of deletions) deleted += (await deletion.executeTakeFirstOrThrow()).numDeletedRows
  return Number(deleted)
}

/** Apps receive no logout token, because their sessions expire too. */
async function deleteEndedSessions(kysely: Kysely<DB>, { now, idleSessionsBefore }: SweepTimes): Promise<number> {
  return kysely.transaction().execute(async (transaction) => {
    const ended = await transaction
      .deleteFrom('sessions')
      .where((eb) => eb.or([eb('expires_at', '<', now), eb('last_seen_at', '<', idleSessionsBefore)]))
      .returning('session_id')
      .execute()
    const ids = ended.map(({ session_id }) => session_id)
    await sql`DELETE FROM session_apps WHERE session_id = ANY(${ids}::uuid[])`.execute(transaction)
    return ended.length
  })
}

/** @returns how many events were deleted; at most `limit` */
export async function deleteSecurityEvents(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM security_events WHERE (account_id, happened_at, event_id) IN (
      SELECT account_id, happened_at, event_id FROM security_events
      WHERE happened_at < ${before} ORDER BY happened_at LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** Grants that were not used since then and have no token left. @returns how many were deleted; at most `limit` */
export async function deleteDeadGrants(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM grants WHERE family IN (
      SELECT family FROM grants g
      WHERE last_used_at < ${before}
        AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.family = g.family)
        AND NOT EXISTS (SELECT FROM refresh_tokens t WHERE t.family = g.family)
      LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
