import type { Server } from 'node:http'
import type { Accept } from './listeners.ts'

/** Connections of a server that does not listen itself: they were accepted elsewhere, in its own process or another. */
export interface AdoptedConnections {
  /** Gives the server a connection. */
  adopt: Accept
  /** @returns when the last connection has ended */
  allEnded: () => Promise<void>
}

/** For a server that does not listen itself. */
export function adoptConnections(server: Server): AdoptedConnections {
  let open = 0
  let none: PromiseWithResolvers<void> | undefined
  // Node keeps account of connections, and so of their time limits, from this event on.
  server.emit('listening')
  return {
    adopt(socket) {
      open++
      socket.once('close', () => {
        if (--open === 0) none?.resolve()
      })
      // Servers of HTTP have it so, and it is not passed on from process to process.
      socket.allowHalfOpen = true
      server.emit('connection', socket)
      socket.resume()
    },
    allEnded() {
      none ??= Promise.withResolvers()
      if (open === 0) none.resolve()
      return none.promise
    },
  }
}
