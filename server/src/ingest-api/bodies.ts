import type { FastifyInstance, FastifyRequest } from 'fastify'
import { callerOf } from './admit.ts'
import { overloaded, tooManyAtOnce } from './ingest-error.ts'
import { BODY_LIMIT, BYTES_OF_ONE, BYTES_UNDER_WAY } from './limits.ts'
import type { RawBody } from './read-items.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is counted for the body. */
    bodyBytes: number
  }
}

/**
 * Lets in bodies of so many bytes together, before they are read: from then until the answer they have to be in memory.
 * Fails with UNAVAILABLE beyond that, and with QUOTA_EXCEEDED when one token brings too much of it.
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
      throw tooManyAtOnce(`The requests of this token bring more than ${BYTES_OF_ONE} bytes at once`)
    if (underWay + bytes > BYTES_UNDER_WAY) throw overloaded()
    request.bodyBytes = bytes
    count(tokenId, bytes)
    reply.raw.once('close', () => {
      count(tokenId, -request.bodyBytes)
      // Who hung up while its batch waits keeps nothing in memory, and nothing of it is stored.
      request.body = undefined
    })
  })
  // The body is there: who sent it without a length gives back what it did not need.
  scope.addHook('preValidation', async (request, reply) => {
    const body = request.body as RawBody | undefined
    if (reply.raw.destroyed || !body) return
    const bytes = Buffer.byteLength(body.text)
    count(callerOf(request).tokenId, bytes - request.bodyBytes)
    request.bodyBytes = bytes
  })
}

/** What of the body may have to be in memory; unless its length is told, as much as may come. */
function bytesToCome({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return BODY_LIMIT
  return Math.min(Number(headers['content-length'] ?? 0), BODY_LIMIT)
}
