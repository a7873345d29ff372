import type { Client, ClientConfig, QueryConfig } from 'pg'
import { unavailable } from '../errors.ts'
import type { Logger } from '../logging/log.ts'
import { type Known, PreparedReads, type Read } from './prepared-reads.ts'

const SILENCE_MS = 1_000
/** The driver's own limit ends when the server has let one in. */
const SETTINGS_TIMEOUT_MS = 3_000

/** A pooler in between may know no options at the start, so these are set when the connection is there. */
const SETTINGS = `SET default_transaction_read_only = on; SET default_transaction_isolation = 'read committed'`

interface Connection {
  client: Client
  known: Known
}

interface Work {
  client: Client
  group: PreparedReads
  done: (again: readonly Read[]) => void
  /** When the server has had all the time that it may take. */
  until: number
}

/** One long-lived connection that works on one group of reads at a time. */
export class ReadConnection {
  readonly #client: () => Client
  readonly #log: Logger
  readonly #timeout: number
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #work: Work | undefined
  #idle: PromiseWithResolvers<void> | undefined
  readonly #watch: NodeJS.Timeout
  #closed = false

  /** `timeout` in milliseconds: the server ends a statement that takes longer. */
  constructor(client: (settings: ClientConfig) => Client, timeout: number, log: Logger) {
    this.#client = () => client({ options: `-c statement_timeout=${timeout}` })
    this.#timeout = timeout
    this.#log = log
    this.#watch = setInterval(() => this.#giveUpSilence(), SILENCE_MS).unref()
  }

  /** Whether reads can be sent now. */
  get isFree(): boolean {
    return this.#connection !== undefined && this.#work === undefined
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /** Connects, unless that is under way. @throws UNAVAILABLE */
  open(): Promise<void> {
    if (this.#closed) return Promise.reject(unavailable(new Error('the database is closed')))
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /**
   * Sends reads, in this turn of the event loop. Only when it is free.
   * @param done when it is free again or lost, with those to be sent once more
   */
  send(reads: readonly Read[], done: (again: readonly Read[]) => void): void {
    const { client, known } = this.#connection as Connection
    const group = new PreparedReads(reads, known)
    // What is answered first may stand in the server's buffer until all of them are.
    const until = performance.now() + reads.length * this.#timeout + SILENCE_MS
    this.#work = { client, group, done, until }
    client.query(group)
  }

  /** The client is ready or gone; it may be an earlier one, which has no say in what another works on. */
  #settle(client: Client): void {
    const work = this.#work
    if (work?.client !== client) return
    this.#work = undefined
    this.#idle?.resolve()
    work.done(work.group.leftover())
  }

  async #connect(): Promise<void> {
    const client = this.#client()
    // A connection that is gone is forgotten once, not again when a new one has taken its place.
    const forget = () => {
      if (this.#connection?.client === client) this.#connection = undefined
    }
    client.on('error', (error) => {
      forget()
      // The driver gives up a client with its first error; the other side may hold on to the connection.
      client.connection.stream.destroy()
      this.#log.warn({ err: error }, 'a database connection was lost')
    })
    try {
      await client.connect()
      await client.query({ text: SETTINGS, query_timeout: SETTINGS_TIMEOUT_MS } as QueryConfig)
    } catch (error) {
      client.connection.stream.destroy()
      throw unavailable(error)
    }
    if (this.#closed) return client.end()
    this.#connection = { client, known: { prepared: new Set(), decoders: new Map() } }
    // The server is ready for the next ones, also behind a mistake; or there is no server any more.
    client.on('drain', () => this.#settle(client))
    client.on('end', () => {
      forget()
      this.#settle(client)
    })
  }

  /** A server that says nothing at all is given up a little later than it would have ended the statements. */
  #giveUpSilence(): void {
    if (this.#work && performance.now() > this.#work.until)
      this.#work.client.connection.stream.destroy(new Error('Query read timeout'))
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#connecting?.catch(() => {})
    if (this.#work) await (this.#idle = Promise.withResolvers<void>()).promise
    clearInterval(this.#watch)
    await this.#connection?.client.end()
  }
}
