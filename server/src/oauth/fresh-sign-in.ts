import type { SessionRecord } from '../sessions/session.queries.ts'
import type { Authorization } from './authorization.queries.ts'

/**
 * Whether `prompt=login` or `max_age` requires a newer sign-in, or `id_token_hint` another account (OpenID Connect Core
 * 3.1.2.1).
 */
export function needsNewSignIn(
  authorization: Authorization,
  session: Pick<SessionRecord, 'accountId' | 'authenticatedAt'>,
): boolean {
  const { prompt, maxAge, createdAt } = authorization
  if (isOtherExpected(authorization, session)) return true
  if (prompt.includes('login') && session.authenticatedAt < createdAt) return true
  return maxAge !== undefined && session.authenticatedAt.getTime() + maxAge * 1000 < createdAt.getTime()
}

export function isOtherExpected(
  { hintedAccountId }: Pick<Authorization, 'hintedAccountId'>,
  { accountId }: Pick<SessionRecord, 'accountId'>,
): boolean {
  return hintedAccountId !== undefined && hintedAccountId !== accountId
}
