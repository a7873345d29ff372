import type { FastifyInstance } from 'fastify'
import { SESSION_IDLE_LIFETIME } from '../../lifetimes.ts'
import { notFound, signInRequired } from '../../errors.ts'
import { route } from '../../api/route.ts'
import { readAuditPage } from '../audit-page.ts'
import { clearSessionCookie } from '../../sessions/cookies.ts'
import { findLastSignIn, listCreatedSince } from '../../accounts/created-since.queries.ts'
import { eraseAccount } from '../../personal-data/erase-account.ts'
import { changeIdentity, unlink } from '../../identity/linking.ts'
import { changeProfile } from './change-profile.ts'
import { endSessions, MAX_SESSIONS } from '../../sessions/session.ts'
import { viewAccount } from '../../sessions/session-view.ts'
import { listSessions } from '../../sessions/session.queries.ts'
import { later, nowOf, type Services } from '../../services.ts'
import { accountDescriptions } from './account-route-descriptions.ts'

/** Routes for account, sessions, identities and audit log. */
export function registerAccount(scope: FastifyInstance, services: Services): void {
  registerSessions(scope, services)
  registerIdentities(scope, services)

  route(scope, services, accountDescriptions.change, async ({ services, request, session, body }) => {
    await changeProfile(services, request, session, body)
    return viewAccount(services, session.accountId)
  })

  route(scope, services, accountDescriptions.remove, async ({ services, reply, accountId }) => {
    if (!(await eraseAccount(services, accountId))) throw signInRequired()
    clearSessionCookie(services, reply)
  })

  route(scope, services, accountDescriptions.audit, ({ services, accountId, query }) =>
    readAuditPage(services, query, accountId),
  )
}

function registerSessions(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, accountDescriptions.sessions, async ({ session }) => {
    const now = nowOf(services)
    const idleSince = later(now, -SESSION_IDLE_LIFETIME)
    const sessions = await listSessions(kysely, session.accountId, { now, idleSince, limit: MAX_SESSIONS })
    return { sessions: sessions.map((entry) => ({ ...entry, current: entry.sessionId === session.sessionId })) }
  })

  route(scope, services, accountDescriptions.recentSignIn, () => undefined)

  route(scope, services, accountDescriptions.endSession, ({ services, request, session, params }) =>
    endSessions(services, request, session, params.id),
  )

  route(scope, services, accountDescriptions.endSessions, async ({ services, request, reply, session }) => {
    await endSessions(services, request, session)
    clearSessionCookie(services, reply)
  })
}

function registerIdentities(scope: FastifyInstance, services: Services): void {
  route(scope, services, accountDescriptions.identities, async ({ services, accountId }) => {
    const account = await viewAccount(services, accountId)
    return { identities: account?.identities ?? [], passkeys: account?.passkeys ?? [] }
  })

  route(scope, services, accountDescriptions.createdSince, async ({ services, session, query }) => {
    const { kysely } = services.database
    const since = await findLastSignIn(kysely, session.accountId, query.kind, query.subject)
    if (!since) throw notFound('Identity')
    return listCreatedSince(kysely, session, since, nowOf(services))
  })

  route(scope, services, accountDescriptions.changeIdentity, async ({ services, request, session, body }) => {
    await changeIdentity(services, request, session, body)
    return viewAccount(services, session.accountId)
  })

  // For kind ServiceID, subject is the id of a passkey.
  route(scope, services, accountDescriptions.unlink, async ({ services, request, session, body }) => {
    await unlink(services, request, session, body)
    return viewAccount(services, session.accountId)
  })
}
