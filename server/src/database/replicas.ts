import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig, QueryResultRow } from 'pg'
import type { MonotonicClock } from '../clock.ts'
import type { Logger } from '../logging/log.ts'
import { openDatabase } from './connection.ts'
import type { Reader, Statement, Value } from '@questboard/pg-read-pipeline'

/**
 * The reads of one request. Each sees everything that was committed before the first read, and everything that an
 * earlier read saw, whether a replica or the primary executes it.
 */
export interface RequestReader extends Reader {
  /** Call it after the request has written. Its next reads then use the primary. */
  wrote(): void
}

export interface Replicas {
  forRequest(): RequestReader
  /** The state of each replica, for metrics. */
  states(): ReplicaState[]
  close(): Promise<void>
}

export interface ReplicaState {
  /** host:port */
  name: string
  /** Whether requests use it. */
  inUse: boolean
  /** The number of reads that the replica executed. */
  answered: number
  /** The number of requests and reads that used the primary, because the replica lagged or failed. */
  turnedAway: number
  /** Bytes of the primary's log that the replica had not applied at the last check. */
  behind: number
}

export interface ReplicaOptions {
  connections: readonly ClientConfig[]
  primary: Reader
  /** Connections per replica. */
  readConnections: number
  /**
   * Milliseconds that a request waits for a replica to apply the commits of the primary. After it, the request uses the
   * primary. Default: MAX_WAIT.
   */
  maxWait?: number | undefined
  clock: MonotonicClock
  log: Logger
}

const MAX_WAIT = 25
/** Timeout of a statement on a replica; after it, the primary executes the statement. */
const READ_TIMEOUT = 2_000
/** Interval of checks of a replica that is not in use. */
const RECHECK_INTERVAL = 250
/** Interval of checks of a replica that requests wait for. */
const POSITION_INTERVAL = 1

