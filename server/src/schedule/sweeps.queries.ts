import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'

/** Deletes windows that ended before a time. @returns how many; at most `limit` */
export async function deleteQuotaWindows(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM quota_windows WHERE (token_id, period, window_start) IN (
      SELECT token_id, period, window_start FROM quota_windows
      WHERE (window_start + 1) * CASE period WHEN 'day' THEN 86400 ELSE 1 END < extract(epoch FROM ${before}::timestamptz)
      LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** Deletes checks of one identity. @returns the number of deleted checks, at most `limit` */
export async function deleteChecks(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM credential_checks WHERE (credential_id, holder) IN (
      SELECT credential_id, holder FROM credential_checks WHERE checked_at < ${before} LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/**
 * Deletes attempts of identities at quizzes. The outer condition keeps a row for which a concurrent attempt began a new
 * period.
 * @returns how many were deleted; at most `limit`
 */
export async function deleteQuizAttempts(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM quiz_identity_attempts WHERE (credential_id, identity) IN (
      SELECT credential_id, identity FROM quiz_identity_attempts WHERE period_ends < ${before} LIMIT ${limit})
      AND period_ends < ${before}`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** @returns how many figures were deleted; at most `limit` */
export async function deleteUsage(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM token_usage WHERE (token_id, day, operation, status) IN (
      SELECT token_id, day, operation, status FROM token_usage
      WHERE day < (${before}::timestamptz AT TIME ZONE 'UTC')::date LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** @returns how many documents were deleted; at most `limit` */
export async function deleteDocuments(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM persisted_documents WHERE (token_id, hash) IN (
      SELECT token_id, hash FROM persisted_documents WHERE used_at < ${before} LIMIT ${limit})
      AND used_at < ${before}`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

/** @returns how many requests were deleted; at most `limit` */
export async function deleteRequests(kysely: Kysely<DB>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM token_requests WHERE (token_id, at, request_id) IN (
      SELECT token_id, at, request_id FROM token_requests WHERE at < ${before} LIMIT ${limit})`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}
