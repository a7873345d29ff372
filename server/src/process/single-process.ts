import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { findAddress } from '../http/listeners.ts'
import type { Metrics } from '../http/metrics.ts'
import { type RequestListener, serveRequests } from './request-listener.ts'
import type { RequestServer } from './serve.ts'

export function createSingleProcess(config: Config): RequestServer {
  let metrics: Metrics | undefined
  let requests: RequestListener | undefined
  return {
    async open(deps, { forRequests }) {
      const app = await createApp({ ...deps, database: forRequests })
      metrics = app.metrics
      const address = await findAddress(config)
      requests = await serveRequests(app, address, deps.clock)
      return address.port
    },
    attempted: (outcome) => metrics?.attempted(outcome),
    notified: (outcome) => metrics?.notified(outcome),
    lost: new Promise(() => {}),
    stop: async (notice) => requests?.stop(notice),
    abandon() {},
  }
}
