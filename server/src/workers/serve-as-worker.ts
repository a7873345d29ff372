import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { isUnreachable, openDatabase } from '../database/connection.ts'
import type { Dependencies } from '../dependencies.ts'
import { finishRequests } from '../process/graceful-shutdown.ts'
import { adoptConnections } from '../http/adopted-connections.ts'
import { createLog } from '../logging/log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { failureOf } from './messages.ts'
import { openWorkerChannel, type WorkerChannel } from './worker-channel.ts'
import { createWorkerListeners } from './worker-listeners.ts'

/** Answers on the connections that the first process gives it, until that says that it is enough, or has gone. */
export async function serveAsWorker(config: Config, outside: Pick<Dependencies, 'clock' | 'random'>): Promise<void> {
  const channel = openWorkerChannel()
  try {
    await work(channel, config, outside)
  } catch (error) {
    await channel.failed(failureOf(error, isUnreachable(error)))
    process.exit(1)
  }
  // What connects it to the first process would keep it alive.
  process.disconnect?.()
}

async function work(
  channel: WorkerChannel,
  config: Config,
  outside: Pick<Dependencies, 'clock' | 'random'>,
): Promise<void> {
  const { number, connection } = await channel.started()
  const log = createLog(config, number)
  const { readConnections, poolSize } = config
  const database = openDatabase({ connection, readConnections, poolSize, log })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  try {
    const { isComplete, renderMetrics } = channel
    const app = await createApp(
      { ...outside, config, log, database, outgoing },
      { among: { number, isComplete, renderMetrics } },
    )
    const connections = adoptConnections(app.server)
    const { adopt } = connections
    const listeners = createWorkerListeners({ accept: adopt, onAccepted: channel.tellAccepted, log })
    void channel.drainAsked().then(() => app.drain())
    channel.serve({
      adopt,
      listen: listeners.open,
      stopListening: listeners.close,
      readMetrics: app.metrics.values,
    })
    const notice = await channel.stopAsked()
    app.drain()
    await listeners.close()
    await finishRequests(app, connections, notice)
  } finally {
    await outgoing.close()
    await database.close()
  }
}
