import { type Kysely, sql } from 'kysely'
import { textArray } from '@questboard/pg-read-pipeline'
import type { DB } from '../../database/tables.ts'

/** The attempts of an account, or of one of its identities. */
export interface Attempts {
  used: number
  period_started: Date
  /** Null if the account has not passed. */
  passed_at: Date | null
}

/** A member at the quiz of a credential. */
export interface Contestant {
  credentialId: string
  accountId: string
  /** HMACs of the identities of the account. */
  identities: readonly string[]
}

export async function readAttempts(
  kysely: Kysely<DB>,
  { credentialId, accountId, identities }: Contestant,
): Promise<Attempts[]> {
  const { rows } = await sql<Attempts>`
    SELECT used, period_started, passed_at FROM quiz_attempts
    WHERE credential_id = ${credentialId} AND account_id = ${accountId}
    UNION ALL
    SELECT used, period_started, NULL FROM quiz_identity_attempts
    WHERE credential_id = ${credentialId} AND identity = ANY(${textArray(identities)}::text[])`.execute(kysely)
  return rows
}

export interface NewAttempt extends Contestant {
  at: Date
  /** The end of a period that starts now. */
  ends: Date
  /** Periods that started before or at this time are over. */
  over: Date
  passed: boolean
}

/** Counts an attempt of the account and of each of its identities. The caller has locked the credential. */
export async function countQuizAttempt(
  trx: Kysely<DB>,
  { credentialId, accountId, identities, at, ends, over, passed }: NewAttempt,
): Promise<void> {
  // A literal, because Citus cannot pass a parameter to ON CONFLICT of INSERT … SELECT.
  const isOver = sql`a.period_started <= ${sql.lit(over.toISOString())}::timestamptz`
  const counted = sql`
    used = CASE WHEN ${isOver} THEN 1 ELSE a.used + 1 END,
    period_started = CASE WHEN ${isOver} THEN excluded.period_started ELSE a.period_started END`
  await sql`
    INSERT INTO quiz_attempts AS a (credential_id, account_id, period_started, used, passed_at)
    VALUES (${credentialId}, ${accountId}, ${at}, 1, ${passed ? at : null})
    ON CONFLICT (credential_id, account_id) DO UPDATE SET ${counted},
      passed_at = coalesce(a.passed_at, excluded.passed_at)`.execute(trx)
  await sql`
    INSERT INTO quiz_identity_attempts AS a (credential_id, identity, period_started, period_ends, used)
    SELECT ${credentialId}::bigint, identity, ${at}::timestamptz, ${ends}::timestamptz, 1
    FROM unnest(${textArray(identities)}::text[]) AS n (identity) ORDER BY identity
    ON CONFLICT (credential_id, identity) DO UPDATE SET ${counted},
      period_ends = CASE WHEN ${isOver} THEN excluded.period_ends ELSE a.period_ends END`.execute(trx)
}

/** Deletes the attempts at a quiz that is no longer the source of the credential. */
export async function forgetAttempts(trx: Kysely<DB>, credentialId: string): Promise<void> {
  for (const table of ['quiz_attempts', 'quiz_identity_attempts'] as const)
    await sql`DELETE FROM ${sql.table(table)} WHERE credential_id = ${credentialId}`.execute(trx)
}
