import { setTimeout as sleep } from 'node:timers/promises'
import { type App, createApp } from './app.ts'
import { SECOND } from './clock.ts'
import type { Config } from './config.ts'
import { type Doors, type Hatch, openDoors, openHatch } from './http/doors.ts'
import { DRAIN_TIMEOUT } from './lifetimes.ts'
import type { Front } from './serve.ts'

/** An answer that was begun before the stop keeps its connection open: it is closed when it is done. */
const FINISHED_POLL = SECOND / 10

/** Takes requests in this process. */
export function ownFront(config: Config): Front {
  let open: { app: App; hatch: Hatch; doors: Doors } | undefined
  return {
    readConnections: config.readConnections,
    async open(deps) {
      const app = await createApp(deps)
      const hatch = openHatch(app.server)
      const doors = await openDoors(hatch.take, config)
      open = { app, hatch, doors }
      return doors.at.port
    },
    delivered: (outcome) => open?.app.metrics.delivered(outcome),
    lost: new Promise(() => {}),
    async stop(notice) {
      if (!open) return
      // It tells first that it goes, and answers meanwhile.
      open.app.drain()
      await sleep(notice)
      open.doors.close()
      await finish(open.app, open.hatch)
    },
    abandon() {},
  }
}

/** Lets what is under way finish, and closes everything; nothing new comes any more. */
export async function finish(app: App, hatch: Hatch): Promise<void> {
  const finishing = setInterval(() => app.server.closeIdleConnections(), FINISHED_POLL)
  const impatient = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  app.server.closeIdleConnections()
  await hatch.emptied()
  clearInterval(finishing)
  clearTimeout(impatient)
  await app.close()
}
