import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { MAX_SKEW } from '../database/clock-skew.ts'
import type { DB } from '../database/tables.ts'
import { lockCredential } from './checks.queries.ts'
import { forgetAttempts } from './members/quiz-attempts.queries.ts'

export interface SourceRow {
  credentialId: string
  name: string
  credType: string
  credSource: string
  syncStatus: string
  itemCount: number
  lastUpdate: Date
  lastSync: Date
  /** Undefined fields of a credential without a source are null. */
  source: unknown
  everySeconds: number | null
  nextRunAt: Date | null
  state: 'waiting' | 'running' | 'done' | 'failed' | 'held' | null
  reason: string | null
  failures: number | null
  lastRunAt: Date | null
  lastSuccessAt: Date | null
}

const columns = sql`
  c.credential_id::text AS "credentialId", c.name, c.cred_type AS "credType", c.cred_source AS "credSource",
  c.sync_status AS "syncStatus", c.item_count AS "itemCount", c.last_update AS "lastUpdate", c.last_sync AS "lastSync",
  s.source, s.every_seconds AS "everySeconds", s.next_run_at AS "nextRunAt", s.state, s.reason, s.failures,
  s.last_run_at AS "lastRunAt", s.last_success_at AS "lastSuccessAt"`

/** A credential and its source, if it has one; undefined if the credential does not exist. */
export async function findSource(kysely: Kysely<DB>, credentialId: string): Promise<SourceRow | undefined> {
  const { rows } = await sql<SourceRow>`
    SELECT ${columns} FROM credentials c LEFT JOIN credential_sources s USING (credential_id)
    WHERE c.credential_id = ${credentialId}`.execute(kysely)
  return rows[0]
}

/** Locks a credential, then reads its source, because a change that the lock waits for may replace the source. */
export async function lockSource(trx: Kysely<DB>, credentialId: string): Promise<SourceRow | undefined> {
  await lockCredential(trx, credentialId)
  return findSource(trx, credentialId)
}

export async function listSources(kysely: Kysely<DB>): Promise<SourceRow[]> {
  const { rows } = await sql<SourceRow>`
    SELECT ${columns} FROM credentials c JOIN credential_sources s USING (credential_id) ORDER BY c.credential_id
  `.execute(kysely)
  return rows
}

/** Replaces the source. The list stays; the history of the runs of the old source is deleted. */
export async function storeSource(
  kysely: Transaction<DB>,
  credentialId: string,
  source: unknown,
  everySeconds: number,
  nextRunAt: Date | null,
): Promise<void> {
  await sql`
    INSERT INTO credential_sources (credential_id, source, every_seconds, next_run_at)
    VALUES (${credentialId}, ${JSON.stringify(source)}::jsonb, ${everySeconds}, ${nextRunAt})
    ON CONFLICT (credential_id) DO UPDATE SET source = excluded.source, every_seconds = excluded.every_seconds,
      next_run_at = excluded.next_run_at, checks_paused_until = NULL, state = 'waiting', reason = NULL, failures = 0, lease = NULL,
      lease_until = NULL`.execute(kysely)
}

/** Ends the state SYNCING of a locked credential: its list is as complete as it gets. */
export async function markSynced(trx: Transaction<DB>, credentialId: string): Promise<void> {
  // A failed run restores this status.
  await sql`
    UPDATE credential_generations SET sync_status_before = 'SYNCED'
    WHERE credential_id = ${credentialId} AND state = 'filling'`.execute(trx)
  await sql`UPDATE credentials SET sync_status = 'SYNCED' WHERE credential_id = ${credentialId}`.execute(trx)
}

/** Replaces a source with its newly sealed form, unless it has changed. */
export async function replaceSource(
  kysely: Kysely<DB>,
  credentialId: string,
  old: unknown,
  source: unknown,
): Promise<void> {
  await sql`
    UPDATE credential_sources SET source = ${JSON.stringify(source)}::jsonb
    WHERE credential_id = ${credentialId} AND source = ${JSON.stringify(old)}::jsonb`.execute(kysely)
}

/** Removes a source. The list stays as it is. @returns whether there was a source */
export async function removeSource(trx: Transaction<DB>, credentialId: string): Promise<boolean> {
  await lockCredential(trx, credentialId)
  const { numAffectedRows } = await sql`
    DELETE FROM credential_sources WHERE credential_id = ${credentialId}`.execute(trx)
  await forgetAttempts(trx, credentialId)
  await markSynced(trx, credentialId)
  return numAffectedRows === 1n
}

/** Whether no run holds the source. A lease that ends later than any run may claim was written by a wrong clock. */
const isFree = (now: Date, until: Date) =>
  sql`(lease IS NULL OR lease_until < ${now} OR lease_until > ${new Date(until.getTime() + MAX_SKEW)})`

/** Computed in UTC, which does not depend on settings: a distributed engine accepts only such functions of columns. */
const inSeconds = (now: Date, seconds: RawBuilder<unknown>) =>
  sql`(${now}::timestamptz AT TIME ZONE 'UTC' + make_interval(secs => ${seconds})) AT TIME ZONE 'UTC'`

