import type { FastifyInstance } from 'fastify'
import { notFound } from '../identity/api-error.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readName } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import { nowOf, type SignIn } from '../identity/sign-in.ts'
import { withSession } from '../identity/with-account.ts'
import { listAuthorizedApps, withdrawConsent } from '../oauth/consent.queries.ts'
import { authorizedAppOperations } from './operations.ts'

/** `/api/authorized-apps`: what a user lets apps see, with their last use; taking it back ends every token of that app for this user. */
export function registerAuthorizedApps(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/authorized-apps', authorizedAppOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const apps = await listAuthorizedApps(signIn.database.kysely, accountId, nowOf(signIn))
    return {
      apps: apps.map(({ hasLogo, ...app }) => ({ ...app, logo: hasLogo ? `/app-logos/${app.clientId}` : null })),
    }
  })

  scope.delete<{ Params: { clientId: string } }>(
    '/api/authorized-apps/:clientId',
    authorizedAppOperations.withdraw,
    async (request, reply) => {
      checkCsrf(signIn, request)
      const session = await requireSession(signIn, request)
      const { accountId } = session
      const clientId = readName(request.params.clientId, 'App')
      // A sign-in that is remembered at this moment either comes before, and ends here, or finds no consent.
      await withSession(signIn, session, async (transaction) => {
        if (!(await withdrawConsent(transaction, accountId, clientId))) throw notFound('App')
        const entry = { accountId, clientId, network: request.network }
        await audit(signIn, { ...entry, event: 'consent.withdrawn' }, transaction)
      })
      return reply.code(204).send()
    },
  )
}
