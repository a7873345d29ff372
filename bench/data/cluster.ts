import { join, resolve } from 'node:path'
import type { ClientConfig } from 'pg'
import { startEmbedded } from '../../server/src/database/embedded.ts'
import type { BenchContext, Sizes } from '../harness/row.ts'
import { type BenchDatabase, dropBenchDatabase, openBenchDatabase, withClient } from './bench-database.ts'

export const DATA_FOLDER = resolve(process.env.QUESTBOARD_BENCH_DATA || join(import.meta.dirname, '..', '.data'))

export interface Cluster extends Pick<BenchContext, 'reading' | 'fresh'> {
  version: string
  close(): Promise<void>
}

/** The PostgreSQL of a run: the embedded one with the settings that the service gives it, or that of DATABASE_URL. */
export async function openCluster({ quick }: { sizes: Sizes; quick: boolean; say: (line: string) => void }): Promise<Cluster> {
  const { connection, stop } = await reach()
  const opened: BenchDatabase[] = []
  const fresh = new Set<string>()
  const open = async (name: string, again: boolean): Promise<BenchDatabase> => {
    const database = await openBenchDatabase(connection, name, again)
    opened.push(database)
    return database
  }
  let reading: Promise<BenchDatabase> | undefined
  return {
    version: await serverVersion(connection),
    reading: () => (reading ??= open(quick ? 'bench_quick' : 'bench_reading', false)),
    async fresh(name) {
      const own = `bench_${name.toLowerCase()}`
      fresh.add(own)
      return open(own, true)
    },
    async close() {
      await Promise.all(opened.map((database) => database.close()))
      for (const name of fresh) await dropBenchDatabase(connection, name)
      await stop()
    },
  }
}

async function reach(): Promise<{ connection: ClientConfig; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url === undefined || url === '') return startEmbedded({ dataDir: DATA_FOLDER })
  const { hostname, port, username, password } = new URL(url)
  const connection = {
    host: decodeURIComponent(hostname),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
  return { connection, stop: async () => {} }
}

async function serverVersion(connection: ClientConfig): Promise<string> {
  return withClient({ ...connection, database: 'postgres' }, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return `PostgreSQL ${rows[0]?.server_version ?? ''}`
  })
}
