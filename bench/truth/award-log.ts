/** Points given to one member of the board. */
export interface Given {
  address: string
  points: number
}

/**
 * What was awarded to one board, batch by batch, and so what the board has to show at each of its versions. Batches of
 * one board are applied one after the other; the board of version n is the one after the first n batches.
 */
export class AwardLog {
  readonly #histories = new Map<string, { batch: number; total: number }[]>()
  /** Batches that were sent, and those of them that were acknowledged. */
  sent = 0
  acknowledged = 0

  constructor(members: readonly Given[]) {
    for (const { address, points } of members) this.#histories.set(address, [{ batch: 0, total: points }])
  }

  /** Notes a batch that is sent now, after all before it were acknowledged. */
  send(awards: readonly Given[]): void {
    this.sent++
    for (const { address, points } of awards) {
      const history = this.#histories.get(address) ?? []
      if (history.length === 0) this.#histories.set(address, history)
      const last = history.at(-1)
      const total = (last?.total ?? 0) + points
      if (last?.batch === this.sent) last.total = total
      else history.push({ batch: this.sent, total })
    }
  }

  acknowledge(): void {
    this.acknowledged = this.sent
  }

  /** The points of every member after each number of batches, from 0 on; the same map, changed in place. */
  *boards(): Generator<[batches: number, board: ReadonlyMap<string, number>]> {
    const changes = new Map<number, [address: string, total: number][]>()
    for (const [address, history] of this.#histories)
      for (const { batch, total } of history) {
        const of = changes.get(batch) ?? []
        if (of.length === 0) changes.set(batch, of)
        of.push([address, total])
      }
    const board = new Map<string, number>()
    for (let batches = 0; batches <= this.sent; batches++) {
      for (const [address, total] of changes.get(batches) ?? []) board.set(address, total)
      yield [batches, board]
    }
  }

  /** The points of every member after this number of batches. */
  boardAfter(batches: number): Map<string, number> {
    const board = new Map<string, number>()
    for (const [address, history] of this.#histories) {
      const entry = history.findLast(({ batch }) => batch <= batches)
      if (entry) board.set(address, entry.total)
    }
    return board
  }
}
