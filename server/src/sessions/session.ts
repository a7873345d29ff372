import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { LAST_USED_RESOLUTION, SESSION_IDLE_LIFETIME, SESSION_LIFETIME } from '../lifetimes.ts'
import { hashOf } from '../secrets/hashes.ts'
import { findSuspension } from '../accounts/suspension.queries.ts'
import { accountSuspended, notFound } from '../errors.ts'
import { audit } from '../audit/audit.ts'
import { clearSessionCookie, newSessionCookie, sessionCookieOf } from './cookies.ts'
import {
  deleteSession,
  deleteSessions,
  findSession,
  replaceSessions,
  type SessionRecord,
  sessionsBeyond,
  touchSession,
} from './session.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import { withSession } from './with-account.ts'

const MAX_USER_AGENT = 300
/** Sessions per account; one more ends the least recently used one. */
export const MAX_SESSIONS = 100

/** The live session of this browser, if any. */
export async function sessionOf(services: Services, request: FastifyRequest): Promise<SessionRecord | undefined> {
  const cookie = sessionCookieOf(services, request)
  if (cookie === undefined) return undefined
  const now = nowOf(services)
  const session = await findSession(services.database, hashOf(cookie), now, later(now, -SESSION_IDLE_LIFETIME))
  if (session && now.getTime() - session.lastSeenAt.getTime() >= LAST_USED_RESOLUTION)
    await touchSession(services.database.kysely, session.sessionHash, now)
  return session
}

/**
 * Signs an account in, in the transaction that holds its lock and has checked the proof. Always creates a new cookie value,
 * to prevent session fixation. Returns the cookie value for `setSessionCookie` after the commit.
 * @throws ApiError account_suspended
 */
export async function startSession(
  services: Services,
  request: FastifyRequest,
  transaction: Transaction<DB>,
  accountId: string,
  how: string,
): Promise<string> {
  if (await findSuspension(transaction, accountId)) throw accountSuspended()
  const old = sessionCookieOf(services, request)
  const cookie = newSessionCookie(services)
  const now = nowOf(services)
  const session = {
    sessionHash: hashOf(cookie),
    sessionId: services.random.uuid(),
    accountId,
    now,
    expiresAt: later(now, SESSION_LIFETIME),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    address: request.network,
  }
  const replaced = hashOf(old ?? cookie) // A new id replaces no session.
  const beyond = await sessionsBeyond(transaction, accountId, MAX_SESSIONS - 1, replaced)
  await replaceSessions(transaction, session, replaced, beyond)
  const entry = { accountId, network: session.address, details: { how } }
  await audit(services, { ...entry, event: 'session.started' }, transaction)
  return cookie
}

/** Ends one session of the account, or all including the current one. @throws ApiError not_found, sign_in_required */
export async function endSessions(
  services: Services,
  request: FastifyRequest,
  session: SessionRecord,
  sessionId?: string,
): Promise<void> {
  const { accountId } = session
  await withSession(services, session, async (transaction) => {
    if ((await deleteSessions(transaction, accountId, sessionId)) === 0) throw notFound('Session')
    const event = sessionId === undefined ? 'sessions.ended' : 'session.ended'
    await audit(services, { accountId, event, network: request.network }, transaction)
  })
}

export async function endSession(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const session = await sessionOf(services, request)
  if (session) {
    const { accountId, sessionHash } = session
    await services.database.kysely.transaction().execute(async (transaction) => {
      if (await deleteSession(transaction, sessionHash))
        await audit(services, { accountId, event: 'session.ended', network: request.network }, transaction)
    })
  }
  clearSessionCookie(services, reply)
}
