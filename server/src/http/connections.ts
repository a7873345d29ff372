import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { CONNECTION_SILENCE, HEAD_TIMEOUT, IDLE_CONNECTION, REQUEST_TIMEOUT } from '../lifetimes.ts'

/** How patient the listener is with those who send slowly; a proxy in front is slower to let go than we are to wait. */
export const LISTENER: ServerOptions = {
  headersTimeout: HEAD_TIMEOUT,
  requestTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: IDLE_CONNECTION,
  // Without it the two limits above are looked at every half minute only.
  connectionsCheckingInterval: SECOND,
}

/** Connections of one process; operators' file limits are larger (docs/deploy.md). */
export const MOST_CONNECTIONS = 8_000

/**
 * Keeps a place for who has something to say: beyond `most` connections the one goes that has been silent the longest
 * since it was opened; when all have asked before, those that wait for their next request go.
 */
export function guardConnections(server: Server, most = MOST_CONNECTIONS): void {
  const open = new Set<Socket>()
  const unheard = new Set<Socket>()
  const forget = (socket: Socket): void => {
    open.delete(socket)
    unheard.delete(socket)
  }
  const end = (socket: Socket): void => {
    socket.destroy()
    forget(socket)
  }
  server.setTimeout(CONNECTION_SILENCE)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    unheard.add(socket)
    socket.once('close', () => forget(socket))
    if (open.size <= most) return
    const [oldest = socket] = unheard
    if (oldest !== socket) return end(oldest)
    server.closeIdleConnections()
    // They are told closed only later, but make room at once.
    for (const each of open) if (each.destroyed) forget(each)
    if (open.size > most) end(socket)
  })
  server.on('request', ({ socket }) => void unheard.delete(socket))
}
