import { join, resolve } from 'node:path'
import type { ClientConfig } from 'pg'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import type { BenchContext, Sizes } from '../harness/row.ts'
import { dropOnEveryNode, withClient, workersOf } from '../../server/test/support/nodes.ts'
import { type BenchDatabase, openBenchDatabase } from './bench-database.ts'

export const DATA_FOLDER = resolve(process.env.QUESTBOARD_BENCH_DATA || join(import.meta.dirname, '..', '.data'))

export interface Cluster extends Pick<BenchContext, 'reading' | 'fresh'> {
  version: string
  /** Whether the tables of the databases are distributed over the workers of a Citus cluster. */
  distributed: boolean
  close(): Promise<void>
}

/**
 * The PostgreSQL of a run: the embedded one with the settings that the service gives it, or that of DATABASE_URL. If that
 * is the coordinator of a Citus cluster, the tables of the rows are distributed.
 */
export async function openCluster({ quick }: { sizes: Sizes; quick: boolean; say: (line: string) => void }): Promise<Cluster> {
  const { nodes, stop } = await reach()
  const opened: BenchDatabase[] = []
  const fresh = new Set<string>()
  const open = async (name: string, again: boolean): Promise<BenchDatabase> => {
    const database = await openBenchDatabase(nodes, name, again)
    opened.push(database)
    return database
  }
  let reading: Promise<BenchDatabase> | undefined
  return {
    version: await serverVersion(nodes),
    distributed: nodes.length > 1,
    reading: () => (reading ??= open(quick ? 'bench_quick' : 'bench_reading', false)),
    async fresh(name) {
      const own = `bench_${name.toLowerCase()}`
      fresh.add(own)
      return open(own, true)
    },
    async close() {
      await Promise.all(opened.map((database) => database.close()))
      for (const name of fresh) await dropOnEveryNode(nodes, name)
      await stop()
    },
  }
}

/** The server, and the workers of its cluster. */
async function reach(): Promise<{ nodes: readonly ClientConfig[]; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url === undefined || url === '') {
    const embedded = await startEmbedded({ dataDir: DATA_FOLDER })
    return { nodes: [embedded.connection], stop: () => embedded.stop() }
  }
  const { hostname, port, username, password, pathname } = new URL(url)
  const connection = {
    host: decodeURIComponent(hostname),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
  return { nodes: [connection, ...(await workersOf(connection, pathname.slice(1)))], stop: async () => {} }
}

async function serverVersion([server = {}, ...workers]: readonly ClientConfig[]): Promise<string> {
  return withClient({ ...server, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    const version = `PostgreSQL ${rows[0]?.server_version ?? ''}`
    return workers.length === 0 ? version : `${version}, Citus with ${workers.length} workers`
  })
}
