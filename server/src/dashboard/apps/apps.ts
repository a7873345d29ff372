import type { FastifyInstance } from 'fastify'
import { notFound, tooManyRequests } from '../../errors.ts'
import { readUuid } from '../../api/read-body.ts'
import { route } from '../../api/route.ts'
import { applicationsByAccount } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { nowOf, type Services } from '../../services.ts'
import { findLogo, listApps } from '../../oauth/app.queries.ts'
import { checkAppChanges, checkApplication, readLogo } from '../../oauth/app-form.ts'
import { applyForApp, changeApp, endSecret, issueSecret, removeApp } from '../../oauth/apps.ts'
import { listSecrets } from '../../oauth/secret.queries.ts'
import { appDescriptions } from './app-route-descriptions.ts'
import { viewApp } from './app-view.ts'

/** `/api/apps`: the apps of an owner. Apps of other accounts return 404. */
export function registerApps(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const aliases = services.config.identity.serviceIdAliases

  route(scope, services, appDescriptions.list, async ({ services, accountId }) => {
    const apps = await listApps(services.database, { ownerAccountId: accountId })
    return { apps: apps.map(viewApp) }
  })

  route(scope, services, appDescriptions.apply, async ({ services, accountId, body }) => {
    const form = checkApplication(body, aliases)
    const count = await countAttempt(services, applicationsByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    return viewApp(await applyForApp(services, accountId, form))
  })

  route(scope, services, appDescriptions.view, async ({ resource: app }) => {
    const secrets = await listSecrets(kysely, app.clientId, nowOf(services))
    return { ...viewApp(app), secrets }
  })

  route(scope, services, appDescriptions.change, async ({ services, resource, body }) =>
    viewApp(await changeApp(services, resource, checkAppChanges(body, aliases))),
  )

  route(scope, services, appDescriptions.remove, ({ services, resource }) => removeApp(services, resource))

  route(scope, services, appDescriptions.logo, async ({ services, resource, body: { logo } }) =>
    viewApp(await changeApp(services, resource, { logo: logo === null ? null : readLogo(logo) })),
  )

  route(scope, services, appDescriptions.proposedLogo, async ({ resource: { clientId }, reply }) => {
    const logo = await findLogo(kysely, clientId, 'proposed')
    if (!logo) throw notFound('Logo')
    return reply
      .type(logo.type)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, no-store')
      .send(logo.bytes)
  })

  route(scope, services, appDescriptions.withdrawLogo, async ({ services, resource: app }) => {
    if (!app.hasProposedLogo) throw notFound('Logo')
    return viewApp(await changeApp(services, app, { proposedLogo: null }))
  })

  route(scope, services, appDescriptions.issueSecret, ({ services, resource }) => issueSecret(services, resource))

  route(scope, services, appDescriptions.endSecret, ({ services, resource, params }) =>
    endSecret(services, resource, readUuid(params.secretId, 'Secret')),
  )
}
