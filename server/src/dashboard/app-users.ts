import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidField } from '../api/api-error.ts'
import { audit } from '../audit/audit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import type { Services } from '../services.ts'
import { withAccount } from '../sessions/with-account.ts'
import { countAppUsers, forgetAppUsers, listAppUsers, type UserPlace } from '../oauth/app-users.queries.ts'
import { appOperations } from './app-operations.ts'
import { ownApp, ownAppFresh } from './own-app.ts'

type AppRequest = FastifyRequest<{ Params: { id: string } }>

export const MOST_USERS = 100

/** `/api/apps/ID/users`: who lets an app see what, for its owner; and ending the access of all of them at once. */
export function registerAppUsers(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get('/api/apps/:id/users', appOperations.users, async (request: AppRequest) => {
    const { app } = await ownApp(services, request)
    const { clientId } = app
    const { first = String(MOST_USERS), before } = request.query as Record<string, unknown>
    if (typeof first !== 'string' || !/^\d{1,3}$/.test(first) || Number(first) < 1 || Number(first) > MOST_USERS)
      throw invalidField('first', `must be 1 to ${MOST_USERS}`)
    const most = Number(first)
    const place = before === undefined ? undefined : readPlace(before)
    const [found, total] = await Promise.all([
      listAppUsers(kysely, clientId, { before: place, first: most + 1 }),
      countAppUsers(kysely, clientId),
    ])
    const users = found.slice(0, most)
    const last = users.at(-1)
    return {
      total,
      users: users.map(({ scopes, shared, grantedAt, lastUsedAt }) => ({ scopes, shared, grantedAt, lastUsedAt })),
      next: found.length > most && last ? `${last.grantedAt.toISOString()}_${last.place}` : null,
    }
  })

  scope.delete('/api/apps/:id/users', appOperations.revokeUsers, async (request: AppRequest) => {
    checkCsrf(services, request)
    const { app, asked } = await ownAppFresh(services, request)
    const { clientId, ownerAccountId: accountId } = app
    return withAccount(asked, accountId, async (transaction) => {
      const revoked = await forgetAppUsers(transaction, clientId)
      const entry = { accountId, clientId, network: request.network, details: { users: String(revoked) } }
      await audit(services, { ...entry, event: 'app.users-revoked' }, transaction)
      return { revoked }
    })
  })
}

function readPlace(text: unknown): UserPlace {
  const [, time = '', place = ''] = /^([0-9T:.-]{20,30}Z)_([0-9a-f]{32})$/.exec(String(text)) ?? []
  const grantedAt = new Date(time)
  if (Number.isNaN(grantedAt.getTime())) throw invalidField('before', 'must be `next` of the page before')
  return { grantedAt, place }
}
