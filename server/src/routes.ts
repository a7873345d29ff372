import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { runInRequest } from './database/request-context.ts'
import { type DashboardServices, registerDashboard } from './dashboard/routes.ts'
import { type ApiRoute, collectRoutes } from './api/openapi-document.ts'
import { route } from './api/route.ts'
import { apiDocument, documentOperation } from './api/api-document.ts'
import { captureNetworks } from './audit/client-network.ts'
import type { Dependencies, Services } from './services.ts'
import { registerAuthorizationApi, registerBrowserEndpoints } from './oauth/page-routes.ts'
import { registerOauth } from './oauth/routes.ts'
import { answerApiErrors } from './api/reply-error.ts'
import { registerContent } from './content/routes.ts'
import { registerRules } from './rules/routes.ts'
import { registerIdentity } from './identity/routes.ts'
import { registerSearch } from './search/routes.ts'
import { registerSnapshots } from './snapshots/routes.ts'
import { registerPeople } from './people/routes.ts'
import { registerProgramme } from './programme/routes.ts'
import { registerTeams } from './teams/routes.ts'
import { registerProviderSignIn } from './identity/social/routes.ts'

const API_BODY_LIMIT = 256 * 1024

/** Registers the OAuth endpoints, the JSON API and the app logos. */
export async function registerApi(
  fastify: FastifyInstance,
  services: Services,
  dashboard: DashboardServices,
): Promise<void> {
  captureNetworks(fastify)
  fastify.addHook('onClose', async () => void (await Promise.all(services.pendingWrites)))
  const routes: (readonly ApiRoute[])[] = []
  await fastify.register(async (withoutCookies) => {
    routes.push(collectRoutes(withoutCookies))
    setUpRequests(withoutCookies, services)
    registerOauth(withoutCookies, services, dashboard)
  })
  await fastify.register(async (withCookies) => {
    routes.push(collectRoutes(withCookies))
    setUpRequests(withCookies, services)
    await withCookies.register(fastifyCookie)
    await withCookies.register(async (scope) => registerBrowserEndpoints(scope, services))
    await withCookies.register(async (api) => {
      answerApiErrors(api, services)
      api.addHook('onRoute', (route) => {
        route.bodyLimit ??= API_BODY_LIMIT
      })
      // Responses about a user must not be cached.
      api.addHook('onRequest', async (_request, reply) => {
        void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      })
      registerIdentity(api, services)
      registerProviderSignIn(api, services)
      registerAuthorizationApi(api, services)
      registerDashboard(api, services, dashboard)
      registerContent(api, services, dashboard.renderer)
      registerTeams(api, services)
      registerSearch(api, services)
      registerPeople(api, services)
      registerProgramme(api, services)
      registerRules(api, services)
      registerSnapshots(api, services)
      route(api, services, documentOperation, () => apiDocument(services.site, routes.flat()))
    })
  })
}

/**
 * Sets the request ID for the log, the response header and error bodies. After a response was sent, for example because of
 * a timeout, no transaction of its request is committed, except in `allowAfterResponse` (database/request-context.ts).
 */
function setUpRequests(scope: FastifyInstance, { random }: Dependencies): void {
  scope.setGenReqId(() => random.requestId())
  scope.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    done()
  })
  // This must be a `preHandler` hook, which runs after the body was read. A context that an earlier hook sets is lost in
  // the events of the body.
  scope.addHook('preHandler', ({ id }, reply, done) =>
    runInRequest({ id, isResponseSent: () => reply.raw.writableEnded }, done),
  )
}
