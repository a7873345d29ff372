import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooManyRequests } from '../identity/api-error.ts'
import { applicationsByAccount, countAttempt } from '../identity/attempts.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import { nowOf, type SignIn } from '../identity/sign-in.ts'
import { askedBy } from '../identity/with-account.ts'
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
export function registerApps(scope: FastifyInstance, signIn: SignIn): void {
  const { kysely } = signIn.database

  scope.get('/api/apps', appOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    const apps = await listApps(signIn.database, { ownerAccountId: accountId })
    return { apps: apps.map(viewApp) }
  })

  scope.post('/api/apps', appOperations.apply, async (request, reply) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    const { accountId } = session
    const form = readApplication(request.body, signIn.config.identity.serviceIdAliases)
    const count = await countAttempt(signIn, applicationsByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    return reply.code(201).send(viewApp(await applyForApp(askedBy(signIn, request, session), accountId, form)))
  })

  scope.get('/api/apps/:id', appOperations.view, async (request: AppRequest) => {
    const { app } = await ownApp(signIn, request)
    const secrets = await listSecrets(kysely, app.clientId, nowOf(signIn))
    return { ...viewApp(app), secrets }
  })

  scope.patch('/api/apps/:id', appOperations.change, async (request: AppRequest) => {
    checkCsrf(signIn, request)
    const { app, asked } = await ownApp(signIn, request)
    return viewApp(await changeApp(asked, app, readAppChanges(request.body, signIn.config.identity.serviceIdAliases)))
  })

  scope.delete('/api/apps/:id', appOperations.remove, async (request: AppRequest, reply) => {
    checkCsrf(signIn, request)
    const { app, asked } = await ownAppFresh(signIn, request)
    await removeApp(asked, app)
    return reply.code(204).send()
  })

  scope.put('/api/apps/:id/logo', appOperations.logo, async (request: AppRequest) => {
    checkCsrf(signIn, request)
    const { app, asked } = await ownApp(signIn, request)
    const { logo } = readBody(logoShape, request.body)
    return viewApp(await changeApp(asked, app, { logo: logo === null ? null : readLogo(logo) }))
  })

  scope.post('/api/apps/:id/secrets', appOperations.issueSecret, async (request: AppRequest, reply) => {
    checkCsrf(signIn, request)
    const { app, asked } = await ownAppFresh(signIn, request)
    return reply.code(201).send(await issueSecret(asked, app))
  })

  scope.delete('/api/apps/:id/secrets/:secretId', appOperations.endSecret, async (request, reply) => {
    checkCsrf(signIn, request)
    const { app, asked } = await ownApp(signIn, request as AppRequest)
    const { secretId } = request.params as { secretId: string }
    await endSecret(asked, app, readUuid(secretId, 'Secret'))
    return reply.code(204).send()
  })
}
