import { Kysely, PostgresDialect } from 'kysely'
import { Client, type ClientConfig, type Pool, type QueryResultRow } from 'pg'
import type { Database } from './connection.ts'
import type { Reader, Statement, Value } from '@questboard/pg-read-pipeline'
import type { DB } from './tables.ts'
import { typeParsers } from './type-parsers.ts'

const asSavepoint: Record<string, string> = {
  begin: 'SAVEPOINT work',
  commit: 'RELEASE SAVEPOINT work',
  rollback: 'ROLLBACK TO SAVEPOINT work',
}

/**
 * Runs work in one transaction and rolls it back. The work uses the functions of the service: their transactions become
 * savepoints. It must run one transaction at a time.
 * @param timeout limits each statement and each lock wait, in milliseconds
 */
export async function rolledBack(
  connection: ClientConfig,
  timeout: number,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const client = new Client({
    ...connection,
    types: typeParsers,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  })
  client.on('error', () => {}) // the running statement fails with it
  try {
    await client.connect()
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${timeout}; SET LOCAL statement_timeout = ${timeout}`)
    await work(databaseOn(client, connection))
  } finally {
    await client.query('ROLLBACK').catch(() => {}) // the end of the connection does the same
    await client.end().catch(() => {})
  }
}

function databaseOn(client: Client, options: ClientConfig): Database {
  const query = (text: unknown, values?: unknown[]) =>
    client.query((typeof text === 'string' ? (asSavepoint[text.toLowerCase()] ?? text) : text) as string, values)
  const borrowed = Object.assign(Object.create(client) as Client, { query, release: () => {} })
  const pool = { connect: async () => borrowed, query, end: async () => {}, Client, options } as unknown as Pool
  const read: Reader['read'] = async <Row extends QueryResultRow>(
    { text, decode }: Statement<Row>,
    values: readonly Value[],
  ) => {
    const bound = [...values]
    if (!decode) return (await client.query<Row>({ text, values: bound })).rows
    const types = { getTypeParser: () => (value: string) => value }
    return (await client.query<string[]>({ text, values: bound, rowMode: 'array', types })).rows.map(decode)
  }
  return {
    kysely: new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool }) }),
    pool,
    read,
    readShared: read,
    connection: options,
    reach: async () => [],
    reachAll: () => {},
    owner: () => undefined,
    endWaiting: () => 0,
    close: async () => {},
  }
}
