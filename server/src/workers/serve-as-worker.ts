import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { isUnreachable, openDatabase } from '../database/connection.ts'
import type { Dependencies } from '../dependencies.ts'
import { finish } from '../front.ts'
import { openHatch } from '../http/doors.ts'
import { createLog } from '../log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { failureOf } from './messages.ts'
import { createOwnDoors } from './own-doors.ts'
import { becomeWorker, type Worker } from './worker.ts'

/** Answers on the connections that the first process hands it, until that says that it is enough, or has gone. */
export async function serveAsWorker(config: Config, outside: Pick<Dependencies, 'clock' | 'random'>): Promise<void> {
  const worker = becomeWorker()
  try {
    await work(worker, config, outside)
  } catch (error) {
    await worker.failed(failureOf(error, isUnreachable(error)))
    process.exit(1)
  }
  // What connects it to the first process would keep it alive.
  process.disconnect?.()
}

async function work(worker: Worker, config: Config, outside: Pick<Dependencies, 'clock' | 'random'>): Promise<void> {
  const { number, connection } = await worker.started()
  const log = createLog(config, number)
  const { readConnections, poolSize } = config
  const database = openDatabase({ connection, readConnections, poolSize, log })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  try {
    const { isComplete, renderFigures } = worker
    const app = await createApp(
      { ...outside, config, log, database, outgoing },
      { among: { number, isComplete, renderFigures } },
    )
    const hatch = openHatch(app.server)
    const doors = createOwnDoors({ take: hatch.take, came: worker.tellCame, log })
    void worker.drainAsked().then(() => app.drain())
    worker.serves({ take: hatch.take, crowd: doors.open, quiet: doors.close, figures: app.metrics.values })
    await worker.stopAsked()
    app.drain()
    await doors.close()
    await finish(app, hatch)
  } finally {
    await outgoing.close()
    await database.close()
  }
}
