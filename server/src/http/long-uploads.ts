import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Uploads of millions of lines, which may take longer than the timeout for a whole request. All other requests keep the
 * timeout. The caller that exempts a request must detect when the request makes no progress.
 */
export interface LongUploads {
  allow(request: IncomingMessage): void
}

export function longUploads(): LongUploads & { attach(server: Server): void } {
  const allowed = new WeakSet<Socket>()
  return {
    allow(request) {
      const { socket } = request
      allowed.add(socket)
      socket.setTimeout(0)
      request.once('close', () => allowed.delete(socket))
    },
    attach(server) {
      const others = server.listeners('clientError')
      server.removeAllListeners('clientError')
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && allowed.has(socket as Socket)) return
        for (const listener of others) listener.call(server, error, socket)
      })
    },
  }
}
