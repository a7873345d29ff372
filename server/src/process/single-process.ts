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
  return {
    async open(deps, connection) {
      // An aborted start can continue for a moment.
      if (closed) throw new Error('the service stops')
      // Background work can hold its connections for long, for example while a node of a cluster hangs. Requests have
      // separate connections, so that they do not wait for it.
      const { readConnections, poolSize } = config
      database = openDatabase({ connection, readConnections, poolSize, log: deps.log })
      app = await createApp({ ...deps, database }, { background: deps.database })
      if (closed) {
        await app.close()
        throw new Error('the service stops')
      }
      const address = await findAddress(config)
      requests = await serveRequests(app, address, deps.clock)
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
