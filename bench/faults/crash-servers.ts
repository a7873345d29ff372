import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../server/src/database/connection.ts'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import { openConfiguredDatabase } from '../../server/src/database/open.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { preparedTransactions } from '../../server/test/support/nodes.ts'
import { openBenchDatabase } from '../data/bench-database.ts'
import { startDurableNodes } from '../processes/citus.ts'

/** PostgreSQL, or a cluster of it, that can be killed. */
export interface CrashServer {
  /** Empty for the embedded server. */
  databaseUrl: string
  /** Kills the first process of a server; the others exit when they notice. */
  kill(): Promise<void>
  /** Resolves when no server is dead that the service does not start. */
  restarted(): Promise<void>
  /** A look at the database after recovery. */
  look<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Transactions that are prepared on a server, and not ended yet. */
  prepared(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** The embedded server, which the service starts again. */
export function embeddedServer(dataDir: string): CrashServer {
  const look: CrashServer['look'] = async (work) => {
    const opened = await openConfiguredDatabase({ databaseUrl: undefined, dataDir, readConnections: 1 }, silentLog)
    try {
      return await work(opened.database)
    } finally {
      await opened.close()
    }
  }
  return {
    databaseUrl: '',
    async kill() {
      // A command that ends while the service is about to come back stops the server; the service starts it again.
      const file = join(dataDir, 'postgres', 'postmaster.pid')
      for (let text: string | undefined; ; await sleep(20)) {
        text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          return undefined
        })
        const pid = Number(text?.split('\n')[0])
        if (pid > 0) return void process.kill(pid, 'SIGKILL')
      }
    },
    restarted: async () => {},
    look,
    prepared: () =>
      look(async ({ pool }) => {
        const { rows } = await pool.query<{ gid: string }>('SELECT gid FROM pg_prepared_xacts')
        return rows.map(({ gid }) => gid)
      }),
    stop: async () => (await startEmbedded({ dataDir })).stop(),
  }
}

const DATABASE = 'bench_t2c'
const MAX_OUTAGE_MS = 3_000
const MAX_RECOVERY_MS = 60_000

/** A Citus cluster of three nodes. Each kill is of the next node, which starts again after a random time. */
export async function citusServer(): Promise<CrashServer> {
  const cluster = await startDurableNodes()
  const database = await openBenchDatabase(cluster.nodes, DATABASE, true).catch(async (error: unknown) => {
    await cluster.stop()
    throw error
  })
  let restart: Promise<void> = Promise.resolve()
  let kills = 0
  const prepared = () => preparedTransactions(cluster.nodes, DATABASE)
  /** Until Citus ends the transactions that a crash left prepared, one node may show their rows and another may not. */
  const recovered = async () => {
    const from = performance.now()
    for (let left = await prepared(); left.length > 0; await sleep(200)) {
      const now = new Set(await prepared())
      left = left.filter((gid) => now.has(gid))
      if (performance.now() - from > MAX_RECOVERY_MS) throw new Error(`Citus does not end ${left.join(', ')}`)
    }
  }
  return {
    databaseUrl: database.url,
    async kill() {
      const node = kills++ % cluster.nodes.length
      await restart
      await cluster.kill(node)
      restart = sleep(randomInt(MAX_OUTAGE_MS)).then(() => cluster.start(node))
      restart.catch(() => {}) // whoever waits for it gets the error
    },
    restarted: () => restart,
    async look(work) {
      await restart
      await recovered()
      return work(database)
    },
    prepared,
    async stop() {
      await restart.catch(() => {}) // the row has failed with it
      await database.close()
      await cluster.stop()
    },
  }
}
