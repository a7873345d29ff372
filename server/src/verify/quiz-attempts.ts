import { createHmac } from 'node:crypto'
import type { Kysely } from 'kysely'
import { namesOfAccount } from '../accounts/linked-names.queries.ts'
import { SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { ApiError } from '../errors.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import type { Attempts, Contestant } from '../sync/members/quiz-attempts.queries.ts'
import type { Quiz } from '../sync/members/quiz.ts'

export interface AttemptsLeft {
  left: number
  /** The time of the next attempts, if none is left. */
  nextAt: Date | undefined
}

const PURPOSE = 'quiz-attempts'

/** The account with its current identities. Attempts count for each, so that they survive the account. */
export async function contestantOf(
  kysely: Kysely<DB>,
  secret: InstallationSecret,
  { credentialId, accountId }: { credentialId: string; accountId: string },
): Promise<Contestant> {
  const names = await namesOfAccount(kysely, accountId)
  // The name contains the kind, because accounts of two platforms can have the same number.
  const texts = new Set(names.map(({ name, kind }) => `${credentialId} ${kind} ${name}`))
  // One name for each accepted secret, so that a new secret does not reset the attempts.
  const identities = secret
    .keys(PURPOSE)
    .flatMap((key) => [...texts].map((text) => createHmac('sha256', key).update(text).digest('base64url')))
  return { credentialId, accountId, identities }
}

type Limits = Pick<Quiz, 'attempts' | 'periodSeconds'>

/** The counter with the most attempts in its current period decides. */
export function leftOf(
  { attempts: allowed, periodSeconds }: Limits,
  counted: readonly Attempts[],
  now: number,
): AttemptsLeft {
  const running = counted
    .map((one) => ({ used: one.used, ends: one.period_started.getTime() + periodSeconds * SECOND }))
    .filter(({ ends }) => ends > now)
  const left = Math.max(0, allowed - Math.max(0, ...running.map(({ used }) => used)))
  if (left > 0) return { left, nextAt: undefined }
  const full = running.filter(({ used }) => used >= allowed)
  return { left, nextAt: new Date(Math.max(...full.map(({ ends }) => ends))) }
}

export function attemptsUsed(nextAt: Date, now: number): ApiError {
  const seconds = Math.ceil((nextAt.getTime() - now) / SECOND)
  return new ApiError('attempts_used', `No attempt is left; the next one is possible at ${nextAt.toISOString()}`, {
    details: { nextAttemptAt: nextAt.toISOString() },
    headers: { 'retry-after': String(seconds) },
  })
}
