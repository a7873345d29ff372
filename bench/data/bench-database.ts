import { Client, type ClientConfig } from 'pg'
import { type Database, openDatabase } from '../../server/src/database/connection.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { silentLog } from '../../server/src/logging/log.ts'

/** A migrated database, with the product's own door to it. */
export interface BenchDatabase extends Database {
  name: string
  connection: ClientConfig
  /** As DATABASE_URL of a service. */
  url: string
}

/** Opens a database of the cluster; creates it when it is not there. `again` drops what was there. */
export async function openBenchDatabase(server: ClientConfig, name: string, again: boolean): Promise<BenchDatabase> {
  await withClient({ ...server, database: 'postgres' }, async (client) => {
    if (again) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`)
  })
  const connection = { ...server, database: name }
  await withClient(connection, (client) => migrate(client))
  const database = openDatabase({ connection, readConnections: 2, log: silentLog })
  return { ...database, name, connection, url: urlOf(connection) }
}

export async function dropBenchDatabase(server: ClientConfig, name: string): Promise<void> {
  await withClient({ ...server, database: 'postgres' }, (client) =>
    client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  )
}

export async function withClient<T>(connection: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** In a PostgreSQL URL, the folder of a Unix socket is percent-encoded as the host. */
export function urlOf({ host = 'localhost', port = 5432, user = '', password, database = '' }: ClientConfig): string {
  const secret = typeof password === 'string' && password !== '' ? `:${encodeURIComponent(password)}` : ''
  return `postgres://${encodeURIComponent(user)}${secret}@${encodeURIComponent(host)}:${port}/${database}`
}
