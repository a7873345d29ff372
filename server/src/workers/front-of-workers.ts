import type { Config } from '../config.ts'
import { watchConnections, watchInstallation, watchWorkers } from '../http/figures.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Logger } from '../log.ts'
import type { Front } from '../serve.ts'
import { createCrew } from './crew.ts'
import { addUpFigures, type Teller } from './figures.ts'

/** The number of the first process among the workers, in figures and in the log. */
export const FIRST = 0

/** Lets worker processes take requests; this one does the work in the background and tells them all what to do. */
export function frontOfWorkers({ workers }: Config, log: Logger): Front {
  const metrics = createMetrics(FIRST)
  const own: Teller = { tell: () => metrics.values() }
  const figures = addUpFigures(() => [own, ...crew.tellers()])
  const crew = createCrew({ size: workers, log, renderFigures: figures.render, hasEnded: figures.hasEnded })
  watchWorkers(metrics, crew.load)
  return {
    readConnections: 1,
    async open(deps, connection) {
      watchConnections(metrics, deps.database)
      watchInstallation(metrics, deps)
      return crew.open(connection)
    },
    delivered: metrics.delivered,
    lost: crew.lost,
    stop: crew.stop,
    abandon: crew.dismiss,
  }
}
