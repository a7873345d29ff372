import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { watchConnections, watchInstallation, watchWorkers } from '../http/figures.ts'
import { type Listeners, openListeners } from '../http/listeners.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Logger } from '../logging/log.ts'
import type { RequestServer } from '../process/serve.ts'
import { aggregateMetrics, type MetricsSource } from './aggregate-metrics.ts'
import { createDispatcher } from './dispatcher.ts'
import { createFallbackServer, type FallbackServer } from './fallback-server.ts'
import { createPool } from './pool.ts'
import { detectSurges } from './surge-detection.ts'

/** The number of the first process among the workers, in metrics and in the log. */
export const FIRST = 0

// It is hardly busy. The fewer they are, the fewer come through them while the workers listen themselves.
const FEW_SOCKETS = 8

/**
 * Lets worker processes answer requests; this one accepts the connections and dispatches them, does the work in the
 * background and tells them all what to do.
 */
export function createFirstProcess({ workers, host, port }: Config, log: Logger): RequestServer {
  const metrics = createMetrics(FIRST)
  const own: MetricsSource = { readMetrics: () => metrics.values() }
  const allMetrics = aggregateMetrics(() => [own, ...pool.serving()])
  const pool = createPool({
    size: workers,
    log,
    surging: () => surges.order !== undefined,
    renderMetrics: allMetrics.render,
    onEnded: allMetrics.hasEnded,
    onFree: () => dispatcher.dispatch(),
    onServing: (worker) => surges.order && worker.send(surges.order),
    onAccepted: (count) => surges.accepted(count),
  })
  const surges = detectSurges({ broadcast: pool.broadcast, address: () => listeners?.address })
  const dispatcher = createDispatcher({
    nextFree: pool.nextFree,
    onLongQueue: surges.queueIsLong,
    overflow: (socket) => fallback?.accept(socket),
  })
  let fallback: FallbackServer | undefined
  let listeners: Listeners | undefined
  let draining = false
  watchWorkers(metrics, pool.load)
  return {
    readConnections: 1,
    async open(deps, connection) {
      watchConnections(metrics, deps.database)
      watchInstallation(metrics, deps)
      fallback = await createFallbackServer(deps, metrics, {
        render: allMetrics.render,
        whyNotReady: () => (draining ? 'stopping' : pool.complete && pool.load().serving > 0 ? undefined : 'starting'),
      })
      await pool.open(connection)
      listeners = await openListeners(dispatcher.enqueue, { host, port }, FEW_SOCKETS)
      return listeners.address.port
    },
    delivered: metrics.delivered,
    lost: pool.lost,
    async stop(notice) {
      draining = true
      pool.drain()
      await sleep(notice)
      surges.end()
      await listeners?.close()
      await dispatcher.close()
      await Promise.all([pool.stop(notice), fallback?.close()])
    },
    abandon: pool.kill,
  }
}
