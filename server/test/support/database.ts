import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig, type QueryResultRow } from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/database/connection.ts'
import { silentLog } from '../../src/logging/log.ts'
import { TEMPLATE } from './global-setup.ts'

export interface TestDatabase extends Database {
  connection: ClientConfig
  /** Runs any SQL, for looking at rows and for arranging what no door of the product arranges. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

/** Creates an empty, migrated database; call drop() in afterAll. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await maintain(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
  const connection = { ...server, database: name }
  const database = openDatabase({ connection, readConnections: 2, log: silentLog })
  return {
    ...database,
    connection,
    query: async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
      (await database.pool.query<Row>(text, values)).rows,
    async drop() {
      await database.close()
      await maintain(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

async function maintain(server: ClientConfig, sql: string): Promise<void> {
  const client = new Client({ ...server, database: 'postgres' })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
