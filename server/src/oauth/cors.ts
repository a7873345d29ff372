import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { type App, isOriginListed } from './app.queries.ts'

const allowedHeaders = 'authorization, access_token, access-token, content-type, idempotency-key'

/** For endpoints that read no cookies and require a token: any origin, without credentials (contract 4). */
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
 * Token endpoint: the preflight allows origins that any approved app lists; the response itself, only origins of its
 * app.
 */
export async function answerTokenPreflight(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.header('vary', 'origin')
  const { origin } = request.headers
  if (origin === undefined || !(await isOriginListed(services.database, origin))) return reply.code(204).send()
  void reply.header('access-control-allow-origin', origin)
  return preflight(reply, 'POST')
}

export function allowOriginOf(app: App, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  void reply.header('vary', 'origin')
  if (origin !== undefined && app.allowedOrigins.includes(origin))
    void reply.header('access-control-allow-origin', origin)
}

function preflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', allowedHeaders)
    .header('access-control-max-age', '600')
    .code(204)
    .send()
}
