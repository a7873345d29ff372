import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MemberQuests } from '../claims/member-quests.ts'
import type { Verifications } from '../verify/verifications.ts'
import type { Services } from '../services.ts'
import { logOauthAccess, subjectOf } from './access-log.ts'
import { claimQuest, CLAIM_PATH } from './quest-claim.ts'
import {
  allowAnyOrigin,
  allowOriginOf,
  allowPublicOriginOf,
  answerOpenPreflight,
  answerRevocationPreflight,
  answerTokenPreflight,
} from './cors.ts'
import type { ApiOperation } from '../api/openapi-document.ts'
import { documentDescriptions } from './document-route-descriptions.ts'
import { endpointDescriptions } from './endpoint-route-descriptions.ts'
import { methodNotAllowed } from './errors.ts'
import { forbidStoring } from './http.ts'
import { answerIntrospection } from './introspect.ts'
import { metadata, paths } from './metadata.ts'
import { answerOauthErrors } from './reply-error.ts'
import { protectedResource, protectedResourcePaths } from './resources.ts'
import { answerRevocation } from './revoke.ts'
import { publishedKeys } from './signing-keys.ts'
import { answerTokenDetail, TOKEN_DETAIL_HEADERS } from './token-detail.ts'
import { answerTokenRequest, readClientRequest } from './token.ts'
import { verifyQuest, VERIFY_PATH } from './quest-verification.ts'
import { answerUserData, answerUserInfo } from './user-data.ts'

const BODY_LIMIT = 64 * 1024
const KEYS_MAX_AGE = 600

/** The OAuth endpoints for programs; those for browsers are in page-routes.ts. */
export function registerOauth(
  scope: FastifyInstance,
  services: Services,
  { quests, verifications }: { quests: MemberQuests; verifications: Verifications },
): void {
  logOauthAccess(scope, services.log)
  answerOauthErrors(scope, services)
  // parameters.ts reads bodies more strictly than the framework's parsers.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  )

  post(scope, paths.token, endpointDescriptions.token, async (request, reply) => {
    forbidStoring(reply)
    const client = await readClientRequest(services, request, {
      publicClients: true,
      found: (app) => allowOriginOf(services, app, request, reply),
    })
    allowOriginOf(services, client.app, request, reply)
    return answerTokenRequest(services, request, client)
  })
  scope.options(paths.token, (request, reply) => answerTokenPreflight(services, request, reply))
  post(scope, paths.introspect, endpointDescriptions.introspect, async (request, reply) => {
    forbidStoring(reply)
    return answerIntrospection(services, request)
  })
  post(scope, paths.revoke, endpointDescriptions.revoke, async (request, reply) => {
    forbidStoring(reply)
    const client = await readClientRequest(services, request, {
      publicClients: true,
      found: (app) => allowPublicOriginOf(services, app, request, reply),
    })
    return answerRevocation(services, request, client)
  })
  scope.options(paths.revoke, (request, reply) => answerRevocationPreflight(services, request, reply))

  openGet(scope, paths.tokenDetail, endpointDescriptions.tokenDetail, async (request, reply) => {
    const { id: requestId, url, headers } = request
    const asked = { url, headers, requestId, subject: subjectOf(request) }
    const { status, body, ...answer } = await answerTokenDetail(services, asked)
    const always = { 'x-request-id': requestId, ...TOKEN_DETAIL_HEADERS }
    return reply
      .code(status)
      .headers({ ...always, ...answer.headers })
      .send(body)
  })
  openGet(scope, paths.userData, endpointDescriptions.userData, (request) => answerUserData(services, request))
  openGet(scope, paths.userInfo, endpointDescriptions.userInfo, (request) => answerUserInfo(services, request))
  // OpenID Connect Core 5.3.1: userinfo accepts POST too.
  scope.post(paths.userInfo, { config: { api: endpointDescriptions.userInfoByPost } }, async (request, reply) => {
    forbidStoring(reply)
    allowAnyOrigin(reply)
    return answerUserInfo(services, request)
  })
  scope.post<{ Params: { questId: string } }>(
    CLAIM_PATH,
    { config: { api: endpointDescriptions.claim }, onRequest: openResource },
    (request) => claimQuest(services, quests, request),
  )
  scope.options(CLAIM_PATH, (_request, reply) => answerOpenPreflight(reply))
  scope.post<{ Params: { questId: string } }>(
    VERIFY_PATH,
    { config: { api: endpointDescriptions.verify }, onRequest: openResource },
    (request) => verifyQuest(services, { quests, verifications }, request),
  )
  scope.options(VERIFY_PATH, (_request, reply) => answerOpenPreflight(reply))

  const document = metadata(services)
  publicDocument(scope, '/.well-known/oauth-authorization-server', documentDescriptions.metadata, () => document)
  publicDocument(scope, '/.well-known/openid-configuration', documentDescriptions.metadata, () => document)
  const resource = protectedResource(services.site)
  for (const path of protectedResourcePaths)
    publicDocument(scope, path, documentDescriptions.protectedResource, () => resource)
  publicDocument(scope, paths.keys, documentDescriptions.keys, () => publishedKeys(services))
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

function post(scope: FastifyInstance, url: string, api: ApiOperation, handler: Handler): void {
  scope.post(url, { config: { api } }, handler)
  scope.route({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
    url,
    exposeHeadRoute: false,
    handler() {
      throw methodNotAllowed('POST')
    },
  })
}

/** A resource endpoint: any origin; responses are not cached. */
function openGet(scope: FastifyInstance, url: string, api: ApiOperation, handler: Handler): void {
  scope.get(url, { config: { api }, onRequest: openResource, handler })
  scope.options(url, (_request, reply) => answerOpenPreflight(reply))
}

function openResource(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  forbidStoring(reply)
  allowAnyOrigin(reply)
  done()
}

function publicDocument(scope: FastifyInstance, url: string, api: ApiOperation, content: () => unknown): void {
  scope.get(url, { config: { api } }, (_request, reply) => {
    allowAnyOrigin(reply)
    void reply.header('cache-control', `public, max-age=${KEYS_MAX_AGE}`)
    return content()
  })
  scope.options(url, (_request, reply) => answerOpenPreflight(reply))
}
