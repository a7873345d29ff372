import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../database/connection.ts'
import { findAddress } from '../http/listeners.ts'
import { type RequestListener, serveRequests } from './request-listener.ts'
import type { RequestServer } from './serve.ts'

export function createSingleProcess(config: Config): RequestServer {
  let database: Database | undefined
  let app: App | undefined
  let requests: RequestListener | undefined
  let closed = false
  /** Ends an aborted start, which can continue for a moment. */
  const endIfClosed = async (): Promise<void> => {
    if (!closed) return
    await (requests?.stop(0) ?? app?.close())
    throw new Error('the service stops')
  }
  return {
    async open(deps, connection) {
      await endIfClosed()
      // Background work can hold its connections for long, for example while a node of a cluster hangs. Requests have
      // separate connections, so that they do not wait for it.
      const { readConnections, poolSize } = config
      database = openDatabase({ connection, readConnections, poolSize, log: deps.log })
      app = await createApp({ ...deps, database }, { background: deps.database })
      await endIfClosed()
      const address = await findAddress(config)
      requests = await serveRequests(app, address, deps.clock)
      await endIfClosed()
      return address.port
    },
    attempted: (outcome) => app?.metrics.attempted(outcome),
    notified: (outcome) => app?.metrics.notified(outcome),
    lost: new Promise(() => {}),
    stop: async (notice) => requests?.stop(notice),
    async close() {
      closed = true
      try {
        await app?.close()
      } finally {
        await database?.close()
      }
    },
    abandon() {},
  }
}
