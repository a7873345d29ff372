import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { isUnreachable, openDatabase } from '../database/connection.ts'
import type { Dependencies } from '../services.ts'
import { findAddress } from '../http/listeners.ts'
import { createLog } from '../logging/log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { serveRequests } from '../process/request-listener.ts'
import { failureOf } from './messages.ts'
import { openWorkerChannel, type WorkerChannel } from './worker-channel.ts'

/** Serves requests until the first process asks it to stop, or ends. */
export async function serveAsWorker(config: Config, outside: Pick<Dependencies, 'clock' | 'random'>): Promise<void> {
  const channel = openWorkerChannel()
  try {
    await work(channel, config, outside)
  } catch (error) {
    await channel.failed(failureOf(error, isUnreachable(error)))
    process.exit(1)
  }
  // The channel to the first process would keep this process alive.
  process.disconnect?.()
}

async function work(
  channel: WorkerChannel,
  config: Config,
  outside: Pick<Dependencies, 'clock' | 'random'>,
): Promise<void> {
  const { worker: number, connection, address, shared } = await channel.started()
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
    const at = shared ? address : await findAddress(address)
    const requests = await serveRequests(app, at, outside.clock)
    channel.serves(at, app.metrics.values)
    await requests.stop(await channel.stopAsked())
  } finally {
    await outgoing.close()
    await database.close()
  }
}
