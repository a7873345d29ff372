import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach } from 'vitest'

/** Servers and connections that close when the test ends. */
export function untilTheTestEnds() {
  const cleanUp: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of cleanUp.splice(0).reverse()) await end()
  })
  return {
    cleanUp,
    /** @returns the address of the server */
    listening: async (server: Server): Promise<string> => {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      cleanUp.push(() => {
        server.closeAllConnections()
        server.close()
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    connected: async (url: string): Promise<Socket> => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {}) // The service closes it on purpose.
      cleanUp.push(() => socket.destroy())
      await once(socket, 'connect')
      return socket
    },
  }
}

export const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
