import type { MonotonicClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { watchConnections, watchInstallation, watchWorkers } from '../http/metric-collectors.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Logger } from '../logging/log.ts'
import type { RequestServer } from '../process/serve.ts'
import { aggregateMetrics, type MetricsSource } from './aggregate-metrics.ts'
import { createPool } from './pool.ts'

/** The number of the first process among the workers, in metrics and in the log. */
export const FIRST = 0

/** Lets worker processes serve requests. This process starts and stops them, and does the background work. */
export function createFirstProcess(
  { workers, host, port }: Config,
  { clock, log }: { clock: MonotonicClock; log: Logger },
): RequestServer {
  const metrics = createMetrics(FIRST)
  const own: MetricsSource = { readMetrics: () => metrics.values() }
  const allMetrics = aggregateMetrics(() => [own, ...pool.serving()])
  const pool = createPool({
    size: workers,
    at: { host, port },
    clock,
    log,
    renderMetrics: allMetrics.render,
    onEnded: allMetrics.hasEnded,
  })
  watchWorkers(metrics, pool.load)
  return {
    async open(deps, connection) {
      watchConnections(metrics, { background: deps.database })
      watchInstallation(metrics, deps)
      return (await pool.open(connection)).port
    },
    attempted: metrics.attempted,
    notified: metrics.notified,
    lost: pool.lost,
    stop: pool.stop,
    close: async () => {}, // the workers have the connections for requests
    abandon: pool.kill,
  }
}