// A position is a number of bytes in the primary's log. It stays below 2^53 for nine petabytes.
const committed: Statement<{ position: number }> = {
  name: 'replicas.committed',
  text: `SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint AS position`,
}
const applied: Statement<{ position: number | null }> = {
  name: 'replicas.applied',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint END AS position`,
}
const installation: Statement<{ mark: string }> = {
  name: 'replicas.installation',
  text: `SELECT md5(string_agg(value, '' ORDER BY name)) AS mark FROM installation`,
}

/** Opens the replicas of the primary. Without replicas, all reads use the primary, without overhead. */
export function openReplicas(options: ReplicaOptions): Replicas {
  const { primary, connections, log } = options
  if (connections.length === 0) {
    const reader: RequestReader = {
      read: (prepared, values) => primary.read(prepared, values),
      readShared: (prepared, values) => primary.readShared(prepared, values),
      wrote() {},
    }
    return { forRequest: () => reader, states: () => [], close: async () => {} }
  }
  const stopping = new AbortController()
  const position = sharedPosition(primary)
  const replicas = connections.map((connection) => createReplica(connection, options))
  const monitors = replicas.map((replica) => monitor(replica, { primary, position, log, signal: stopping.signal }))
  let turn = 0

  /**
   * Returns the replica for a request when it has applied everything that was committed before the first read. Returns
   * undefined if the request must use the primary.
   */
  const choose = async (): Promise<CaughtUpReplica | undefined> => {
    for (let attempt = 0; attempt < replicas.length; attempt++) {
      const replica = replicas[(turn = (turn + 1) % replicas.length)] as Replica
      if (!replica.inUse) continue
      const wanted = await position().catch(() => undefined) // the read reports the error of the primary
      if (wanted === undefined) return undefined
      try {
        const ready = await replica.catchUp(wanted)
        if (!ready) replica.disable('it lags too far behind')
        return ready
      } catch (error) {
        replica.disable('it failed', error)
        return undefined
      }
    }
    return undefined
  }

  return {
    forRequest: () => readingFrom(choose, primary),
    states: () => replicas.map((replica) => replica.state()),
    async close() {
      stopping.abort()
      await Promise.all(monitors)
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}

/** Uses one replica for the whole request, so that a later read never sees less than an earlier one. */
function readingFrom(choose: () => Promise<CaughtUpReplica | undefined>, primary: Reader): RequestReader {
  let choice: Promise<CaughtUpReplica | undefined> | undefined
  const read: Reader['read'] = async (prepared, values) => {
    const replica = await (choice ??= choose())
    // If the replica is unreachable, restarted or in conflict with its replication, the primary executes the statement.
    const rows = await replica?.read(prepared, values)
    if (rows) return rows
    choice = Promise.resolve(undefined)
    return primary.read(prepared, values)
  }
  return {
    read,
    // Requests need different positions of the log, so a request does not share its reads with others.
    readShared: read,
    wrote() {
      choice = Promise.resolve(undefined)
    },
  }
}

/** Reads the position of the primary's log. Callers in the same turn of the event loop share a query. */
function sharedPosition(primary: Reader): () => Promise<number> {
  let asked: Promise<number> | undefined
  return () =>
    (asked ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        asked = undefined
        primary.read(committed, []).then(([row]) => resolve(row?.position ?? 0), reject)
      })
    }))
}

/** A replica that has applied everything that a request must see. This is valid while its connections stay open. */
interface CaughtUpReplica {
  /** Returns undefined if the replica does not respond or may have restarted with less data. */
  read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<Row[] | undefined>
}

interface Replica {
  readonly name: string
  readonly inUse: boolean
  /**
   * Waits until the replica has applied the log up to this position. Returns undefined if this takes longer than `maxWait`.
   * @throws if the server does not respond, or is not a replica
   */
  catchUp(position: number): Promise<CaughtUpReplica | undefined>
  /** Identifies the installation of its data. @throws if the replica does not respond */
  mark(): Promise<string | undefined>
  enable(): void
  disable(reason: string, error?: unknown): void
  state(): ReplicaState
  close(): Promise<void>
}

function createReplica(connection: ClientConfig, options: ReplicaOptions): Replica {
  const { readConnections, maxWait = MAX_WAIT, clock, log } = options
  const name = nameOf(connection)
  let inUse = false
  let reached = 0
  let behind = 0
  let answered = 0
  let turnedAway = 0
  let furthest = 0
  let pollUntil = 0
  let polling: Promise<void> | undefined
  // A restarted server may have less data than before, so a new connection resets the known position.
  let connections = 0
  const database = openDatabase({
    connection,
    connecting: () => {
      connections++
      reached = 0
    },
    readConnections,
    readTimeout: READ_TIMEOUT,
    log,
  })

  /** Polls the position for all waiting requests, until all of them can continue or have timed out. */
  const pollPosition = async (): Promise<void> => {
    do {
      const before = connections
      const [row] = await database.read(applied, [])
      const position = row?.position ?? undefined
      if (position === undefined) throw new Error('the server is not a replica')
      if (before === connections) reached = position
      behind = Math.max(0, furthest - position)
      if (reached >= furthest) return
      await sleep(POSITION_INTERVAL)
    } while (clock.monotonic() < pollUntil)
  }

  const applies = async (position: number): Promise<boolean> => {
    const until = clock.monotonic() + maxWait
    while (reached < position) {
      const left = until - clock.monotonic()
      if (left <= 0) return false
      furthest = Math.max(furthest, position)
      pollUntil = until
      polling ??= pollPosition().finally(() => (polling = undefined))
      await Promise.race([polling, sleep(left)])
    }
    return true
  }

  const disable = (reason: string, error?: unknown): void => {
    reached = 0
    furthest = 0
    if (!inUse) return
    inUse = false
    log.warn({ replica: name, behind, err: error }, `a replica is not used: ${reason}`)
  }

  return {
    name,
    get inUse() {
      return inUse
    },
    async catchUp(position) {
      if (!(await applies(position))) {
        turnedAway++
        return undefined
      }
      const same = connections
      return {
        async read(prepared, values) {
          if (same === connections) {
            try {
              const rows = await database.read(prepared, values)
              if (same === connections) {
                answered++
                return rows
              }
            } catch (error) {
              disable('it failed', error)
            }
          }
          turnedAway++
          return undefined
        },
      }
    },
    mark: async () => (await database.read(installation, []))[0]?.mark,
    enable() {
      inUse = true
      log.info({ replica: name }, 'a replica is used')
    },
    disable,
    state: () => ({ name, inUse, answered, turnedAway, behind }),
    close: () => database.close(),
  }
}

interface Monitoring {
  primary: Reader
  position: () => Promise<number>
  log: Logger
  signal: AbortSignal
}

/**
 * Enables a replica if it belongs to this installation and does not lag, at the start and each time that it was
 * disabled.
 */
async function monitor(replica: Replica, { primary, position, log, signal }: Monitoring): Promise<void> {
  let lastReason: string | undefined
  const tryToEnable = async (): Promise<void> => {
    const [[ours], its] = await Promise.all([primary.read(installation, []), replica.mark()])
    if (ours?.mark !== its) throw new Error('the server belongs to another installation')
    if (!(await replica.catchUp(await position()))) throw new Error('it lags too far behind')
    replica.enable()
    lastReason = undefined
  }
  while (!signal.aborted) {
    if (!replica.inUse)
      await tryToEnable().catch((error: unknown) => {
        const reason = String(error)
        if (reason !== lastReason) log.warn({ replica: replica.name, err: error }, 'a replica cannot be used yet')
        lastReason = reason
      })
    await sleep(RECHECK_INTERVAL, undefined, { signal }).catch(() => {}) // only an abort ends it early
  }
}

/** The host and the port of a server, without user and password. */
export function nameOf({ connectionString = '', host, port }: ClientConfig): string {
  if (host !== undefined) return `${host}:${port ?? 5432}`
  const url = new URL(connectionString)
  return `${url.searchParams.get('host') ?? url.hostname}:${url.port || 5432}`
}
