import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { type App, findPublicOrigin, isOriginListed } from './app.queries.ts'
import { isClientReturn, mayReturnTo } from './client-metadata/client-url.ts'

const allowedHeaders = 'authorization, access_token, access-token, content-type, idempotency-key'

/** For endpoints that read no cookies: any origin, without credentials. */
export const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate',
}

export function allowAnyOrigin(reply: FastifyReply): void {
  void reply.headers(openHeaders)
}

export function answerOpenPreflight(reply: FastifyReply): FastifyReply {
  allowAnyOrigin(reply)
  return preflight(reply, 'GET, POST')
}

/**
 * Token endpoint: the preflight does not name an app, so it allows the origins that any approved app lists, and those of
 * the redirect URIs of apps without a server. The response allows only the origins of its app.
 */
export async function answerTokenPreflight(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return answerPreflight(request, reply, async (origin) =>
    (await Promise.all([isOriginListed(services.database, origin), isPublicOrigin(services, origin)])).some(
      (listed) => listed,
    ),
  )
}

/** Revocation: only for apps without a server, from the origins of their redirect URIs. */
export async function answerRevocationPreflight(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return answerPreflight(request, reply, (origin) => isPublicOrigin(services, origin))
}

/** Whether this is the origin of a redirect URI to which users of an app without a server may return. */
async function isPublicOrigin(services: Services, origin: string): Promise<boolean> {
  const { registered, published } = await findPublicOrigin(services.database, origin)
  return registered || (published && isClientReturn(services, origin))
}

async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  isAllowed: (origin: string) => Promise<boolean>,
): Promise<FastifyReply> {
  void reply.header('vary', 'origin')
  const { origin } = request.headers
  if (origin === undefined || !(await isAllowed(origin))) return reply.code(204).send()
  void reply.header('access-control-allow-origin', origin)
  return preflight(reply, 'POST')
}

export function allowOriginOf(services: Services, app: App, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  if (origin !== undefined && app.allowedOrigins.includes(origin)) allow(reply, origin)
  else allowPublicOriginOf(services, app, request, reply)
}

export function allowPublicOriginOf(services: Services, app: App, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  // The origin of a URI with a private-use scheme is "null", as is that of every sandboxed page.
  const isPage = origin !== undefined && origin !== 'null'
  const isOwn = (uri: string) => URL.parse(uri)?.origin === origin && mayReturnTo(services, app, uri)
  if (isPage && app.publicClient && app.redirectUris.some(isOwn)) allow(reply, origin)
  else void reply.header('vary', 'origin')
}

function allow(reply: FastifyReply, origin: string): void {
  void reply.headers({ vary: 'origin', 'access-control-allow-origin': origin })
}

function preflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', allowedHeaders)
    .header('access-control-max-age', '600')
    .code(204)
    .send()
}
