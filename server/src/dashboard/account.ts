import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { SESSION_IDLE_LIFETIME } from '../lifetimes.ts'
import { deleteAccount, isNameTaken, lockAccount, renameAccount } from '../identity/account.queries.ts'
import { conflict, invalidField, notFound, signInRequired } from '../identity/api-error.ts'
import { networkOf } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { listEvents } from '../identity/audit.queries.ts'
import { clearSessionCookie } from '../identity/cookies.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { unlink } from '../identity/linking.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { requireFreshSession, requireSession } from '../identity/session.ts'
import { viewAccount } from '../identity/session-view.ts'
import { deleteSessions, listSessions } from '../identity/session.queries.ts'
import { later, nowOf, type SignIn } from '../identity/sign-in.ts'
import { listApps } from '../oauth/app.queries.ts'

const username = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{3,40}$/, 'must be 3 to 40 letters, digits, _ or -')

/** The account that commands use when none is named. */
const reservedNames = new Set(['default'])

const MAX_EVENTS = 100

/** Who am I, where am I signed in, what happened: account, sessions, identities, audit. */
export function registerAccount(scope: FastifyInstance, signIn: SignIn): void {
  registerSessions(scope, signIn)
  registerIdentities(scope, signIn)
  const { kysely } = signIn.database

  scope.patch('/api/account', async (request) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireSession(signIn, request)
    const changes = readBody(z.strictObject({ username }), request.body)
    if (reservedNames.has(changes.username.toLowerCase()) || (await isNameTaken(kysely, changes.username, accountId)))
      throw conflict('username_taken', 'This username is taken')
    await renameAccount(kysely, accountId, changes.username)
    await audit(signIn, { accountId, event: 'account.renamed', details: changes, address: networkOf(request.ip) })
    return viewAccount(signIn, accountId)
  })

  scope.delete('/api/account', async (request, reply) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireFreshSession(signIn, request)
    const owned = await listApps(signIn.database, { ownerAccountId: accountId })
    if (owned.length > 0)
      throw conflict('owns_apps', 'Delete your apps first: their users would lose them without a word')
    await kysely.transaction().execute(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) throw signInRequired()
      await deleteAccount(transaction, accountId)
    })
    clearSessionCookie(signIn, reply)
    return reply.code(204).send()
  })

  scope.get('/api/audit', async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return { events: await listEvents(kysely, { accountId, ...readAuditPage(request.query) }) }
  })
}

export function readAuditPage(query: unknown): { first: number; before?: Date } {
  const { first = String(MAX_EVENTS), before } = query as { first?: string; before?: string }
  if (typeof first !== 'string' || !/^\d{1,3}$/.test(first) || Number(first) < 1 || Number(first) > MAX_EVENTS)
    throw invalidField('first', `must be 1 to ${MAX_EVENTS}`)
  if (before === undefined) return { first: Number(first) }
  const time = new Date(String(before))
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999 || time.getUTCFullYear() < 1)
    throw invalidField('before', 'must be a time such as 2026-11-21T12:00:00Z')
  return { first: Number(first), before: time }
}

function registerSessions(scope: FastifyInstance, signIn: SignIn): void {
  const { kysely } = signIn.database

  scope.get('/api/sessions', async (request) => {
    const session = await requireSession(signIn, request)
    const now = nowOf(signIn)
    const sessions = await listSessions(kysely, session.accountId, now, later(now, -SESSION_IDLE_LIFETIME))
    return { sessions: sessions.map((entry) => ({ ...entry, current: entry.sessionId === session.sessionId })) }
  })

  scope.delete<{ Params: { id: string } }>('/api/sessions/:id', async (request, reply) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireSession(signIn, request)
    if ((await deleteSessions(kysely, accountId, readUuid(request.params.id, 'Session'))) === 0)
      throw notFound('Session')
    await audit(signIn, { accountId, event: 'session.ended', address: networkOf(request.ip) })
    return reply.code(204).send()
  })

  // Sign out everywhere.
  scope.delete('/api/sessions', async (request, reply) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireSession(signIn, request)
    await deleteSessions(kysely, accountId)
    await audit(signIn, { accountId, event: 'sessions.ended', address: networkOf(request.ip) })
    clearSessionCookie(signIn, reply)
    return reply.code(204).send()
  })
}

function registerIdentities(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/identities', async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const account = await viewAccount(signIn, accountId)
    return { identities: account?.identities ?? [], passkeys: account?.passkeys ?? [] }
  })

  // kind ServiceID: subject is the id of a passkey.
  scope.delete('/api/identities', async (request) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireFreshSession(signIn, request)
    const shape = z.strictObject({ kind: z.string().max(40), subject: z.string().min(1).max(1400) })
    const { kind, subject } = readBody(shape, request.body)
    await unlink(signIn, request, accountId, kind, subject)
    return viewAccount(signIn, accountId)
  })
}
