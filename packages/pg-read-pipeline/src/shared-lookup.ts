import { atEndOfTurn } from './event-loop-turn.ts'
import type { Reader } from './statement.ts'

/** While a statement runs, keys wait until it ends, or until this number of keys is waiting … */
const MAX_WAITING_KEYS = 8
/** … or until this time has passed. */
const MAX_WAIT_MS = 20
/** The maximum number of keys of one statement. Without it, a burst of calls would make one very long statement. */
const MAX_KEYS = 500
/** Concurrent statements of one group of keys. */
const MAX_RUNNING = 4

interface Batch<Key, Found> {
  keys: Map<string, Key>
  found: PromiseWithResolvers<ReadonlyMap<string, Found>>
}

interface State<Key, Found> {
  /** Oldest first; only the last one takes more keys. */
  waiting: Batch<Key, Found>[]
  running: number
  timer: NodeJS.Timeout | undefined
  /** Groups can be many, so those without keys are forgotten. */
  remove(): void
}

/**
 * A lookup by key in which one statement serves many callers. It is not a cache: the statement starts after each of its
 * callers called, so each sees everything that was committed before.
 * @param nameOf identifies equal keys
 * @param find returns what it found by these names
 * @param groupOf only keys of equal groups share a statement; by default all keys do
 */
export function sharedLookup<Key, Found>(
  nameOf: (key: Key) => string,
  find: (reader: Reader, keys: Key[]) => Promise<ReadonlyMap<string, Found>>,
  groupOf: (key: Key) => string = () => '',
): (reader: Reader, key: Key) => Promise<Found | undefined> {
  const groups = new WeakMap<Reader, Map<string, State<Key, Found>>>()

  const stateOf = (reader: Reader, group: string): State<Key, Found> => {
    const states = groups.get(reader) ?? new Map<string, State<Key, Found>>()
    groups.set(reader, states)
    const known = states.get(group)
    if (known) return known
    const state: State<Key, Found> = {
      waiting: [],
      running: 0,
      timer: undefined,
      remove() {
        if (states.get(group) === state) states.delete(group)
      },
    }
    states.set(group, state)
    return state
  }

  const send = (reader: Reader, state: State<Key, Found>, waitedLong = false): void => {
    const [batch] = state.waiting
    if (!batch) {
      if (state.running === 0) state.remove()
      return
    }
    const limit = waitedLong || batch.keys.size >= MAX_WAITING_KEYS ? MAX_RUNNING : 1
    if (state.running >= limit) {
      state.timer ??= setTimeout(() => {
        state.timer = undefined
        send(reader, state, true)
      }, MAX_WAIT_MS)
      return
    }
    clearTimeout(state.timer)
    state.timer = undefined
    state.waiting.shift()
    state.running++
    find(reader, [...batch.keys.values()])
      .then(batch.found.resolve, batch.found.reject)
      .finally(() => {
        state.running--
        send(reader, state)
      })
  }

  return (reader, key) => {
    const state = stateOf(reader, groupOf(key))
    const name = nameOf(key)
    let batch = state.waiting.at(-1)
    if (!batch || (batch.keys.size === MAX_KEYS && !batch.keys.has(name))) {
      batch = { keys: new Map(), found: Promise.withResolvers() }
      state.waiting.push(batch)
      atEndOfTurn(() => send(reader, state))
    }
    const { keys, found } = batch
    keys.set(name, key)
    if (keys.size === MAX_WAITING_KEYS) atEndOfTurn(() => send(reader, state))
    return found.promise.then((all) => all.get(name))
  }
}
