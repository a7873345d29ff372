import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { notFound, signInRequired } from '../api/api-error.ts'
import { readAuditPage } from '../audit/audit-page.ts'
import { clearSessionCookie } from '../sessions/cookies.ts'
import { findLastSignIn, listCreatedSince } from '../identity/created-since.queries.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { endAccount } from '../person/end-account.ts'
import { changeIdentity, unlink } from '../identity/linking.ts'
import { changeProfile, usernameShape } from '../accounts/profile.ts'
import { readBody, readUuid } from '../api/read-body.ts'
import { endSessions, MOST_SESSIONS, requireFreshSession, requireSession } from '../sessions/session.ts'
import { viewAccount } from '../identity/session-view.ts'
import { listSessions } from '../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../services.ts'
import { askedBy } from '../sessions/with-account.ts'
import { accountOperations } from './operations.ts'
import { identityChangeShape, identityShape, unlinkShape } from './request-shapes.ts'

/** Who am I, where am I signed in, what happened: account, sessions, identities, audit. */
export function registerAccount(scope: FastifyInstance, services: Services): void {
  registerSessions(scope, services)
  registerIdentities(scope, services)

  scope.patch('/api/account', accountOperations.change, async (request) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    const changes = readBody(z.strictObject({ username: usernameShape }), request.body)
    await changeProfile(services, request, session, changes)
    return viewAccount(services, session.accountId)
  })

  scope.delete('/api/account', accountOperations.remove, async (request, reply) => {
    checkCsrf(services, request)
    const session = await requireFreshSession(services, request)
    if (!(await endAccount(askedBy(services, request, session), session.accountId))) throw signInRequired()
    clearSessionCookie(services, reply)
    return reply.code(204).send()
  })

  scope.get('/api/audit', accountOperations.audit, async (request) => {
    const { accountId } = await requireSession(services, request)
    return readAuditPage(services, request.query, accountId)
  })
}

function registerSessions(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get('/api/sessions', accountOperations.sessions, async (request) => {
    const session = await requireSession(services, request)
    const now = nowOf(services)
    const idleSince = later(now, -SESSION_IDLE_LIFETIME)
    const sessions = await listSessions(kysely, session.accountId, { now, idleSince, most: MOST_SESSIONS })
    return { sessions: sessions.map((entry) => ({ ...entry, current: entry.sessionId === session.sessionId })) }
  })

  scope.delete<{ Params: { id: string } }>(
    '/api/sessions/:id',
    accountOperations.endSession,
    async (request, reply) => {
      checkCsrf(services, request)
      const session = await requireSession(services, request)
      await endSessions(services, request, session, readUuid(request.params.id, 'Session'))
      return reply.code(204).send()
    },
  )

  // Sign out everywhere.
  scope.delete('/api/sessions', accountOperations.endSessions, async (request, reply) => {
    checkCsrf(services, request)
    await endSessions(services, request, await requireSession(services, request))
    clearSessionCookie(services, reply)
    return reply.code(204).send()
  })
}

function registerIdentities(scope: FastifyInstance, services: Services): void {
  scope.get('/api/identities', accountOperations.identities, async (request) => {
    const { accountId } = await requireSession(services, request)
    const account = await viewAccount(services, accountId)
    return { identities: account?.identities ?? [], passkeys: account?.passkeys ?? [] }
  })

  scope.get('/api/identities/created-since', accountOperations.createdSince, async (request) => {
    const session = await requireSession(services, request)
    const { kysely } = services.database
    const { kind, subject } = readBody(identityShape, request.query)
    const since = await findLastSignIn(kysely, session.accountId, kind, subject)
    if (!since) throw notFound('Identity')
    return listCreatedSince(kysely, session, since, nowOf(services))
  })

  scope.patch('/api/identities', accountOperations.changeIdentity, async (request) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    await changeIdentity(services, request, session, readBody(identityChangeShape, request.body))
    return viewAccount(services, session.accountId)
  })

  // kind ServiceID: subject is the id of a passkey.
  scope.delete('/api/identities', accountOperations.unlink, async (request) => {
    checkCsrf(services, request)
    const session = await requireFreshSession(services, request)
    await unlink(services, request, session, readBody(unlinkShape, request.body))
    return viewAccount(services, session.accountId)
  })
}
