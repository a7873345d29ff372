/** Copies a text, because a substring of a header can keep the whole header in memory. */
export const copyOf = (text: string): string => Buffer.from(text).toString()

/** A cache of recently used values with a limit of total weight. */
export interface Recent<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/**
 * Two generations: used entries move to the young one; when it reaches half of the capacity, the old one is dropped. So
 * look-ups need no sorting or counting.
 */
export function createRecent<Value>(capacity: number, weigh: (key: string, value: Value) => number): Recent<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let weight = 0
  const set = (key: string, value: Value): void => {
    const replaced = young.get(key)
    weight += weigh(key, value) - (replaced === undefined ? 0 : weigh(key, replaced))
    young.set(key, value)
    if (weight * 2 <= capacity) return
    old = young
    young = new Map()
    weight = 0
  }
  return {
    get(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const aged = old.get(key)
      if (aged !== undefined) {
        old.delete(key)
        set(key, aged)
      }
      return aged
    },
    set,
    delete(key) {
      const known = young.get(key)
      if (known !== undefined) weight -= weigh(key, known)
      young.delete(key)
      old.delete(key)
    },
  }
}
