import type { Server, ServerOptions, ServerResponse } from 'node:http'
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

/** Those that never asked anything may be so many of all before they make room for each other; a flood goes no further. */
const UNHEARD_SHARE = 1 / 8

/**
 * Keeps a place for who has something to say: beyond `most` connections the one goes that has been silent the longest,
 * of those that wait for their next request, or, when they are more than their share, of those that never asked. A
 * request under way is not cut off: when there is nothing else, the newcomer goes.
 */
export function guardConnections(server: Server, most = MOST_CONNECTIONS): void {
  // Every open connection stands in one of them; the sets are in the order in which they fell silent.
  const unheard = new Set<Socket>()
  const idle = new Set<Socket>()
  const asking = new Map<Socket, number>()
  const forget = (socket: Socket): void => {
    unheard.delete(socket)
    idle.delete(socket)
    asking.delete(socket)
  }
  server.setTimeout(CONNECTION_SILENCE)
  server.on('connection', (socket: Socket) => {
    unheard.add(socket)
    socket.once('close', () => forget(socket))
    if (unheard.size + idle.size + asking.size <= most) return
    const crowded = unheard.size > most * UNHEARD_SHARE
    const [longest = socket] = crowded || idle.size === 0 ? unheard : idle
    longest.destroy()
    forget(longest)
  })
  server.on('request', ({ socket }, response) => {
    unheard.delete(socket)
    idle.delete(socket)
    asking.set(socket, (asking.get(socket) ?? 0) + 1)
    response.on('close', answered)
  })

  /** Several requests of a connection may be under way: the next can be sent before the last is answered. */
  function answered(this: ServerResponse): void {
    const { socket } = this.req
    const left = (asking.get(socket) ?? 0) - 1
    if (left > 0) asking.set(socket, left)
    else if (asking.delete(socket)) idle.add(socket)
  }
}
