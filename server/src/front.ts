import { createApp } from './app.ts'
import type { App } from './app.ts'
import type { Config } from './config.ts'
import { listen, stopListening } from './listening.ts'
import type { Front } from './serve.ts'

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
