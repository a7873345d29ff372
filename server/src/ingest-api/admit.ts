import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../services.ts'
import { authenticateIngest, type IngestCaller } from './authenticate.ts'
import { invalidRequest, tooManyAtOnce, unsupportedMediaType } from './ingest-error.ts'
import { MAX_CONCURRENT_REQUESTS } from './limits.ts'
import { createTokenUses } from './token-uses.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ingestCaller: IngestCaller | null
  }
}

/** Authenticates before the body is read, and limits concurrent requests per token. */
export function admit(scope: FastifyInstance, deps: Dependencies): void {
  const underWay = new Map<string, number>()
  const uses = createTokenUses(deps)
  scope.addHook('onClose', () => uses.close())
  scope.decorateRequest('ingestCaller', null)
  scope.addHook('onRequest', async (request, reply) => {
    const caller = await authenticateIngest({ ...deps, uses }, request)
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity')
      throw unsupportedMediaType('Content-Encoding is not supported; send the body uncompressed')
    // A destroyed request emits no `close` event any more, so it would never be uncounted.
    if (reply.raw.destroyed || request.raw.socket.destroyed) throw invalidRequest('The client has disconnected')
    const { tokenId } = caller
    const own = underWay.get(tokenId) ?? 0
    if (own >= MAX_CONCURRENT_REQUESTS)
      throw tooManyAtOnce(`This token has ${own} concurrent requests; allowed: ${MAX_CONCURRENT_REQUESTS}`)
    underWay.set(tokenId, own + 1)
    reply.raw.once('close', () => {
      const left = (underWay.get(tokenId) ?? 1) - 1
      if (left === 0) underWay.delete(tokenId)
      else underWay.set(tokenId, left)
    })
    request.ingestCaller = caller
  })
}

export function callerOf(request: FastifyRequest): IngestCaller {
  if (!request.ingestCaller) throw new Error('a route of the ingest API runs without its caller')
  return request.ingestCaller
}
