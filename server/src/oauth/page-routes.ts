import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import type { Services } from '../services.ts'
import { findLogo } from './app.queries.ts'
import { authorizationDescriptions } from './authorization-route-descriptions.ts'
import { authorize, sameRequestByGet } from './authorize.ts'
import { decideAuthorization, viewAuthorization } from './consent.ts'
import { endpointDescriptions } from './endpoint-route-descriptions.ts'
import { methodNotAllowed } from './errors.ts'
import { logOut } from './logout.ts'
import { logoutDescriptions } from './logout-route-descriptions.ts'
import { paths } from './metadata.ts'
import { answerPageErrors } from './reply-error.ts'
import { viewLogout } from './view-logout.ts'

const FORM_LIMIT = 16 * 1024

/** The authorization endpoint, the logout endpoint, and app logos. */
export function registerBrowserEndpoints(scope: FastifyInstance, services: Services): void {
  answerPageErrors(scope, services)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_LIMIT }, (_request, body, done) =>
    done(null, body),
  )

  scope.get(
    paths.authorize,
    { exposeHeadRoute: false, config: { api: endpointDescriptions.authorize } },
    async (request, reply) => {
      // 303: the browser must not repeat a POST body at the next URL (RFC 9700 4.12).
      void reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
      return reply.redirect(await authorize(services, request, reply), 303)
    },
  )
  // RFC 6749 3.1, OpenID Connect Core 3.1.2.1.
  scope.post(paths.authorize, { config: { api: endpointDescriptions.authorizeByForm } }, async (request, reply) => {
    void reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
    return reply.redirect(await sameRequestByGet(services, request, paths.authorize), 303)
  })
  scope.get(
    paths.logout,
    { exposeHeadRoute: false, config: { api: endpointDescriptions.logout } },
    async (request, reply) => {
      void reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
      return reply.redirect(await logOut(services, request, reply), 303)
    },
  )
  // OpenID Connect RP-Initiated Logout 1.0, 2.
  scope.post(paths.logout, { config: { api: endpointDescriptions.logoutByForm } }, async (request, reply) => {
    void reply.header('referrer-policy', 'no-referrer').header('cache-control', 'no-store')
    return reply.redirect(await sameRequestByGet(services, request, paths.logout), 303)
  })
  for (const url of [paths.authorize, paths.logout])
    scope.route({
      method: ['HEAD', 'PUT', 'PATCH', 'DELETE'],
      url,
      handler() {
        throw methodNotAllowed('GET, POST')
      },
    })

  scope.get<{ Params: { clientId: string } }>(
    '/app-logos/:clientId',
    { config: { api: endpointDescriptions.logo } },
    async (request, reply) => {
      const { clientId } = request.params
      const isId = /^[A-Za-z0-9]{8,64}$/.test(clientId)
      const logo = isId ? await findLogo(services.database.kysely, clientId, 'current') : undefined
      if (!logo) return reply.callNotFound()
      return reply
        .header('content-type', logo.type)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cache-control', 'public, max-age=300')
        .send(logo.bytes)
    },
  )
}

/** The operations of the consent page and of the sign-out page. */
export function registerAuthorizationApi(scope: FastifyInstance, services: Services): void {
  route(scope, services, authorizationDescriptions.view, ({ services, request, resource }) =>
    viewAuthorization(services, request, resource),
  )

  route(scope, services, authorizationDescriptions.decide, ({ resource, body, ...call }) =>
    decideAuthorization(call, resource, body),
  )

  route(scope, services, logoutDescriptions.view, ({ services, request, query }) =>
    viewLogout(services, request, query),
  )
}
