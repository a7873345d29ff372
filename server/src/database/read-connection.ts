import type { Client, ClientConfig } from 'pg'
import { unavailable } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Known, PreparedReads, type Read } from './prepared-reads.ts'
import { readRowsInPlace } from './rows-in-place.ts'

const SILENCE_MS = 1_000

interface Connection {
  client: Client
  known: Known
}

/** One long-lived connection that works on one group of reads at a time; connects when it is needed, and after a loss. */
export class ReadConnection {
  readonly #client: () => Client
  readonly #log: Logger
  readonly #patience: number
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #working = false
  /** When the server was last given something, or answered. */
  #heardAt = 0
  #watch: NodeJS.Timeout | undefined
  #closed = false

  /** `timeout` in milliseconds: the server ends a statement that takes longer. */
  constructor(client: (settings: ClientConfig) => Client, timeout: number, log: Logger) {
    this.#client = () => client({ options: `-c statement_timeout=${timeout} -c default_transaction_read_only=on` })
    // A server that says nothing at all is given up a little later.
    this.#patience = timeout + SILENCE_MS
    this.#log = log
  }

  get isFree(): boolean {
    return !this.#working
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /**
   * Sends reads, in this turn of the event loop when the connection is there. Only when it is free.
   * @param done with those to be sent again, because one before them failed
   */
  send(reads: readonly Read[], done: (again: readonly Read[]) => void): void {
    this.#working = true
    const ended = (again: readonly Read[]): void => {
      this.#working = false
      done(again)
    }
    const failed = (error: Error): void => {
      for (const read of reads) read.reject(error)
      ended([])
    }
    const sendNow = (): void => {
      if (!this.#connection) return failed(unavailable(new Error('the database connection was lost')))
      const { client, known } = this.#connection
      this.#heardAt = performance.now()
      client.query(new PreparedReads(reads, known, { heard: () => (this.#heardAt = performance.now()), ended }))
    }
    if (this.#connection) sendNow()
    else this.#connected().then(sendNow, failed)
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
    this.#connection = { client, known: { prepared: new Set(), decoders: new Map() } }
    this.#watch ??= setInterval(() => this.#giveUpSilence(), SILENCE_MS).unref()
  }

  /** Statements are answered in their order, so a server that speaks has answered one of them by then. */
  #giveUpSilence(): void {
    if (this.#working && performance.now() - this.#heardAt > this.#patience)
      this.#connection?.client.connection.stream.destroy(new Error('Query read timeout'))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    await this.#connecting?.catch(() => {})
    await this.#connection?.client.end()
  }
}
