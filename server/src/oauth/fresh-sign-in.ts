import type { SessionRecord } from '../identity/session.queries.ts'
import type { Authorization } from './authorization.queries.ts'

/** Whether `prompt=login` or `max_age` asks for a sign-in newer than this session's (OpenID Connect Core 3.1.2.1). */
export function needsNewSignIn(
  { prompt, maxAge, createdAt }: Pick<Authorization, 'prompt' | 'maxAge' | 'createdAt'>,
  session: Pick<SessionRecord, 'authenticatedAt'>,
): boolean {
  if (prompt.includes('login') && session.authenticatedAt < createdAt) return true
  return maxAge !== undefined && session.authenticatedAt.getTime() + maxAge * 1000 < createdAt.getTime()
}
