import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooManyRequests } from '../api/api-error.ts'
import { applicationsByAccount, countAttempt } from '../rate-limit/rate-limit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { readBody, readUuid } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import { nowOf, type Services } from '../services.ts'
import { askedBy } from '../sessions/with-account.ts'
import { listApps } from '../oauth/app.queries.ts'
import { readAppChanges, readApplication, readLogo } from '../oauth/app-form.ts'
import { applyForApp, changeApp, endSecret, issueSecret, removeApp } from '../oauth/apps.ts'
import { listSecrets } from '../oauth/secret.queries.ts'
import { appOperations } from './app-operations.ts'
import { viewApp } from './app-view.ts'
import { ownApp, ownAppFresh } from './own-app.ts'
import { logoShape } from './request-shapes.ts'

type AppRequest = FastifyRequest<{ Params: { id: string } }>

/** `/api/apps`: an owner's apps. Somebody else's app is answered as one that does not exist. */
export function registerApps(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.get('/api/apps', appOperations.list, async (request) => {
    const { accountId } = await requireSession(services, request)
    const apps = await listApps(services.database, { ownerAccountId: accountId })
    return { apps: apps.map(viewApp) }
  })

  scope.post('/api/apps', appOperations.apply, async (request, reply) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    const { accountId } = session
    const form = readApplication(request.body, services.config.identity.serviceIdAliases)
    const count = await countAttempt(services, applicationsByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    return reply.code(201).send(viewApp(await applyForApp(askedBy(services, request, session), accountId, form)))
  })

  scope.get('/api/apps/:id', appOperations.view, async (request: AppRequest) => {
    const { app } = await ownApp(services, request)
    const secrets = await listSecrets(kysely, app.clientId, nowOf(services))
    return { ...viewApp(app), secrets }
  })

  scope.patch('/api/apps/:id', appOperations.change, async (request: AppRequest) => {
    checkCsrf(services, request)
    const { app, asked } = await ownApp(services, request)
    return viewApp(await changeApp(asked, app, readAppChanges(request.body, services.config.identity.serviceIdAliases)))
  })

  scope.delete('/api/apps/:id', appOperations.remove, async (request: AppRequest, reply) => {
    checkCsrf(services, request)
    const { app, asked } = await ownAppFresh(services, request)
    await removeApp(asked, app)
    return reply.code(204).send()
  })

  scope.put('/api/apps/:id/logo', appOperations.logo, async (request: AppRequest) => {
    checkCsrf(services, request)
    const { app, asked } = await ownApp(services, request)
    const { logo } = readBody(logoShape, request.body)
    return viewApp(await changeApp(asked, app, { logo: logo === null ? null : readLogo(logo) }))
  })

  scope.post('/api/apps/:id/secrets', appOperations.issueSecret, async (request: AppRequest, reply) => {
    checkCsrf(services, request)
    const { app, asked } = await ownAppFresh(services, request)
    return reply.code(201).send(await issueSecret(asked, app))
  })

  scope.delete('/api/apps/:id/secrets/:secretId', appOperations.endSecret, async (request, reply) => {
    checkCsrf(services, request)
    const { app, asked } = await ownApp(services, request as AppRequest)
    const { secretId } = request.params as { secretId: string }
    await endSecret(asked, app, readUuid(secretId, 'Secret'))
    return reply.code(204).send()
  })
}
