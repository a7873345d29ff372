import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Database } from './connection.ts'
import type { DB } from './tables.ts'

/** A transaction that supports COPY, unlike those of Kysely. */
export interface CopyTransaction {
  readonly kysely: Transaction<DB>
  /** Streams rows in PostgreSQL's text format into `COPY table (columns) FROM STDIN`. Returns the number of rows. */
  readonly copy: (target: string, chunks: AsyncIterable<string>) => Promise<number>
  /** Sets the listener for notices of running statements. */
  readonly hear: (listener: (message: string | undefined) => void) => void
}

/**
 * Runs the work in a transaction on a dedicated connection; commits if it returns, and rolls back if it throws.
 * An abort cancels the statement that runs.
 */
export async function copyTransaction<T>(
  database: Database,
  work: (trx: CopyTransaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const client = await database.pool.connect()
  let broken: Error | undefined
  const lost = (error: Error) => {
    broken = error
  }
  client.on('error', lost)
  let listener: Parameters<CopyTransaction['hear']>[0] | undefined
  const heard = ({ message }: { message: string | undefined }) => listener?.(message)
  client.on('notice', heard)
  let cancelled: Promise<unknown> | undefined
  const cancel = () => {
    cancelled = database.pool.query('SELECT pg_cancel_backend($1::int)', [backendOf(client)]).catch(lost)
  }
  signal?.addEventListener('abort', cancel)
  try {
    await client.query('BEGIN')
    try {
      signal?.throwIfAborted()
      const result = await work({
        // Kysely does not see the BEGIN of its connection.
        kysely: kyselyOn(client) as Transaction<DB>,
        copy: (target, chunks) => copy(client, target, chunks),
        hear: (next) => void (listener = next),
      })
      signal?.throwIfAborted()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(lost)
      signal?.throwIfAborted()
      throw error
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    await cancelled // the cancellation must not reach the next user of the connection
    client.off('notice', heard)
    client.off('error', lost)
    client.release(broken)
  }
}

/** The server process behind a connection; pg knows it from the handshake and does not type it. */
function backendOf(client: PoolClient): number {
  return (client as unknown as { processID: number }).processID
}

/** Kysely on one connection of the caller, inside the caller's open transaction. */
function kyselyOn(client: PoolClient): Kysely<DB> {
  const borrowed = { query: client.query.bind(client), release: () => {} } as unknown as PoolClient
  const pool = { connect: async () => borrowed, end: async () => {} }
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as never }) })
}

async function copy(client: PoolClient, target: string, chunks: AsyncIterable<string>): Promise<number> {
  const stream = client.query(copyFrom(`COPY ${target} FROM STDIN`))
  await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 2 }), stream)
  return stream.rowCount
}

const special = /[\\\t\n\r]/
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** A text as one column of a row in COPY's text format. */
export function copyText(text: string): string {
  return special.test(text) ? text.replace(/[\\\t\n\r]/g, (char) => escapes[char] as string) : text
}

/** The inverse of copyText. */
export function textOfCopy(copied: string): string {
  const plain: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' }
  return copied.includes('\\') ? copied.replace(/\\(.)/g, (_, char: string) => plain[char] ?? char) : copied
}

/** NULL in COPY's text format. */
export const COPY_NULL = String.raw`\N`
