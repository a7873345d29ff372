/**
 * The running items, each in a slot until it ends. A `Set` with frequent changes allocates one table after the other. V8
 * keeps the old tables with their contents until a full garbage collection.
 */
export class SlotList<Item> {
  readonly #items: (Item | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#items.length - this.#free.length
  }

  /** @returns the index of its slot */
  take(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length
    this.#items[slot] = item
    return slot
  }

  leave(slot: number): void {
    this.#items[slot] = undefined
    this.#free.push(slot)
  }

  all(): Item[] {
    return this.#items.filter((item) => item !== undefined)
  }
}
