import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { notFound, signInRequired } from '../identity/api-error.ts'
import { readAuditPage } from '../identity/audit-page.ts'
import { clearSessionCookie } from '../identity/cookies.ts'
import { findLastSignIn, listCreatedSince } from '../identity/created-since.queries.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { endAccount } from '../identity/end-account.ts'
import { unlink } from '../identity/linking.ts'
import { changeProfile, usernameShape } from '../identity/profile.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { endSessions, MOST_SESSIONS, requireFreshSession, requireSession } from '../identity/session.ts'
import { viewAccount } from '../identity/session-view.ts'
import { listSessions } from '../identity/session.queries.ts'
import { later, nowOf, type SignIn } from '../identity/sign-in.ts'
import { askedBy } from '../identity/with-account.ts'
import { accountOperations } from './operations.ts'
import { identityShape, unlinkShape } from './request-shapes.ts'

/** Who am I, where am I signed in, what happened: account, sessions, identities, audit. */
export function registerAccount(scope: FastifyInstance, signIn: SignIn): void {
  registerSessions(scope, signIn)
  registerIdentities(scope, signIn)

  scope.patch('/api/account', accountOperations.change, async (request) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    const changes = readBody(z.strictObject({ username: usernameShape }), request.body)
    await changeProfile(signIn, request, session, changes)
    return viewAccount(signIn, session.accountId)
  })

  scope.delete('/api/account', accountOperations.remove, async (request, reply) => {
    checkCsrf(signIn, request)
    const session = await requireFreshSession(signIn, request)
    if (!(await endAccount(askedBy(signIn, request, session), session.accountId))) throw signInRequired()
    clearSessionCookie(signIn, reply)
    return reply.code(204).send()
  })

  scope.get('/api/audit', accountOperations.audit, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return readAuditPage(signIn, request.query, accountId)
  })
}

function registerSessions(scope: FastifyInstance, signIn: SignIn): void {
  const { kysely } = signIn.database

  scope.get('/api/sessions', accountOperations.sessions, async (request) => {
    const session = await requireSession(signIn, request)
    const now = nowOf(signIn)
    const idleSince = later(now, -SESSION_IDLE_LIFETIME)
    const sessions = await listSessions(kysely, session.accountId, { now, idleSince, most: MOST_SESSIONS })
    return { sessions: sessions.map((entry) => ({ ...entry, current: entry.sessionId === session.sessionId })) }
  })

  scope.delete<{ Params: { id: string } }>(
    '/api/sessions/:id',
    accountOperations.endSession,
    async (request, reply) => {
      checkCsrf(signIn, request)
      const session = await requireSession(signIn, request)
      await endSessions(signIn, request, session, readUuid(request.params.id, 'Session'))
      return reply.code(204).send()
    },
  )

  // Sign out everywhere.
  scope.delete('/api/sessions', accountOperations.endSessions, async (request, reply) => {
    checkCsrf(signIn, request)
    await endSessions(signIn, request, await requireSession(signIn, request))
    clearSessionCookie(signIn, reply)
    return reply.code(204).send()
  })
}

function registerIdentities(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/identities', accountOperations.identities, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const account = await viewAccount(signIn, accountId)
    return { identities: account?.identities ?? [], passkeys: account?.passkeys ?? [] }
  })

  scope.get('/api/identities/created-since', accountOperations.createdSince, async (request) => {
    const session = await requireSession(signIn, request)
    const { kysely } = signIn.database
    const { kind, subject } = readBody(identityShape, request.query)
    const since = await findLastSignIn(kysely, session.accountId, kind, subject)
    if (!since) throw notFound('Identity')
    return listCreatedSince(kysely, session, since, nowOf(signIn))
  })

  // kind ServiceID: subject is the id of a passkey.
  scope.delete('/api/identities', accountOperations.unlink, async (request) => {
    checkCsrf(signIn, request)
    const session = await requireFreshSession(signIn, request)
    await unlink(signIn, request, session, readBody(unlinkShape, request.body))
    return viewAccount(signIn, session.accountId)
  })
}
