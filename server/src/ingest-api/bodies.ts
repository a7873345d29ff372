import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from './admit.ts'
import { overloaded, tooManyAtOnce } from './ingest-error.ts'
import { BODY_LIMIT, BYTES_OF_ONE, BYTES_UNDER_WAY } from './limits.ts'
import type { RawBody } from './read-items.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes counted for the body. */
    bodyBytes: number
  }
}

/**
 * Limits the total size of bodies in memory, from before they are read until the response. Fails with UNAVAILABLE, or
 * with QUOTA_EXCEEDED if one token exceeds its part.
 */
export function boundBodies(scope: FastifyInstance): void {
  const ofTokens = new Map<string, number>()
  let underWay = 0
  const count = (tokenId: string, bytes: number) => {
    underWay += bytes
    const own = (ofTokens.get(tokenId) ?? 0) + bytes
    if (own === 0) ofTokens.delete(tokenId)
    else ofTokens.set(tokenId, own)
  }
  scope.decorateRequest('bodyBytes', 0)
  scope.addHook('onRequest', async (request, reply) => {
    const { tokenId } = callerOf(request)
    const bytes = bytesToCome(request)
    if ((ofTokens.get(tokenId) ?? 0) + bytes > BYTES_OF_ONE)
      throw tooManyAtOnce(`The concurrent requests of this token have more than ${BYTES_OF_ONE} bytes`)
    if (underWay + bytes > BYTES_UNDER_WAY) throw overloaded()
    request.bodyBytes = bytes
    count(tokenId, bytes)
    reply.raw.once('close', () => {
      count(tokenId, -request.bodyBytes)
      // Frees the memory of a disconnected client's batch that is waiting, and prevents that it is stored.
      request.body = undefined
    })
  })
  // The body has been read: correct the count of a body that was sent without a length.
  scope.addHook('preValidation', async (request, reply) => {
    const body = request.body as RawBody | undefined
    if (reply.raw.destroyed || !body) return
    const bytes = Buffer.byteLength(body.text)
    count(callerOf(request).tokenId, bytes - request.bodyBytes)
    request.bodyBytes = bytes
  })
}

/** The size of the body; the maximum if the length is unknown. */
function bytesToCome({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return BODY_LIMIT
  return Math.min(Number(headers['content-length'] ?? 0), BODY_LIMIT)
}
