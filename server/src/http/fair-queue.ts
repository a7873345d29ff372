/** Queues that are served round-robin. */
export class FairQueue<T> {
  /** Non-empty queues; the first is served next. */
  readonly #lines = new Map<string, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(line: string, item: T): void {
    const own = this.#lines.get(line)
    if (own) own.push(item)
    else this.#lines.set(line, [item])
    this.#size++
  }

  take(): T | undefined {
    const [next] = this.#lines
    if (!next) return undefined
    const [line, items] = next
    const item = items.shift()
    this.#size--
    this.#lines.delete(line)
    if (items.length > 0) this.#lines.set(line, items)
    return item
  }

  /**
   * Removes the last item of the longest queue. If several are equally long, the queue that is served last loses its
   * item.
   */
  dropLast(): T | undefined {
    let longest: [line: string, items: T[]] | undefined
    for (const entry of this.#lines) if (entry[1].length >= (longest?.[1].length ?? 0)) longest = entry
    if (!longest) return undefined
    const [line, items] = longest
    const item = items.pop()
    this.#size--
    if (items.length === 0) this.#lines.delete(line)
    return item
  }

  /** Removes items from the front of each queue while `wanted` returns true. */
  takeWhile(wanted: (item: T) => boolean): T[] {
    const taken: T[] = []
    for (const [line, items] of this.#lines) {
      let count = items.findIndex((item) => !wanted(item))
      if (count === -1) count = items.length
      taken.push(...items.splice(0, count))
      if (items.length === 0) this.#lines.delete(line)
    }
    this.#size -= taken.length
    return taken
  }
}
