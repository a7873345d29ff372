import { type Kysely, sql } from 'kysely'
import { type Reader, statement } from '@questboard/pg-read-pipeline'
import type { DB } from '../../database/tables.ts'

export interface Attempts {
  used: number
  period_started: Date
  /** Null if the account has not passed. */
  passed_at: Date | null
}

const attemptsOf = statement<Attempts>(
  'sync.quiz-attempts',
  `SELECT used, period_started, passed_at FROM quiz_attempts WHERE credential_id = $1::bigint AND account_id = $2::uuid`,
)

export async function readAttempts(
  reader: Reader,
  credentialId: string,
  accountId: string,
): Promise<Attempts | undefined> {
  return (await reader.read(attemptsOf, [credentialId, accountId]))[0]
}

export interface NewAttempt {
  credentialId: string
  accountId: string
  /** Attempts in a period. */
  allowed: number
  at: Date
  /** Periods that started before or at this time are over. */
  over: Date
  passed: boolean
}

/** Counts an attempt, in one statement: of parallel ones, each counts. @returns undefined if none is left */
export async function countQuizAttempt(
  kysely: Kysely<DB>,
  { credentialId, accountId, allowed, at, over, passed }: NewAttempt,
): Promise<Attempts | undefined> {
  const isOver = sql`a.period_started <= ${over}`
  const { rows } = await sql<Attempts>`
    INSERT INTO quiz_attempts AS a (credential_id, account_id, period_started, used, passed_at)
    VALUES (${credentialId}, ${accountId}, ${at}, 1, ${passed ? at : null})
    ON CONFLICT (credential_id, account_id) DO UPDATE SET
      used = CASE WHEN ${isOver} THEN 1 ELSE a.used + 1 END,
      period_started = CASE WHEN ${isOver} THEN excluded.period_started ELSE a.period_started END,
      passed_at = coalesce(a.passed_at, excluded.passed_at)
    WHERE ${isOver} OR a.used < ${allowed}
    RETURNING used, period_started, passed_at`.execute(kysely)
  return rows[0]
}

/** Deletes the attempts at a quiz, when it is no longer the source of the credential. */
export async function forgetAttempts(kysely: Kysely<DB>, credentialId: string): Promise<void> {
  await sql`DELETE FROM quiz_attempts WHERE credential_id = ${credentialId}`.execute(kysely)
}
