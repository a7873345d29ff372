import type { Client, ClientConfig, CustomTypesConfig, QueryConfig } from 'pg'
import { type PreparedStatements, type Read, StatementGroup } from './statement-group.ts'

export interface ReadPipelineOptions {
  /** Makes a client that is not connected yet. The application must merge `settings` into its own. */
  createClient: (settings: ClientConfig) => Client
  /** Connections, opened when they are needed; with two or more, one is reserved for priority statements. */
  connections: number
  /** SQL that each connection runs after it connects, such as `SET jit = off`. */
  settings?: string
  /** Milliseconds after which PostgreSQL cancels a statement; 10,000 by default. */
  statementTimeout?: number
  /** Statements that a connection keeps prepared; 256 by default, at least 16. Each has a plan in the memory of the server. */
  maxPrepared?: number
  /** Parsers for the columns of statements without `decode`; those of `pg` by default. */
  types?: CustomTypesConfig
  /** Creates the error of a read that fails because the server is unreachable or the pipeline is closed. Default: the cause. */
  unavailable?: (cause: unknown) => Error
  onConnectionLost?: (error: Error) => void
}

/** A connection is closed if it is still busy this long after all its statements should have timed out. */
const SILENCE_MS = 1_000
/** The connect timeout of `pg` does not cover this query. */
const SETTINGS_TIMEOUT_MS = 3_000

/** Set after connecting, because poolers may reject options at the start. */
const SETTINGS = `SET default_transaction_read_only = on; SET default_transaction_isolation = 'read committed'`

type Options = Pick<ReadPipelineOptions, 'createClient' | 'settings' | 'types' | 'onConnectionLost'> &
  Required<Pick<ReadPipelineOptions, 'statementTimeout' | 'maxPrepared' | 'unavailable'>>

interface Connection {
  client: Client
  prepared: PreparedStatements
}

interface Work {
  client: Client
  group: StatementGroup
  done: (retries: readonly Read[]) => void
  deadline: number
}

/** One long-lived connection that runs one group of reads at a time. */
export class ReadConnection {
  readonly #options: Options
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #work: Work | undefined
  #idle: PromiseWithResolvers<void> | undefined
  readonly #watch: NodeJS.Timeout
  #closed = false

  constructor(options: Options) {
    this.#options = options
    this.#watch = setInterval(() => this.#endSilentConnection(), SILENCE_MS).unref()
  }

  get isFree(): boolean {
    return this.#connection !== undefined && this.#work === undefined
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /** Connects. Concurrent calls share one attempt. */
  open(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#options.unavailable(new Error('the database is closed')))
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /**
   * Sends reads now. Call it only if the connection is free.
   * @param done is called when the connection is free again or lost, with the reads that have to be sent again
   */
  send(reads: readonly Read[], done: (retries: readonly Read[]) => void): void {
    const { client, prepared } = this.#connection as Connection
    const group = new StatementGroup(reads, prepared, this.#options)
    // The server may buffer the first results until the last statement ends.
    const deadline = performance.now() + reads.length * this.#options.statementTimeout + SILENCE_MS
    this.#work = { client, group, done, deadline }
    client.query(group)
  }

  /** Ends the work when the client is ready or closed. A replaced client must not end the work of its successor. */
  #settle(client: Client): void {
    const work = this.#work
    if (work?.client !== client) return
    this.#work = undefined
    this.#idle?.resolve()
    work.done(work.group.retries)
  }

  async #connect(): Promise<void> {
    const { createClient, settings = '', statementTimeout, unavailable, onConnectionLost } = this.#options
    const client = createClient({ options: `-c statement_timeout=${statementTimeout}` })
    const forget = () => {
      if (this.#connection?.client === client) this.#connection = undefined
    }
    client.on('error', (error) => {
      forget()
      // After its first error, `pg` does not use a client any more, but the server may keep the connection.
      client.connection.stream.destroy()
      onConnectionLost?.(error)
    })
    try {
      await client.connect()
      await client.query({ text: `${SETTINGS}; ${settings}`, query_timeout: SETTINGS_TIMEOUT_MS } as QueryConfig)
    } catch (error) {
      client.connection.stream.destroy()
      throw unavailable(error)
    }
    if (this.#closed) return client.end()
    this.#connection = { client, prepared: { names: new Set(), decoders: new Map() } }
    client.on('drain', () => this.#settle(client))
    client.on('end', () => {
      forget()
      this.#settle(client)
    })
  }

  #endSilentConnection(): void {
    if (this.#work && performance.now() > this.#work.deadline)
      this.#work.client.connection.stream.destroy(new Error('Query read timeout'))
  }

  /** Waits for running reads. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#connecting?.catch(() => {})
    if (this.#work) await (this.#idle = Promise.withResolvers<void>()).promise
    clearInterval(this.#watch)
    await this.#connection?.client.end()
  }
}
