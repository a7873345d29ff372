/**
 * The running items, each in a slot until it ends. A `Set` would do the same, but frequent changes make it outgrow
 * one table after the other, and V8 keeps those, with their contents, until it has collected the whole heap.
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
