import { createReadPipeline, type Reader, type Statement, type Value } from '@questboard/pg-read-pipeline'
import { Kysely, PostgresDialect } from 'kysely'
import { Client, type ClientConfig, Pool, type QueryResultRow } from 'pg'
import { ServiceError, unavailable } from '../errors.ts'
import type { Logger } from '../logging/log.ts'
import { createLifeline, type Lifeline, type LifelineOptions } from './lifeline.ts'
import { preparing } from './prepared-write.ts'
import { endAfterRefusedWrite } from './refused-writes.ts'
import { DEADLOCK_DETECTED, isLostNode, LOCK_NOT_AVAILABLE } from './sql-states.ts'
import type { DB } from './tables.ts'
import { typeParsers } from './type-parsers.ts'

export interface Database extends Reader {
  /** Ordinary statements and transactions. */
  readonly kysely: Kysely<DB>
  /** For work that needs a dedicated connection: COPY, long transactions. */
  readonly pool: Pool
  /** The connection settings, for connections to other servers with the same user. */
  readonly connection: ClientConfig
  /**
   * Called before a transaction: resolves if the nodes of a cluster with the rows of a statement respond. If a node hangs,
   * the transaction would keep its connection and its locks until the node responds. Without a cluster, it does nothing.
   * @returns the rows, if one node of a cluster has them; otherwise none
   * @throws UNAVAILABLE if a node does not respond
   */
  reach<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<readonly Row[]>
  /** @throws UNAVAILABLE if a node of a cluster does not respond, as far as this process knows */
  reachAll(): void
  /**
   * The node of a cluster that owns the rows of a statement, for a transaction that writes only there. Undefined without a
   * cluster, and while this node cannot execute transactions.
   */
  owner(prepared: Statement<QueryResultRow>, values: readonly Value[]): WritingNode | undefined
  /** See Lifeline. */
  endWaiting: Lifeline['endWaiting']
  close(): Promise<void>
}

/** A node of a cluster that coordinates transactions about its rows. */
export interface WritingNode {
  readonly kysely: Kysely<DB>
  /** Counts a transaction that the node has committed. */
  committed(): void
  /**
   * Called after a transaction that failed here for a reason that is not temporary, and that the coordinator could execute: for a
   * minute, the coordinator executes the transactions.
   */
  exclude(error: unknown): void
}

const CONNECT_TIMEOUT_MS = 3_000
const READ_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000

/**
 * Statements of the request path have one good plan each, which uses indexes. PostgreSQL would plan some of them again at
 * each execution, which takes longer than the execution. A plan is kept while its tables grow, so it must not scan them,
 * even if they are small now. The databases of a cluster set questboard.plan_cache_mode.
 */
const READ_SETTINGS = `SET enable_seqscan = off; SET jit = off;
  SELECT set_config('plan_cache_mode', coalesce(current_setting('questboard.plan_cache_mode', true), 'force_generic_plan'), false)`

export interface DatabaseOptions {
  connection: ClientConfig
  /** Connections for the request path. */
  readConnections: number
  /** The maximum number of connections for everything else; default: 10. */
  poolSize?: number
  /** Timeout for a statement of the request path in milliseconds; default: 10,000. */
  readTimeout?: number
  /** SQL that each connection of the request path runs last after it connects. */
  readSettings?: string
  log: Logger
  /** Called before each new connection. */
  connecting?: () => void
  /** A lost database is detected within this time. */
  lifeline?: Pick<LifelineOptions, 'suspicion' | 'probe'>
}

export function openDatabase(options: DatabaseOptions): Database {
  const { connection, readConnections, readTimeout = READ_TIMEOUT_MS, readSettings = '', poolSize = 10, log } = options
  const lifeline = createLifeline({ connection, log, ...options.lifeline })
  const settings: ClientConfig = {
    ...connection,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: typeParsers,
  }
  const together = (options = '') => [connection.options ?? '', options].join(' ').trim()
  class WatchedClient extends Client {
    constructor(own: ClientConfig = {}) {
      options.connecting?.()
      // Copied options of the pool have no password, so the settings come first.
      super(lifeline.watched({ ...settings, ...own }))
    }
  }
  // Those of the request path are read-only themselves.
  class WritingClient extends WatchedClient {
    constructor(own?: ClientConfig) {
      super(own)
      endAfterRefusedWrite(this)
    }
  }
  const pool = new Pool({ ...settings, max: poolSize, Client: WritingClient })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  // If a connection is lost between two statements of a transaction, the next statement fails.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a database connection ended')),
  )
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
  const pipeline = createReadPipeline({
    createClient: (own) => new WatchedClient({ ...own, options: together(own.options) }),
    connections: readConnections,
    settings: `${READ_SETTINGS}; ${readSettings}`,
    statementTimeout: readTimeout,
    types: typeParsers,
    unavailable,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  return {
    ...pipeline,
    kysely,
    pool,
    connection,
    reach: async () => [],
    reachAll: () => {},
    owner: () => undefined,
    endWaiting: (milliseconds, most, reason) => lifeline.endWaiting(milliseconds, most, reason),
    async close() {
      await Promise.all([kysely.destroy(), pipeline.close()])
      await lifeline.close()
      // Kysely does not end the pool if it has executed no statement.
      if (!pool.ending) await pool.end()
    },
  }
}

// PostgreSQL appendix A: connection exceptions; resource limits; statement timeouts; a server that is starting or
// stopping; a server that rejects writes (a failover, a full disk of a managed server); a disk failure; a login or
// database that is temporarily missing (a password change, a restore).
const unreachableSqlStates = /^(08...|53...|57014|57P0[12345]|25006|58030|28000|28P01|3D000)$/
const unreachableErrnos = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // This machine has no port, file descriptor or memory left for a connection.
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
])

/** Whether an error means that the database cannot be reached, not that it refused a statement. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string')
    return unreachableErrnos.has(code) || unreachableSqlStates.test(code) || isLostNode(error)
  return /Connection terminated|timeout expired|timeout exceeded|Client (has encountered a connection error|was closed)|Query read timeout/.test(
    error.message,
  )
}

/** Whether a failure is temporary: the database cannot be reached, or a lock or a response took too long. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'UNAVAILABLE'
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  // The framework marks the error of a client that disconnected in the middle of its body with 400.
  if (code === 'ECONNRESET' && statusCode === 400) return false
  const lostRace = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
  return isUnreachable(error) || lostRace || code === 'FST_ERR_HANDLER_TIMEOUT'
}
