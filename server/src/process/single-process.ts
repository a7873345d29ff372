import { setTimeout as sleep } from 'node:timers/promises'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { finishRequests } from './graceful-shutdown.ts'
import { adoptConnections, type AdoptedConnections } from '../http/adopted-connections.ts'
import { type Listeners, openListeners } from '../http/listeners.ts'
import type { RequestServer } from './serve.ts'

/** Answers requests in this process. */
export function createSingleProcess(config: Config): RequestServer {
  let open: { app: App; connections: AdoptedConnections; listeners: Listeners } | undefined
  return {
    readConnections: config.readConnections,
    async open(deps) {
      const app = await createApp(deps)
      const connections = adoptConnections(app.server)
      const listeners = await openListeners(connections.adopt, config)
      open = { app, connections, listeners }
      return listeners.address.port
    },
    delivered: (outcome) => open?.app.metrics.delivered(outcome),
    lost: new Promise(() => {}),
    async stop(notice) {
      if (!open) return
      // It tells first that it goes, and answers meanwhile.
      open.app.drain()
      await sleep(notice)
      await open.listeners.close()
      await finishRequests(open.app, open.connections, notice)
    },
    abandon() {},
  }
}
