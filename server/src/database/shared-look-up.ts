import type { Reader } from './statement.ts'
import { atTurnEnd } from './turn.ts'

/** While a statement is under way, what comes waits for its end, until so many wait … */
const ENOUGH = 8

/** … or for this long, in milliseconds. */
const PATIENCE = 20

/** Statements of one kind that are under way at once at most. */
const MOST_UNDER_WAY = 4

interface Batch<Key, Found> {
  keys: Map<string, Key>
  found: PromiseWithResolvers<ReadonlyMap<string, Found>>
}

interface State<Key, Found> {
  waiting: Batch<Key, Found> | undefined
  underWay: number
  impatience: NodeJS.Timeout | undefined
}

/**
 * A look-up that is made anew for every caller, so that it sees all that was written before it was asked for; under load
 * one statement serves many callers.
 * @param nameOf tells keys apart
 * @param find answers what it found by those names
 */
export function sharedLookUp<Key, Found>(
  nameOf: (key: Key) => string,
  find: (reader: Reader, keys: Key[]) => Promise<ReadonlyMap<string, Found>>,
): (reader: Reader, key: Key) => Promise<Found | undefined> {
  const states = new WeakMap<Reader, State<Key, Found>>()

  const send = (reader: Reader, state: State<Key, Found>, impatient = false): void => {
    const batch = state.waiting
    if (!batch) return
    const most = impatient || batch.keys.size >= ENOUGH ? MOST_UNDER_WAY : 1
    if (state.underWay >= most) {
      state.impatience ??= setTimeout(() => {
        state.impatience = undefined
        send(reader, state, true)
      }, PATIENCE)
      return
    }
    clearTimeout(state.impatience)
    state.impatience = undefined
    state.waiting = undefined
    state.underWay++
    find(reader, [...batch.keys.values()])
      .then(batch.found.resolve, batch.found.reject)
      .finally(() => {
        state.underWay--
        send(reader, state)
      })
  }

  return (reader, key) => {
    const state = states.get(reader) ?? { waiting: undefined, underWay: 0, impatience: undefined }
    states.set(reader, state)
    if (!state.waiting) {
      state.waiting = { keys: new Map(), found: Promise.withResolvers() }
      atTurnEnd(() => send(reader, state))
    }
    const { keys, found } = state.waiting
    const name = nameOf(key)
    keys.set(name, key)
    if (keys.size === ENOUGH) atTurnEnd(() => send(reader, state))
    return found.promise.then((all) => all.get(name))
  }
}
