import type { FastifyInstance } from 'fastify'
import { notFound } from '../../errors.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import { nowOf, type Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { publisherOf } from '../../oauth/client-metadata/client-url.ts'
import { listAuthorizedApps, withdrawConsent } from '../../oauth/consent.queries.ts'
import { authorizedAppDescriptions } from './account-route-descriptions.ts'

/** `/api/authorized-apps`: the apps with access to the account, and the end of their access. */
export function registerAuthorizedApps(scope: FastifyInstance, services: Services): void {
  route(scope, services, authorizedAppDescriptions.list, async ({ services, accountId }) => {
    const apps = await listAuthorizedApps(services.database.kysely, accountId, nowOf(services))
    return {
      apps: apps.map(({ hasLogo, metadataUrl, ...app }) => ({
        ...app,
        logo: hasLogo ? `/app-logos/${app.clientId}` : null,
        publisher: publisherOf({ metadataUrl }),
      })),
    }
  })

  route(
    scope,
    services,
    authorizedAppDescriptions.withdraw,
    ({ services, session, accountId, network, params: { clientId } }) =>
      // The lock serializes this with sign-ins: a concurrent one either ends here, or finds no consent.
      withSession(services, session, async (transaction) => {
        if (!(await withdrawConsent(transaction, accountId, clientId))) throw notFound('App')
        await audit(services, { accountId, clientId, network, event: 'consent.withdrawn' }, transaction)
      }),
  )
}
