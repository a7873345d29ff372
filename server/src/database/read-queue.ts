import type { QueryResultRow } from 'pg'
import type { Read } from './prepared-reads.ts'
import type { ReadConnection } from './read-connection.ts'
import type { Statement, Value } from './statement.ts'
import { afterTurn } from './turn.ts'

/** Reads that one connection is given at once, at most. */
const TOGETHER = 12

/**
 * Reads wait here for a connection that is free. While few are asked each leaves at the end of its turn of the event loop;
 * the more are asked, the more leave together. A slow one holds up those of its own group, and nobody else.
 */
export class ReadQueue {
  readonly #connections: readonly ReadConnection[]
  readonly #waiting: Read[] = []
  #scheduled = false

  constructor(connections: readonly ReadConnection[]) {
    this.#connections = connections
  }

  read<Row extends QueryResultRow>(statement: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, values, resolve: resolve as Read['resolve'], reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    afterTurn(() => {
      this.#scheduled = false
      this.#give()
    })
  }

  #give(): void {
    while (this.#waiting.length > 0) {
      const free = this.#connections.filter(({ isFree }) => isFree)
      const chosen = free.find(({ isOpen }) => isOpen) ?? free[0]
      if (!chosen) return // the next one that is done takes them
      chosen.send(this.#waiting.splice(0, TOGETHER), (again) => {
        this.#waiting.unshift(...again)
        if (this.#waiting.length > 0) this.#schedule()
      })
    }
  }
}
