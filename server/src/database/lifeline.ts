import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import { DATABASE_PROBE, DATABASE_SUSPICION } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { systemRandom } from '../random.ts'

/**
 * Detects a lost database, so that no request waits for it. If a connection waits for too long or cannot connect, the
 * lifeline queries the server on a separate connection. If it does not respond, every connection is cut, and new
 * ones fail at once until it responds. A slow, full or starting server responds, and keeps its connections.
 * If the server responds but does not work for a waiting connection, that connection was lost and is cut.
 */
export interface Lifeline {
  /** A watched connection with a unique name, by which the server reports what it does for the connection. */
  watched(settings: ClientConfig): ClientConfig
  close(): Promise<void>
}

export interface LifelineOptions {
  connection: ClientConfig
  log: Logger
  /** Milliseconds; those of lifetimes.ts when left out. */
  suspicion?: number
  probe?: number
}

const LOOK_EVERY = SECOND / 4
const RETRY_EVERY = SECOND / 10
const STARVED = SECOND
const LATE = SECOND / 2
/** A server that is busy may not have begun yet with what it was sent: a single connection is given up later. */
const LOST = 4
const SETTLE = SECOND / 20

export function createLifeline(options: LifelineOptions): Lifeline {
  const { connection, log, suspicion = DATABASE_SUSPICION, probe = DATABASE_PROBE } = options
  // The connections of this process are called `questboard 1a2b3c4d 1`, `questboard 1a2b3c4d 2`, …
  const name = `questboard ${systemRandom.bytes(4).toString('hex')} `
  let connections = 0
  const sockets = new Set<DatabaseSocket>()
  let gone: Error | undefined
  let closed = false
  let probing: Promise<void> | undefined

  let lastLook = performance.now()
  const looking = setInterval(() => {
    const now = performance.now()
    // A process that could not run did not read either, so every connection gets its full time again.
    if (now - lastLook >= STARVED) for (const socket of sockets) socket.startAnew()
    else if (waitingFor(suspicion, now).length > 0) suspect()
    lastLook = now
  }, LOOK_EVERY)
  looking.unref()

  function suspect(): void {
    if (closed || gone) return
    probing ??= checkServer().finally(() => {
      probing = undefined
    })
  }

  async function checkServer(): Promise<void> {
    const heard = bytesHeard()
    const started = performance.now()
    // Whoever has waited for so long before the server is asked.
    const suspects = waitingFor(LOST * suspicion, started)
    const { failure, busy } = await askServer(connection, probe, name)
    // Reads data that has already arrived before a connection is given up.
    await sleep(SETTLE)
    const starved = performance.now() - started > probe + SETTLE + LATE
    if (closed || starved) return
    if (busy) {
      const waiting = new Set(waitingFor(LOST * suspicion, started))
      const lost = suspects.filter((socket) => waiting.has(socket) && !busy.has(socket.name))
      cut(lost, new Error('the connection to the database was lost on the way'))
    }
    if (failure === undefined || bytesHeard() > heard) return
    gone = timedOut(new Error('the database does not answer', { cause: failure }))
    log.error({ err: failure }, 'the database does not answer: requests are refused until it does')
    cut([...sockets], gone)
    await untilBack()
  }

  function waitingFor(milliseconds: number, now: number): DatabaseSocket[] {
    return [...sockets].filter((socket) => now - (socket.waitingSince(now) ?? now) >= milliseconds)
  }

  function cut(those: readonly DatabaseSocket[], reason: Error): void {
    for (const socket of those) socket.destroy(timedOut(reason))
  }

  async function untilBack(): Promise<void> {
    const since = performance.now()
    while (!closed && (await askServer(connection, probe, name)).failure !== undefined) await sleep(RETRY_EVERY)
    gone = undefined
    if (!closed) log.info({ seconds: Math.round((performance.now() - since) / SECOND) }, 'the database answers again')
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
    async close() {
      closed = true
      clearInterval(looking)
      await probing
    },
  }
}

class DatabaseSocket extends Socket {
  /** What the server calls the connection. */
  readonly name: string
  /** How much had been sent, and had come, when something was heard last. */
  #answered = 0
  #heard = 0
  #waitingSince: number | undefined
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

  /** Since when something that was sent has had no echo; as exact as this is asked often. */
  waitingSince(now: number): number | undefined {
    // With TLS, data arrives at the socket around this one, and is noticed here at the next look.
    if (this.bytesRead !== this.#heard) this.#hear()
    if (this.bytesWritten > this.#answered) this.#waitingSince ??= now
    return this.#waitingSince
  }

  startAnew(): void {
    this.#waitingSince = undefined
  }

  override connect(...target: unknown[]): this {
    const refusal = this.#refusal()
    if (refusal) process.nextTick(() => this.destroy(refusal))
    else (super.connect as (...target: unknown[]) => this)(...target)
    return this
  }
}

// Names of system errors begin with E, as no SQLSTATE does.
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/

function timedOut(error: Error): Error {
  return Object.assign(error, { code: 'ETIMEDOUT' })
}

interface Asked {
  /** Why no server answered; undefined also when it said that it cannot serve now (PostgreSQL appendix A). */
  failure?: unknown
  /** The connections that it works for, by their names; undefined when it did not say. */
  busy?: ReadonlySet<string>
}

async function askServer(connection: ClientConfig, patience: number, name: string): Promise<Asked> {
  const client = new Client({
    ...connection,
    application_name: 'questboard probe',
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  })
  client.on('error', () => {}) // the connection is given up below
  try {
    await client.connect()
    // One that has written an answer and cannot get rid of it works no longer. A server that does not track what it does
    // says so in the place of a state.
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
    void client.end().catch(() => {}) // nothing more is wanted of it
  }
}
