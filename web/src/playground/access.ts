import { type Account, queryClient, sessionQuery } from '../api/session.ts'

interface SessionAccess {
  account: Account
  csrfToken: string
}

/** The credentials of a query: a server token, or the session of an account. */
export type Access = { token: string } | SessionAccess

/** The token if there is one, else the session of this browser. */
export async function accessWith(token: string): Promise<Access> {
  return (token === '' ? await sessionAccess() : undefined) ?? { token }
}

/** Reads the session now, because another tab may have signed in or out. */
export async function sessionAccess(): Promise<SessionAccess | undefined> {
  const session = await queryClient.fetchQuery(sessionQuery).catch(() => undefined)
  return session?.account ? { account: session.account, csrfToken: session.csrfToken } : undefined
}
