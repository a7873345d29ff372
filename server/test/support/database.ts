import { randomBytes } from 'node:crypto'
import type { ClientConfig, QueryResultRow } from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/database/connection.ts'
import { configureDatabase } from '../../src/distribution/cluster.queries.ts'
import { splitStatements } from '../../src/database/split-statements.ts'
import { silentLog } from '../../src/logging/log.ts'
import { closeForCopies, dropOnEveryNode, maintain, withClient } from './nodes.ts'

export interface TestDatabase extends Database {
  connection: ClientConfig
  /** Runs any SQL, to check rows or to create states that no API can create. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

/**
 * Creates an empty, migrated database, or a copy of another; call drop() in afterAll. On a cluster, its tables are
 * distributed.
 */
export async function createTestDatabase(template = inject('template')): Promise<TestDatabase> {
  const nodes = inject('nodes')
  // The end of the run drops what begins with the name of its template.
  const name = `${inject('template')}_${randomBytes(8).toString('hex')}`
  // Copied as files, because a copy through the log takes twice the time to make and to drop.
  await maintain(nodes, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  const connection = { ...nodes[0], database: name }
  // A copy has no settings of its template.
  if (isCluster()) await withClient(connection, configureDatabase)
  const database = openDatabase({ connection, readConnections: 2, log: silentLog })
  return {
    ...database,
    connection,
    async query<Row extends QueryResultRow>(text: string, values?: unknown[]) {
      // Citus creates functions and triggers on other nodes from the text of a single statement.
      const [last = '', ...before] = isCluster() && !values ? splitStatements(text).reverse() : [text]
      for (const statement of before.reverse()) await database.pool.query(statement)
      return (await database.pool.query<Row>(last, values)).rows
    },
    async drop() {
      await database.close()
      await dropOnEveryNode(nodes, name)
    },
  }
}

/** Closes a database for all connections, so that others can be copies of it. @returns its name */
export async function asTemplate(database: TestDatabase): Promise<string> {
  const name = String(database.connection.database)
  await database.close()
  await closeForCopies(inject('nodes'), name)
  return name
}

/** Whether the tables of test databases are distributed. */
export const isCluster = () => inject('nodes').length > 1

/** The number of sessions that wait for a lock on any node, with statements that contain a text. */
export async function waitingSessions({ connection }: Pick<TestDatabase, 'connection'>, text = ''): Promise<number> {
  const counts = await Promise.all(
    inject('nodes').map((node) =>
      withClient({ ...node, database: connection.database }, async (client) => {
        const { rows } = await client.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`,
          [text],
        )
        return rows[0]?.count ?? 0
      }),
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
