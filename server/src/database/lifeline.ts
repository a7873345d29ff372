import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { SECOND, systemClock } from '../clock.ts'
import { DATABASE_PROBE, DATABASE_SILENCE_TIMEOUT } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { systemRandom } from '../random.ts'

/**
 * Detects an unreachable database, so that no request waits for it. If a connection waits too long for data or closes
 * before it is established, the lifeline queries the server on a separate connection. If the server sends no data on
 * any connection, the lifeline closes all connections. New connections then fail immediately until the server responds.
 * A server that is slow, is starting or rejects connections still responds, so its connections stay open.
 *
 * The server may also report that it is idle on a connection on which this process still waits for data. The network
 * has lost such a connection, so only this connection is closed.
 */
export interface Lifeline {
  /** Adds a watched socket and a unique application_name, which identifies the connection in pg_stat_activity. */
  watched(settings: ClientConfig): ClientConfig
  /**
   * Closes connections that wait for data, and have neither received nor sent any for this time. Their statements fail
   * as unreachable.
   * @param most the maximum number of connections to close
   * @returns the number of closed connections
   */
  endWaiting(milliseconds: number, most: number, reason: string): number
  close(): Promise<void>
}

export interface LifelineOptions {
  connection: ClientConfig
  log: Logger
  /** If a connection waits this long for data, the server is checked. In milliseconds. */
  suspicion?: number
  /** The timeout of this check in milliseconds. */
  probe?: number
}

const CHECK_INTERVAL = SECOND / 4
const RETRY_INTERVAL = SECOND / 10
/** If the time between two checks is longer than this, the process was suspended or blocked. */
const MAX_TIMER_DELAY = SECOND
const MAX_PROBE_DELAY = SECOND / 2
/** A single lost connection is closed after this multiple of `suspicion`, because a busy server may start statements late. */
const LOST_FACTOR = 4
/** Delay before connections are closed, to read data that has already arrived. */
const SETTLE = SECOND / 20

export function createLifeline(options: LifelineOptions): Lifeline {
  const { connection, log, suspicion = DATABASE_SILENCE_TIMEOUT, probe = DATABASE_PROBE } = options
  // The connections of this process are called `questboard 1a2b3c4d 1`, `questboard 1a2b3c4d 2`, …
  const name = `questboard ${systemRandom.bytes(4).toString('hex')} `
  let connections = 0
  const sockets = new Set<DatabaseSocket>()
  let gone: Error | undefined
  let closed = false
  let probing: Promise<void> | undefined

  let lastLook = systemClock.monotonic()
  const looking = setInterval(() => {
    const now = systemClock.monotonic()
    // The process could not read data while it did not run, so the waiting time of each connection starts again.
    if (now - lastLook >= MAX_TIMER_DELAY) for (const socket of sockets) socket.resetWait()
    else if (waitingFor(suspicion, now).length > 0) suspect()
    for (const socket of sockets) socket.lastSent(now) // notes the time if data was sent
    lastLook = now
  }, CHECK_INTERVAL)
  looking.unref()

  function suspect(): void {
    if (closed || gone) return
    probing ??= checkServer().finally(() => {
      probing = undefined
    })
  }

  async function checkServer(): Promise<void> {
    const heard = bytesHeard()
    const started = systemClock.monotonic()
    const suspects = waitingFor(LOST_FACTOR * suspicion, started)
    const { failure, busy } = await readServerState(connection, probe, name)
    await sleep(SETTLE)
    const starved = systemClock.monotonic() - started > probe + SETTLE + MAX_PROBE_DELAY
    if (closed || starved) return
    if (busy) {
      const waiting = new Set(waitingFor(LOST_FACTOR * suspicion, started))
      const lost = suspects.filter((socket) => waiting.has(socket) && !busy.has(socket.name))
      // The server responds, so this is not a timeout.
      cut(lost, withCode('ECONNRESET', new Error('the connection to the database was lost in the network')))
    }
    if (failure === undefined || bytesHeard() > heard) return
    gone = withCode('ETIMEDOUT', new Error('the database does not respond', { cause: failure }))
    log.error({ err: failure }, 'the database does not respond; requests are refused until it does')
    cut([...sockets], gone)
    await waitUntilReachable()
  }

  function waitingFor(milliseconds: number, now: number): DatabaseSocket[] {
    return [...sockets].filter((socket) => {
      const since = socket.waitingSince(now)
      return !socket.destroyed && since !== undefined && now - since >= milliseconds
    })
  }

  function cut(those: readonly DatabaseSocket[], reason: Error): void {
    for (const socket of those) socket.destroy(reason)
  }

  async function waitUntilReachable(): Promise<void> {
    const since = systemClock.monotonic()
    while (!closed && (await readServerState(connection, probe, name)).failure !== undefined)
      await sleep(RETRY_INTERVAL)
    gone = undefined
    if (!closed)
      log.info({ seconds: Math.round((systemClock.monotonic() - since) / SECOND) }, 'the database responds again')
  }

  function bytesHeard(): number {
    return [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0)
  }

  function watched(settings: ClientConfig): ClientConfig {
    const own = `${name}${++connections}`
    return { ...settings, application_name: own, stream: () => watch(own) }
  }

  function watch(own: string): Socket {
    const socket = new DatabaseSocket(own, () => gone)
    sockets.add(socket)
    let connected = false
    socket.once('connect', () => (connected = true))
    socket.once('close', () => {
      sockets.delete(socket)
      if (!connected) suspect()
    })
    return socket
  }

  return {
    watched,
    endWaiting(milliseconds, most, reason) {
      const now = systemClock.monotonic()
      // After a pause of this process, data that has arrived may not be read yet.
      if (milliseconds > 0 && now - lastLook >= MAX_TIMER_DELAY) return 0
      const waiting = waitingFor(milliseconds, now).filter((socket) => now - socket.lastSent(now) >= milliseconds)
      const ended = waiting.slice(0, most)
      cut(ended, withCode('ETIMEDOUT', new Error(reason)))
      return ended.length
    },
    async close() {
      closed = true
      clearInterval(looking)
      await probing
    },
  }
}

