import type { Client, ClientConfig, CustomTypesConfig } from 'pg'
import { ReadConnection } from './read-connection.ts'
import { ReadQueue } from './read-queue.ts'
import { shareReads } from './shared-reads.ts'
import type { Reader } from './statement.ts'

export interface ReadPipelineOptions {
  /** Makes a client that is not connected yet. `settings` are to be added to those of the application. */
  createClient: (settings: ClientConfig) => Client
  /** Connections, opened when they are needed; with two or more, one is reserved for priority statements. */
  connections: number
  /** Milliseconds after which PostgreSQL cancels a statement; 10,000 by default. */
  statementTimeout?: number
  /** Parsers for the columns of statements without `decode`; those of `pg` by default. */
  types?: CustomTypesConfig
  /** Makes the error of a read that finds no connection or a closed pipeline; by default the cause itself. */
  unavailable?: (cause: unknown) => Error
  onConnectionLost?: (error: Error) => void
}

export interface ReadPipeline extends Reader {
  /** Rejects waiting reads, waits for running ones, and closes the connections. */
  close(): Promise<void>
}

const STATEMENT_TIMEOUT_MS = 10_000

/** Opens no connection before the first read. */
export function createReadPipeline(options: ReadPipelineOptions): ReadPipeline {
  const { statementTimeout = STATEMENT_TIMEOUT_MS, unavailable = (cause) => cause as Error } = options
  const connections = Array.from(
    { length: options.connections },
    () => new ReadConnection({ ...options, statementTimeout, unavailable }),
  )
  const queue = new ReadQueue(connections, unavailable)
  const read: Reader['read'] = (prepared, values) => queue.read(prepared, values)
  return { read, readShared: shareReads(read), close: () => queue.close() }
}
