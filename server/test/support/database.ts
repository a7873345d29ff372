import { randomBytes } from 'node:crypto'
import type { ClientConfig, QueryResultRow } from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/database/connection.ts'
import { configureDatabase } from '../../src/distribution/cluster.queries.ts'
import { silentLog } from '../../src/logging/log.ts'
import { maintain, withClient } from './nodes.ts'

export interface TestDatabase extends Database {
  connection: ClientConfig
  /** Runs any SQL, to check rows or to create states that no API can create. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

/** Creates an empty, migrated database; call drop() in afterAll. On a cluster, its tables are distributed. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const nodes = inject('nodes')
  const name = `test_${randomBytes(8).toString('hex')}`
  await maintain(nodes, `CREATE DATABASE ${name} TEMPLATE ${inject('template')}`)
  const connection = { ...nodes[0], database: name }
  // A copy has no settings of its template.
  if (isCluster()) await withClient(connection, configureDatabase)
  const database = openDatabase({ connection, readConnections: 2, log: silentLog })
  return {
    ...database,
    connection,
    query: async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
      (await database.pool.query<Row>(text, values)).rows,
    async drop() {
      await database.close()
      await maintain(nodes, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Whether the tables of test databases are distributed. */
export const isCluster = () => inject('nodes').length > 1
