import type { Client, ClientConfig, QueryResultRow } from 'pg'
import { unavailable } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Decoders, PreparedRead } from './prepared-read.ts'
import { readRowsInPlace } from './rows-in-place.ts'
import type { Reader, Statement, Value } from './statement.ts'

const SILENCE_MS = 1_000

/** One long-lived connection on which statements follow each other without waiting; connects again after a loss. */
export class PipelinedReader implements Pick<Reader, 'read'> {
  readonly #client: () => Client
  readonly #log: Logger
  readonly #patience: number
  #unanswered = 0
  /** When the server last had nothing to answer, or answered. */
  #heardAt = 0
  #connection: { client: Client; decoders: Decoders } | undefined
  #connecting: Promise<void> | undefined
  #watch: NodeJS.Timeout | undefined
  #closed = false

  /** `timeout` in milliseconds: the server ends a statement that takes longer. */
  constructor(client: (settings: ClientConfig) => Client, timeout: number, log: Logger) {
    this.#client = () => client({ pipeline: true, options: `-c statement_timeout=${timeout}` })
    // A server that says nothing at all is given up a little later.
    this.#patience = timeout + SILENCE_MS
    this.#log = log
  }

  read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    // Sent in this turn of the event loop when the connection is there.
    if (this.#connection) return this.#send(prepared, values)
    return this.#connected().then(() => this.#send(prepared, values))
  }

  #send<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
    if (!this.#connection) return Promise.reject(unavailable(new Error('the database connection was lost')))
    const { client, decoders } = this.#connection
    if (this.#unanswered === 0) this.#heardAt = performance.now()
    this.#unanswered++
    client.query(
      new PreparedRead(prepared, values, decoders, (error, rows) => {
        this.#unanswered--
        this.#heardAt = performance.now()
        if (error) reject(error)
        else resolve(rows as Row[])
      }),
    )
    return promise
  }

  #connected(): Promise<void> {
    if (this.#closed) return Promise.reject(unavailable(new Error('the database is closed')))
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<void> {
    const client = this.#client()
    readRowsInPlace(client.connection)
    // A connection that is gone is forgotten once, not again when a new one has taken its place.
    const forget = () => {
      if (this.#connection?.client === client) this.#connection = undefined
    }
    client.on('error', (error) => {
      forget()
      this.#log.warn({ err: error }, 'a database connection was lost')
    })
    client.on('end', forget)
    try {
      await client.connect()
    } catch (error) {
      throw unavailable(error)
    }
    if (this.#closed) return client.end()
    this.#connection = { client, decoders: new Map() }
    this.#watch ??= setInterval(() => this.#giveUpSilence(), SILENCE_MS).unref()
  }

  /** Statements are answered in their order, so a server that speaks has answered one of them by then. */
  #giveUpSilence(): void {
    if (this.#unanswered > 0 && performance.now() - this.#heardAt > this.#patience)
      this.#connection?.client.connection.stream.destroy(new Error('Query read timeout'))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    await this.#connecting?.catch(() => {})
    await this.#connection?.client.end()
  }
}