class DatabaseSocket extends Socket {
  /** The application_name of the connection. */
  readonly name: string
  /** The values of bytesWritten (#answered) and bytesRead (#heard) when data last arrived. */
  #answered = 0
  #heard = 0
  #waitingSince: number | undefined
  #sent = 0
  #sentAt = -Infinity
  readonly #refusal: () => Error | undefined

  constructor(name: string, refusal: () => Error | undefined) {
    super()
    this.name = name
    this.#refusal = refusal
    this.on('data', () => this.#hear())
  }

  #hear(): void {
    this.#heard = this.bytesRead
    this.#answered = this.bytesWritten
    this.#waitingSince = undefined
  }

  /** The time of the first check that found sent data without a response; undefined if no response is outstanding. */
  waitingSince(now: number): number | undefined {
    // With TLS, this socket emits no 'data' event, so the byte count shows whether data arrived.
    if (this.bytesRead !== this.#heard) this.#hear()
    if (this.bytesWritten > this.#answered) this.#waitingSince ??= now
    return this.#waitingSince
  }

  /** The time of the first check since data was sent last. */
  lastSent(now: number): number {
    if (this.bytesWritten !== this.#sent) [this.#sent, this.#sentAt] = [this.bytesWritten, now]
    return this.#sentAt
  }

  resetWait(): void {
    this.#waitingSince = undefined
  }

  override connect(...target: unknown[]): this {
    const refusal = this.#refusal()
    if (refusal) process.nextTick(() => this.destroy(refusal))
    else (super.connect as (...target: unknown[]) => this)(...target)
    return this
  }
}

// Codes of system errors begin with E, unlike any SQLSTATE.
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/

function withCode(code: string, error: Error): Error {
  return Object.assign(error, { code })
}

interface ServerState {
  /** The error if the server did not respond. An error from the server itself (SQLSTATE) counts as a response. */
  failure?: unknown
  /** The names of the connections on which the server is working; undefined if the query failed. */
  busy?: ReadonlySet<string>
}

async function readServerState(connection: ClientConfig, timeout: number, name: string): Promise<ServerState> {
  const client = new Client({
    ...connection,
    application_name: 'questboard probe',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  })
  client.on('error', () => {}) // connect() and query() report the error
  try {
    await client.connect()
    // A session in the state ClientWrite has finished its work, and waits until the client reads the response. If
    // track_activities is off, the state is 'disabled', so every session counts as busy.
    const { rows } = await client.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity
       WHERE starts_with(application_name, $1) AND coalesce(state, '') NOT LIKE 'idle%'
         AND wait_event IS DISTINCT FROM 'ClientWrite'`,
      [name],
    )
    return { busy: new Set(rows.map((row) => row.name)) }
  } catch (error) {
    const { code } = error as { code?: unknown }
    return typeof code === 'string' && SQL_STATE.test(code) ? {} : { failure: error }
  } finally {
    void client.end().catch(() => {}) // errors do not matter, because the result is known
  }
}
