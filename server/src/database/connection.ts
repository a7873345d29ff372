import { Kysely, PostgresDialect } from 'kysely'
import { Client, type ClientConfig, type CustomTypesConfig, Pool, type QueryResultRow, types } from 'pg'
import { ServiceError, unavailable } from '../errors.ts'
import type { Logger } from '../log.ts'
import { createLifeline, type LifelineOptions } from './lifeline.ts'
import type { DB } from './tables.ts'

/** A statement of the request path: written once, prepared once a connection, known to the database by its name. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  /** Only for the type checker: the shape of a row. */
  readonly row?: Row
}

const declared = new Map<string, Statement<QueryResultRow>>()

/** Declares a statement of the request path. @throws when another one has its name: a connection would mix them up */
export function statement<Row extends QueryResultRow>(name: string, text: string): Statement<Row> {
  if (declared.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, text }
  declared.set(name, made)
  return made
}

/** Every statement of the request path that the loaded modules declare. */
export function declaredStatements(): readonly Statement<QueryResultRow>[] {
  return [...declared.values()]
}

/** Runs statements of the request path. */
export interface Reader {
  read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]>
}

export interface Database extends Reader {
  /** Ordinary statements and transactions. */
  readonly kysely: Kysely<DB>
  /** For what needs a connection of its own: COPY, long transactions. */
  readonly pool: Pool
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 3_000
const READ_TIMEOUT_MS = 10_000
const SILENCE_MS = 1_000
const KEEP_ALIVE_MS = 10_000
const WRITE_POOL_SIZE = 10
const INT8 = 20 // PostgreSQL's type id of bigint

/** PostgreSQL's bigint as a number: every bigint that is not an id stays below 2^53; ids are selected as text. */
function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number; select it as text`)
  return value
}

const typeParsers: CustomTypesConfig = {
  getTypeParser(oid, format): (text: string) => unknown {
    return Number(oid) === INT8 ? parseBigint : (types.getTypeParser(oid, format) as (text: string) => unknown)
  },
}

export interface DatabaseOptions {
  connection: ClientConfig
  /** Pipelined connections for the request path. */
  readConnections: number
  /** A statement of the request path that takes longer has failed; milliseconds, 10,000 when left out. */
  readTimeout?: number
  log: Logger
  /** How soon a database that has gone is noticed. */
  lifeline?: Pick<LifelineOptions, 'suspicion' | 'probe'>
}

export function openDatabase(options: DatabaseOptions): Database {
  const { connection, readConnections, readTimeout = READ_TIMEOUT_MS, log } = options
  const lifeline = createLifeline({ connection, log, ...options.lifeline })
  const settings: ClientConfig = {
    ...connection,
    ...lifeline.settings,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: typeParsers,
  }
  const pool = new Pool({ ...settings, max: WRITE_POOL_SIZE })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  // One that is lost between two statements of a transaction: the next statement tells it.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a database connection ended')),
  )
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const readers = Array.from({ length: readConnections }, () => new PipelinedReader(settings, readTimeout, log))
  let next = 0
  return {
    kysely,
    pool,
    read: (prepared, values) => {
      next = (next + 1) % readers.length
      return (readers[next] as PipelinedReader).read(prepared, values)
    },
    async close() {
      await Promise.all([kysely.destroy(), ...readers.map((reader) => reader.close()), lifeline.close()])
      // Kysely leaves the pool alone when no statement went through Kysely.
      if (!pool.ending) await pool.end()
    },
  }
}

/** One long-lived connection on which statements follow each other without waiting; connects again after a loss. */
class PipelinedReader implements Reader {
  readonly #settings: ClientConfig
  readonly #log: Logger
  #client: Promise<Client> | undefined
  #closed = false

  constructor(settings: ClientConfig, timeout: number, log: Logger) {
    this.#settings = {
      ...settings,
      pipeline: true,
      options: `-c statement_timeout=${timeout}`,
      // The server ends what takes too long; a server that says nothing at all is given up a little later.
      query_timeout: timeout + SILENCE_MS,
    }
    this.#log = log
  }

  async read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const client = await this.#connected()
    const result = await client.query<Row>({ name: prepared.name, text: prepared.text, values: values as unknown[] })
    return result.rows
  }

  #connected(): Promise<Client> {
    if (this.#closed) return Promise.reject(unavailable(new Error('the database is closed')))
    if (this.#client) return this.#client
    // A connection that is gone is forgotten once, not again when a new one has taken its place.
    const fresh = this.#connect(() => {
      if (this.#client === fresh) this.#client = undefined
    })
    this.#client = fresh
    return fresh
  }

  async #connect(forget: () => void): Promise<Client> {
    const client = new Client(this.#settings)
    client.on('error', (error) => {
      forget()
      this.#log.warn({ err: error }, 'a database connection was lost')
    })
    client.on('end', forget)
    try {
      await client.connect()
      return client
    } catch (error) {
      forget()
      throw unavailable(error)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }
}

// Connection exceptions, resource limits, statements cancelled for taking too long, and a server that is starting or
// stopping (PostgreSQL appendix A).
const unreachableSqlStates = /^(08...|53...|57014|57P0[123])$/
const unreachableErrnos = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Whether an error says that the database cannot be reached, as opposed to a statement that it refused. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return unreachableErrnos.has(code) || unreachableSqlStates.test(code)
  return /Connection terminated|timeout expired|timeout exceeded|Client (has encountered a connection error|was closed)|Query read timeout/.test(
    error.message,
  )
}

/** Whether a failure passes by itself: the database cannot be reached, or an answer was not there in time. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'UNAVAILABLE'
  return isUnreachable(error) || (error as { code?: unknown }).code === 'FST_ERR_HANDLER_TIMEOUT'
}
