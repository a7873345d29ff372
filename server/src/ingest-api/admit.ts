import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { authenticateIngest, type IngestCaller } from './authenticate.ts'
import { invalidRequest, overloaded, tooManyAtOnce, unsupportedMediaType } from './ingest-error.ts'
import { BODY_LIMIT, BYTES_ARRIVING, BYTES_OF_ONE, MOST_AT_ONCE } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ingestCaller: IngestCaller | null
  }
}

interface Load {
  requests: number
  bytes: number
}

/** Lets in who has a token, before the body is read, and of each token only so many requests and bytes at once. */
export function admit(scope: FastifyInstance, deps: Dependencies): void {
  const loads = new Map<string, Load>()
  let arriving = 0
  scope.decorateRequest('ingestCaller', null)
  scope.addHook('onRequest', async (request, reply) => {
    const caller = await authenticateIngest(deps, request)
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity')
      throw unsupportedMediaType('Content-Encoding is not supported; send the body as it is')
    // Who has gone already is told of no end; counting such a request would keep its place for ever.
    if (reply.raw.destroyed || request.raw.socket.destroyed) throw invalidRequest('The sender has gone')
    const load = loads.get(caller.tokenId) ?? { requests: 0, bytes: 0 }
    if (load.requests >= MOST_AT_ONCE)
      throw tooManyAtOnce(`This token has ${load.requests} requests under way; allowed: ${MOST_AT_ONCE} at once`)
    const bytes = bytesToCome(request)
    if (load.bytes + bytes > BYTES_OF_ONE)
      throw tooManyAtOnce(`The requests of this token bring more than ${BYTES_OF_ONE} bytes at once`)
    if (arriving + bytes > BYTES_ARRIVING) throw overloaded()
    const count = (sign: 1 | -1) => {
      load.requests += sign
      load.bytes += sign * bytes
      arriving += sign * bytes
    }
    count(1)
    loads.set(caller.tokenId, load)
    reply.raw.once('close', () => {
      count(-1)
      if (load.requests === 0) loads.delete(caller.tokenId)
    })
    request.ingestCaller = caller
  })
}

/** What of the body may have to be in memory; unless its length is told, as much as may come. */
function bytesToCome({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return BODY_LIMIT
  return Math.min(Number(headers['content-length'] ?? 0), BODY_LIMIT)
}

export function callerOf(request: FastifyRequest): IngestCaller {
  if (!request.ingestCaller) throw new Error('a route of the ingest API runs without its caller')
  return request.ingestCaller
}
