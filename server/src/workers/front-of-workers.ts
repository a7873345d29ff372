import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { type Doors, openDoors } from '../http/doors.ts'
import { watchConnections, watchInstallation, watchWorkers } from '../http/figures.ts'
import { createMetrics } from '../http/metrics.ts'
import type { Logger } from '../log.ts'
import type { Front } from '../serve.ts'
import { createCrew } from './crew.ts'
import { watchCrowd } from './crowd.ts'
import { addUpFigures, type Teller } from './figures.ts'
import { createReception } from './reception.ts'
import { answerTurnedAway, type TurnedAway } from './turned-away.ts'

/** The number of the first process among the workers, in figures and in the log. */
export const FIRST = 0

// It is hardly busy. The fewer they are, the fewer come through them while the workers have doors of their own.
const FEW = 8

/**
 * Lets worker processes answer requests; this one takes the connections and hands them on, does the work in the
 * background and tells them all what to do.
 */
export function frontOfWorkers({ workers, host, port }: Config, log: Logger): Front {
  const metrics = createMetrics(FIRST)
  const own: Teller = { tell: () => metrics.values() }
  const figures = addUpFigures(() => [own, ...crew.tellers()])
  const crew = createCrew({
    size: workers,
    log,
    renderFigures: figures.render,
    hasEnded: figures.hasEnded,
    isFree: () => reception.handOn(),
    begins: (hand) => crowd.news && hand.send(crowd.news),
    came: (count) => crowd.came(count),
  })
  const crowd = watchCrowd({ tell: crew.tell, at: () => doors?.at })
  const reception = createReception({
    free: crew.next,
    crowded: crowd.gathers,
    turnAway: (socket) => turnedAway?.take(socket),
  })
  let turnedAway: TurnedAway | undefined
  let doors: Doors | undefined
  let draining = false
  watchWorkers(metrics, crew.load)
  return {
    readConnections: 1,
    async open(deps, connection) {
      watchConnections(metrics, deps.database)
      watchInstallation(metrics, deps)
      turnedAway = await answerTurnedAway(deps, metrics, {
        render: figures.render,
        whyNotReady: () => (draining ? 'stopping' : crew.complete && crew.load().serving > 0 ? undefined : 'starting'),
      })
      await crew.open(connection)
      doors = await openDoors(reception.receive, { host, port }, FEW)
      return doors.at.port
    },
    delivered: metrics.delivered,
    lost: crew.lost,
    async stop(notice) {
      draining = true
      crew.drain()
      await sleep(notice)
      crowd.end()
      doors?.close()
      await reception.close()
      await Promise.all([crew.stop(), turnedAway?.close()])
    },
    abandon: crew.dismiss,
  }
}
