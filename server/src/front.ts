import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, createApp } from './app.ts'
import { SECOND } from './clock.ts'
import type { Config } from './config.ts'
import { DRAIN_TIMEOUT } from './lifetimes.ts'
import type { Front } from './serve.ts'

/** Connections that may wait to be taken: as many as Linux allows unless it was told otherwise. */
const BACKLOG = 4_096

/** An answer that was begun before the stop keeps its connection open: it is closed when it is done. */
const FINISHED_POLL = SECOND / 10

/** Takes requests in this process. */
export function ownFront(config: Config): Front {
  let app: App | undefined
  return {
    readConnections: config.readConnections,
    async open(deps) {
      app = await createApp(deps)
      return listen(app, config)
    },
    delivered: (outcome) => app?.metrics.delivered(outcome),
    lost: new Promise(() => {}),
    async stop(notice) {
      if (app) await stopListening(app, notice)
    },
    abandon() {},
  }
}

/** Takes requests from now on. @returns the port */
export async function listen({ server }: App, { port, host }: Pick<Config, 'port' | 'host'>): Promise<number> {
  server.listen({ port, host, backlog: BACKLOG })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Tells first that it goes, and answers meanwhile; then takes nothing new and lets what is under way finish. */
export async function stopListening(app: App, notice: number): Promise<void> {
  app.drain()
  await sleep(notice)
  const closed = once(app.server, 'close')
  app.server.close()
  const finishing = setInterval(() => app.server.closeIdleConnections(), FINISHED_POLL)
  const impatient = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  await closed
  clearInterval(finishing)
  clearTimeout(impatient)
  await app.close()
}
