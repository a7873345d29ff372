/**
 * The items under way, each in a slot until it ends. A `Set` would do the same, but frequent changes make it outgrow
 * one table after the other, and V8 keeps those, with their contents, until it has collected the whole heap.
 */
export class Places<Item> {
  readonly #items: (Item | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#items.length - this.#free.length
  }

  /** @returns the place that it has now */
  take(item: Item): number {
    const place = this.#free.pop() ?? this.#items.length
    this.#items[place] = item
    return place
  }

  leave(place: number): void {
    this.#items[place] = undefined
    this.#free.push(place)
  }

  all(): Item[] {
    return this.#items.filter((item) => item !== undefined)
  }
}
