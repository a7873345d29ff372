import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { isUnreachable, openDatabase } from '../database/connection.ts'
import type { Dependencies } from '../dependencies.ts'
import { listen, stopListening } from '../front.ts'
import { createLog } from '../log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { failureOf } from './messages.ts'
import { becomeWorker, type Worker } from './worker.ts'

/** Takes requests of the instance's port until the first process says that it is enough, or has gone. */
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
  const { number, connection, port = config.port } = await worker.started()
  const log = createLog(config, number)
  const { readConnections, poolSize, host } = config
  const database = openDatabase({ connection, readConnections, poolSize, log })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  try {
    const { isComplete, renderFigures } = worker
    const app = await createApp(
      { ...outside, config, log, database, outgoing },
      { among: { number, isComplete, renderFigures } },
    )
    const at = { host, port: port === 0 ? await freePort(host) : port }
    worker.listens(await listen(app, at), app.metrics.values)
    await stopListening(app, await worker.told())
  } finally {
    await outgoing.close()
    await database.close()
  }
}

/**
 * Others are told the port that the first worker took. To node:cluster those who listen at 0 share one, which nobody can
 * join who listens at its number.
 */
async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ port: 0, host, exclusive: true })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
