import type { QueryResultRow } from 'pg'
import { SECOND } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { Read } from './prepared-reads.ts'
import type { ReadConnection } from './read-connection.ts'
import type { Statement, Value } from './statement.ts'
import { afterTurn } from './turn.ts'

/** Reads that one connection is given at once, at most. */
const TOGETHER = 12
/** Connections that are kept for what many wait for, where there are more. */
const KEPT = 1
/** While others work, one that could not be opened is not tried again for so long. */
const TRY_AGAIN = SECOND

/**
 * Reads wait here for a connection that is free. While few are asked each leaves at the end of its turn of the event loop;
 * the more are asked, the more leave together. A slow one holds up those of its own group, and nobody else; and what many
 * wait for, such as a token, is never in a group with what only one does.
 */
export class ReadQueue {
  readonly #connections: readonly ReadConnection[]
  readonly #waiting: Read[] = []
  /** Those that many wait for. */
  readonly #first: Read[] = []
  /** Whether the last group was of those. */
  #tookFirst = false
  /** Connections that work on those that one waits for, and how many may. */
  #ordinary = 0
  readonly #mostOrdinary: number
  #scheduled = false
  #opening = false
  #failedAt = -Infinity
  #closed = false

  constructor(connections: readonly ReadConnection[]) {
    this.#connections = connections
    this.#mostOrdinary = Math.max(1, connections.length - KEPT)
  }

  read<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#add([{ statement, values, resolve: resolve as Read['resolve'], reject }])
    })
  }

  /** Refuses what waits, lets what is under way end, and closes the connections. */
  async close(): Promise<void> {
    this.#closed = true
    this.#refuse(unavailable(new Error('the database is closed')))
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  #add(reads: readonly Read[]): void {
    for (const read of reads) (read.statement.first ? this.#first : this.#waiting).push(read)
    this.#schedule()
  }

  get #isEmpty(): boolean {
    return this.#first.length + this.#waiting.length === 0
  }

  #schedule(): void {
    if (this.#scheduled || this.#isEmpty) return
    this.#scheduled = true
    afterTurn(() => {
      this.#scheduled = false
      this.#give()
    })
  }

  #give(): void {
    if (this.#closed) return this.#refuse(unavailable(new Error('the database is closed')))
    for (const connection of this.#connections) {
      if (!connection.isFree) continue
      const reads = this.#next()
      if (!reads) break
      const isOrdinary = !reads[0]?.statement.first
      if (isOrdinary) this.#ordinary++
      connection.send(reads, (again) => {
        if (isOrdinary) this.#ordinary--
        this.#add(again)
      })
    }
    if (!this.#isEmpty) this.#openAnother()
  }

  #next(): Read[] | undefined {
    const mayTakeOrdinary = this.#waiting.length > 0 && this.#ordinary < this.#mostOrdinary
    // Where all share one connection they take turns.
    const isTurnOfOrdinary = this.#tookFirst && this.#connections.length === 1
    this.#tookFirst = this.#first.length > 0 && !(mayTakeOrdinary && isTurnOfOrdinary)
    if (this.#tookFirst) return this.#first.splice(0, TOGETHER)
    return mayTakeOrdinary ? this.#waiting.splice(0, TOGETHER) : undefined
  }

  /** Reads wait only for connections that are open, or for the one that is being opened when there is no other. */
  #openAnother(): void {
    const closed = this.#connections.find(({ isOpen }) => !isOpen)
    if (!closed || this.#opening) return
    const others = () => this.#connections.some(({ isOpen }) => isOpen)
    if (others() && performance.now() - this.#failedAt < TRY_AGAIN) return
    this.#opening = true
    closed
      .open()
      .catch((error: unknown) => {
        this.#failedAt = performance.now()
        if (!others()) this.#refuse(error as Error)
      })
      .finally(() => {
        this.#opening = false
        this.#schedule()
      })
  }

  #refuse(error: Error): void {
    for (const read of [...this.#first.splice(0), ...this.#waiting.splice(0)]) read.reject(error)
  }
}
