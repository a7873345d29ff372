import type { FastifyInstance } from 'fastify'
import { networkOf } from '../rate-limits/ip-network.ts'
import { NO_NETWORK } from './audit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The network of the client (`networkOf`), which remains available after the client disconnects. */
    network: string
  }
}

/**
 * Reads the network of each client first. A closed socket has no address any more, so routes use `request.network`
 * instead of `request.ip`.
 */
export function captureNetworks(fastify: FastifyInstance): void {
  fastify.server.on('connection', (socket) => {
    // Node caches the address after this first read. If the client has already reset the connection, it has none: the
    // audit log could not name the client, and no client waits for the response.
    if (socket.remoteAddress === undefined) socket.destroy()
  })
  fastify.decorateRequest('network', NO_NETWORK)
  fastify.addHook('onRequest', (request, _reply, done) => {
    // `request.ip` is undefined if the client has disconnected.
    request.network = networkOf(request.ip || NO_NETWORK)
    done()
  })
}
