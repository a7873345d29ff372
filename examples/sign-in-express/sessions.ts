import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Attempt, Tokens } from '@questboard/client'
import type { IdTokenNames, LogoutToken } from '@questboard/client/logout'

/** What the app knows of a browser. In memory: put it where your other sessions are. */
export interface Session {
  attempt?: Attempt | undefined
  tokens?: Tokens | undefined
  /** The names of the session at Questboard, with the scope openid. */
  names?: IdTokenNames | undefined
}

const sessions = new Map<string, Session>()
const NAME = 'session'

export function sessionOf(request: Request): Session | undefined {
  const id = new RegExp(`(?:^|; )${NAME}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1]
  return id === undefined ? undefined : sessions.get(id)
}

/** A session under a new name, so that a name planted before the sign-in is worth nothing. */
export function startSession(response: Response, session: Session, secure: boolean): void {
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, session)
  response.cookie(NAME, id, { httpOnly: true, sameSite: 'lax', secure })
}

export function endSession(request: Request): void {
  const session = sessionOf(request)
  for (const [id, one] of sessions) if (one === session) sessions.delete(id)
}

/** Ends the session that a logout token names, or all sessions of its user. */
export function endSessionsOf({ sessionId, subject }: Pick<LogoutToken, 'sessionId' | 'subject'>): void {
  for (const [id, { names }] of sessions)
    if (names && (sessionId === null ? names.subject === subject : names.sessionId === sessionId)) sessions.delete(id)
}
