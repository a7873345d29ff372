import { ReadConnection, type ReadPipelineOptions } from './read-connection.ts'
import { ReadQueue } from './read-queue.ts'
import { shareReads } from './shared-reads.ts'
import type { Reader } from './statement.ts'

export interface ReadPipeline extends Reader {
  /** Rejects waiting reads, waits for running ones, and closes the connections. */
  close(): Promise<void>
}

const STATEMENT_TIMEOUT_MS = 10_000
/** A group must not replace a statement that it uses. */
const [MAX_PREPARED, LEAST_MAX_PREPARED] = [256, 16]

/** Opens no connection before the first read. */
export function createReadPipeline(options: ReadPipelineOptions): ReadPipeline {
  const { statementTimeout = STATEMENT_TIMEOUT_MS, unavailable = (cause) => cause as Error } = options
  const maxPrepared = Math.max(LEAST_MAX_PREPARED, options.maxPrepared ?? MAX_PREPARED)
  const connections = Array.from(
    { length: options.connections },
    () => new ReadConnection({ ...options, statementTimeout, maxPrepared, unavailable }),
  )
  const queue = new ReadQueue(connections, unavailable)
  const read: Reader['read'] = (prepared, values) => queue.read(prepared, values)
  return { read, readShared: shareReads(read), close: () => queue.close() }
}