/** The next regular time of the source, counted from the beginning of the last run. */
const regularTime = (now: Date) =>
  inSeconds(
    now,
    sql`
  every_seconds - mod(greatest(0, extract(epoch FROM ${now}::timestamptz - coalesce(last_run_at, ${now}))), every_seconds)`,
  )

/** Claims sources that are due. Each stays due until its run ends, so that another instance can repeat a lost run. */
export async function claimDueSources(
  kysely: Kysely<DB>,
  lease: string,
  now: Date,
  until: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ credentialId: string }>`
    SELECT credential_id::text AS "credentialId" FROM credential_sources
    WHERE next_run_at <= ${now} AND ${isFree(now, until)} ORDER BY next_run_at LIMIT ${limit}`.execute(kysely)
  // One after the other, because they may be on several nodes. Another instance may have claimed some in the meantime.
  const claimed: string[] = []
  for (const { credentialId } of rows) {
    const { numAffectedRows } = await sql`
      UPDATE credential_sources SET lease = ${lease}, lease_until = ${until}
      WHERE credential_id = ${credentialId} AND next_run_at <= ${now} AND ${isFree(now, until)}`.execute(kysely)
    if (numAffectedRows === 1n) claimed.push(credentialId)
  }
  return claimed
}

/** Ends a claim whose run could not begin. The source is due again at its next regular time. */
export async function postponeRun(kysely: Kysely<DB>, credentialId: string, lease: string, now: Date): Promise<void> {
  await sql`
    UPDATE credential_sources
    SET lease = NULL, lease_until = NULL, next_run_at = ${inSeconds(now, sql`every_seconds`)}
    WHERE credential_id = ${credentialId} AND lease = ${lease}`.execute(kysely)
}

/** Begins a run, unless another run has the source. */
export async function takeLease(
  kysely: Kysely<DB>,
  credentialId: string,
  lease: string,
  now: Date,
  until: Date,
  { before, begin }: Partial<Record<'before' | 'begin', (transaction: Transaction<DB>) => Promise<void>>> = {},
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    await before?.(trx)
    // Locked before the source. All statements that lock both use this order.
    await lockCredential(trx, credentialId)
    const { numAffectedRows } = await sql`
      UPDATE credential_sources SET lease = ${lease}, lease_until = ${until}, state = 'running', last_run_at = ${now}
      WHERE credential_id = ${credentialId} AND (lease = ${lease} OR ${isFree(now, until)})`.execute(trx)
    if (numAffectedRows !== 1n) return false
    await sql`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = ${credentialId}`.execute(trx)
    await begin?.(trx)
    return true
  })
}

/** @returns false if the caller no longer has the lease */
export async function extendLease(
  kysely: Kysely<DB>,
  credentialId: string,
  lease: string,
  until: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE credential_sources SET lease_until = ${until}
    WHERE credential_id = ${credentialId} AND lease = ${lease}`.execute(kysely)
  return numAffectedRows === 1n
}

/** @returns false if the caller no longer has the lease */
export async function finishRun(trx: Kysely<DB>, credentialId: string, lease: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE credential_sources SET state = 'done', reason = NULL, failures = 0, last_success_at = ${now},
      lease = NULL, lease_until = NULL,
      next_run_at = CASE WHEN next_run_at <= ${now} THEN ${regularTime(now)} ELSE next_run_at END
    WHERE credential_id = ${credentialId} AND lease = ${lease}`.execute(trx)
  return numAffectedRows === 1n
}

/** Retries between two regular times: after 30 s, then twice as long each time. */
const RETRIES = 5
const FIRST_RETRY_SECONDS = 30

/** @returns the number of failed runs since the last success; undefined if the caller no longer has the lease */
export async function failRun(
  kysely: Kysely<DB>,
  credentialId: string,
  lease: string,
  { state, reason, retry, now }: { state: 'failed' | 'held'; reason: string; retry: boolean; now: Date },
): Promise<number | undefined> {
  // `failures` is the value before this run.
  const retryTime = inSeconds(now, sql`${FIRST_RETRY_SECONDS} * power(2, failures % ${RETRIES + 1})`)
  const retries = sql`(${retry}::boolean AND failures % ${RETRIES + 1} < ${RETRIES})`
  const { rows } = await sql<{ failures: number }>`
    UPDATE credential_sources SET state = ${state}, reason = ${reason}, failures = failures + 1,
      lease = NULL, lease_until = NULL,
      next_run_at = CASE WHEN next_run_at > ${now} OR next_run_at IS NULL THEN next_run_at
        WHEN ${retries} THEN least(${regularTime(now)}, ${retryTime})
        ELSE ${regularTime(now)} END
    WHERE credential_id = ${credentialId} AND lease = ${lease}
    RETURNING failures`.execute(kysely)
  return rows[0]?.failures
}
