import type { FastifyInstance } from 'fastify'
import { networkOf } from '../rate-limit/rate-limit.ts'
import { NO_NETWORK } from './audit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The network of the client, as `networkOf` names it. It stays readable after the client disconnects. */
    network: string
  }
}

/**
 * Reads the network of each client before any work begins. A closed socket has no address any more, so routes use
 * `request.network` and never `request.ip`.
 */
export function captureNetworks(fastify: FastifyInstance): void {
  // Node keeps the address that was read once; a reset connection would lose it before its request is parsed.
  fastify.server.on('connection', (socket) => void socket.remoteAddress)
  fastify.decorateRequest('network', NO_NETWORK)
  fastify.addHook('onRequest', (request, _reply, done) => {
    // The address of a client that is gone already is undefined.
    request.network = networkOf(request.ip || NO_NETWORK)
    done()
  })
}
