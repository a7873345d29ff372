import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import type { Services } from '../../services.ts'
import { withAccount } from '../../sessions/with-account.ts'
import { countAppUsers, forgetAppUsers, listAppUsers } from '../../oauth/app-users.queries.ts'
import { appDescriptions } from './app-route-descriptions.ts'

/** `/api/apps/ID/users`: for the owner of an app, its users and the end of their access. */
export function registerAppUsers(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, appDescriptions.users, async ({ resource: { clientId }, query: { first, before } }) => {
    const [found, total] = await Promise.all([
      listAppUsers(kysely, clientId, { before, first: first + 1, key: services.secret.key('places of app users') }),
      countAppUsers(kysely, clientId),
    ])
    const users = found.slice(0, first)
    const last = users.at(-1)
    return {
      total,
      users: users.map(({ scopes, shared, grantedAt, lastUsedAt }) => ({ scopes, shared, grantedAt, lastUsedAt })),
      next: found.length > first && last ? `${last.grantedAt.toISOString()}_${last.place}` : null,
    }
  })

  route(scope, services, appDescriptions.revokeUsers, ({ services, network, accountId, resource: { clientId } }) =>
    withAccount(services, accountId, async (transaction) => {
      const revoked = await forgetAppUsers(transaction, clientId)
      const entry = { accountId, clientId, network, details: { users: String(revoked) } }
      await audit(services, { ...entry, event: 'app.users-revoked' }, transaction)
      return { revoked }
    }),
  )
}
