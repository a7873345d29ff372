import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { authenticateIngest, type IngestCaller } from './authenticate.ts'
import { invalidRequest, tooManyAtOnce, unsupportedMediaType } from './ingest-error.ts'
import { MOST_AT_ONCE } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ingestCaller: IngestCaller | null
  }
}

/** Lets in who has a token, before the body is read, and of each token only so many requests at once. */
export function admit(scope: FastifyInstance, deps: Dependencies): void {
  const atWork = new Map<string, number>()
  scope.decorateRequest('ingestCaller', null)
  scope.addHook('onRequest', async (request, reply) => {
    const caller = await authenticateIngest(deps, request)
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity')
      throw unsupportedMediaType('Content-Encoding is not supported; send the body as it is')
    // Who has gone already is told of no end; counting such a request would keep its place for ever.
    if (reply.raw.destroyed || request.raw.socket.destroyed) throw invalidRequest('The sender has gone')
    const running = atWork.get(caller.tokenId) ?? 0
    if (running >= MOST_AT_ONCE)
      throw tooManyAtOnce(`This token has ${running} requests under way; allowed: ${MOST_AT_ONCE} at once`)
    atWork.set(caller.tokenId, running + 1)
    reply.raw.once('close', () => {
      const left = (atWork.get(caller.tokenId) ?? 1) - 1
      if (left === 0) atWork.delete(caller.tokenId)
      else atWork.set(caller.tokenId, left)
    })
    request.ingestCaller = caller
  })
}

export function callerOf(request: FastifyRequest): IngestCaller {
  if (!request.ingestCaller) throw new Error('a route of the ingest API runs without its caller')
  return request.ingestCaller
}
