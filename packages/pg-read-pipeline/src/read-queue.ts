import type { QueryResultRow } from 'pg'
import { afterEndOfTurn } from './event-loop-turn.ts'
import type { ReadConnection } from './read-connection.ts'
import type { Read } from './statement-group.ts'
import type { Statement, Value } from './statement.ts'

/** Statements in one write. */
const MAX_GROUP_SIZE = 12
/** Connections for priority statements, if there are more. */
const RESERVED_CONNECTIONS = 1
/** Pause after a failed connect, while other connections work. */
const RECONNECT_DELAY_MS = 1_000

/**
 * Reads wait for a free connection. Under low load each leaves at the end of its turn of the event loop; the higher the
 * load, the more leave together. A slow statement delays only its own group, and priority statements have groups of
 * their own.
 */
export class ReadQueue {
  readonly #connections: readonly ReadConnection[]
  readonly #unavailable: (cause: unknown) => Error
  readonly #ordinary: Read[] = []
  readonly #priority: Read[] = []
  #lastGroupHadPriority = false
  /** Connections that run ordinary groups, and their limit. */
  #runningOrdinary = 0
  readonly #maxRunningOrdinary: number
  #scheduled = false
  #opening = false
  #failedAt = -Infinity
  #closed = false

  constructor(connections: readonly ReadConnection[], unavailable: (cause: unknown) => Error) {
    this.#connections = connections
    this.#unavailable = unavailable
    this.#maxRunningOrdinary = Math.max(1, connections.length - RESERVED_CONNECTIONS)
  }

  read<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#add([{ statement, values, resolve: resolve as Read['resolve'], reject }])
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#rejectAll(this.#closedError())
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  #add(reads: readonly Read[]): void {
    for (const read of reads) (read.statement.priority ? this.#priority : this.#ordinary).push(read)
    this.#schedule()
  }

  get #isEmpty(): boolean {
    return this.#priority.length + this.#ordinary.length === 0
  }

  #schedule(): void {
    if (this.#scheduled || this.#isEmpty) return
    this.#scheduled = true
    afterEndOfTurn(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#closed) return this.#rejectAll(this.#closedError())
    for (const connection of this.#connections) {
      if (!connection.isFree) continue
      const reads = this.#nextGroup()
      if (!reads) break
      const isOrdinary = !reads[0]?.statement.priority
      if (isOrdinary) this.#runningOrdinary++
      connection.send(reads, (retries) => {
        if (isOrdinary) this.#runningOrdinary--
        this.#add(retries)
      })
    }
    if (!this.#isEmpty) this.#openConnection()
  }

  #nextGroup(): Read[] | undefined {
    const mayRunOrdinary = this.#ordinary.length > 0 && this.#runningOrdinary < this.#maxRunningOrdinary
    // On a single connection both kinds take turns.
    const isTurnOfOrdinary = this.#lastGroupHadPriority && this.#connections.length === 1
    this.#lastGroupHadPriority = this.#priority.length > 0 && !(mayRunOrdinary && isTurnOfOrdinary)
    if (this.#lastGroupHadPriority) return this.#priority.splice(0, MAX_GROUP_SIZE)
    return mayRunOrdinary ? this.#ordinary.splice(0, MAX_GROUP_SIZE) : undefined
  }

  /** Reads wait for open connections. If no other connection is open, they wait for the connection that is opening. */
  #openConnection(): void {
    const closed = this.#connections.find(({ isOpen }) => !isOpen)
    if (!closed || this.#opening) return
    const othersAreOpen = () => this.#connections.some(({ isOpen }) => isOpen)
    if (othersAreOpen() && performance.now() - this.#failedAt < RECONNECT_DELAY_MS) return
    this.#opening = true
    closed
      .open()
      .catch((error: unknown) => {
        this.#failedAt = performance.now()
        if (!othersAreOpen()) this.#rejectAll(error as Error)
      })
      .finally(() => {
        this.#opening = false
        this.#schedule()
      })
  }

  #closedError(): Error {
    return this.#unavailable(new Error('the database is closed'))
  }

  #rejectAll(error: Error): void {
    for (const read of [...this.#priority.splice(0), ...this.#ordinary.splice(0)]) read.reject(error)
  }
}
