/** An item of a queue; an item is in one queue at a time. */
export interface LinkedItem {
  before: LinkedItem | undefined
  behind: LinkedItem | undefined
}

/** A queue in order of arrival. Removes an item at any position in constant time. */
export class LinkedQueue<Item extends LinkedItem> {
  #first: LinkedItem | undefined
  #last: LinkedItem | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Item | undefined {
    return this.#first as Item | undefined
  }

  /** Only for an item that is in no queue. */
  add(item: Item): void {
    item.before = this.#last
    if (this.#last) this.#last.behind = item
    else this.#first = item
    this.#last = item
    this.#size++
  }

  /** Only for an item that is in this queue. */
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
