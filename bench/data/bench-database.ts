import type { ClientConfig } from 'pg'
import { type Database, openDatabase } from '../../server/src/database/connection.ts'
import { migrate } from '../../server/src/database/migrate.ts'
import { distribute, readPlan } from '../../server/src/distribution/distribute.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { createOnEveryNode, dropOnEveryNode, withClient } from '../../server/test/support/nodes.ts'

/** A migrated database, with the product's own door to it. */
export interface BenchDatabase extends Database {
  name: string
  connection: ClientConfig
  /** As DATABASE_URL of a service. */
  url: string
}

/**
 * Opens a database of a server; creates it when it is not there. `again` drops what was there. With the workers of a Citus
 * cluster after the server, its tables are distributed.
 */
export async function openBenchDatabase(
  nodes: readonly ClientConfig[],
  name: string,
  again: boolean,
): Promise<BenchDatabase> {
  const [server = {}] = nodes
  if (again) await dropOnEveryNode(nodes, name)
  const found = await withClient({ ...server, database: 'postgres' }, (client) =>
    client.query('SELECT FROM pg_database WHERE datname = $1', [name]),
  )
  if (found.rowCount === 0) await createOnEveryNode(nodes, name)
  const connection = { ...server, database: name }
  await withClient(connection, async (client) => {
    await migrate(client)
    if (nodes.length > 1) await distribute(client, await readPlan(client), () => {})
  })
  const database = openDatabase({ connection, readConnections: 2, log: silentLog })
  return { ...database, name, connection, url: urlOf(connection) }
}

/** In a PostgreSQL URL, the folder of a Unix socket is percent-encoded as the host. */
export function urlOf({ host = 'localhost', port = 5432, user = '', password, database = '' }: ClientConfig): string {
  const secret = typeof password === 'string' && password !== '' ? `:${encodeURIComponent(password)}` : ''
  return `postgres://${encodeURIComponent(user)}${secret}@${encodeURIComponent(host)}:${port}/${database}`
}
