/** What stands in a line, in one at a time. */
export interface Standing {
  before: Standing | undefined
  behind: Standing | undefined
}

/** Keeps the order in which they came. Whoever leaves, from wherever, does so without a search. */
export class Line<Item extends Standing> {
  #first: Standing | undefined
  #last: Standing | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Item | undefined {
    return this.#first as Item | undefined
  }

  /** Only for one that stands in no line. */
  add(item: Item): void {
    item.before = this.#last
    if (this.#last) this.#last.behind = item
    else this.#first = item
    this.#last = item
    this.#size++
  }

  /** Only for one that stands in this line. */
  remove(item: Item): void {
    const { before, behind } = item
    if (before) before.behind = behind
    else this.#first = behind
    if (behind) behind.before = before
    else this.#last = before
    item.before = item.behind = undefined
    this.#size--
  }
}
