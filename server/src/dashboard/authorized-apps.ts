import type { FastifyInstance } from 'fastify'
import { notFound } from '../api/api-error.ts'
import { audit } from '../audit/audit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readName } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import { nowOf, type Services } from '../services.ts'
import { withSession } from '../sessions/with-account.ts'
import { listAuthorizedApps, withdrawConsent } from '../oauth/consent.queries.ts'
import { authorizedAppOperations } from './operations.ts'

/** `/api/authorized-apps`: what a user lets apps see, with their last use; taking it back ends every token of that app for this user. */
export function registerAuthorizedApps(scope: FastifyInstance, services: Services): void {
  scope.get('/api/authorized-apps', authorizedAppOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    const apps = await listAuthorizedApps(services.database.kysely, accountId, nowOf(services))
    return {
      apps: apps.map(({ hasLogo, ...app }) => ({ ...app, logo: hasLogo ? `/app-logos/${app.clientId}` : null })),
    }
  })

  scope.delete<{ Params: { clientId: string } }>(
    '/api/authorized-apps/:clientId',
    authorizedAppOperations.withdraw,
    async (request, reply) => {
      checkCsrf(services, request)
      const session = await requireSession(services, request)
      const { accountId } = session
      const clientId = readName(request.params.clientId, 'App')
      // A sign-in that is remembered at this moment either comes before, and ends here, or finds no consent.
      await withSession(services, session, async (transaction) => {
        if (!(await withdrawConsent(transaction, accountId, clientId))) throw notFound('App')
        const entry = { accountId, clientId, network: request.network }
        await audit(services, { ...entry, event: 'consent.withdrawn' }, transaction)
      })
      return reply.code(204).send()
    },
  )
}
