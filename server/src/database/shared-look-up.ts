import type { Reader } from './statement.ts'
import { atTurnEnd } from './turn.ts'

/** Statements of one kind that are under way at once; what comes meanwhile waits and shares the next one. */
const MOST_UNDER_WAY = 2

interface Batch<Key, Found> {
  keys: Map<string, Key>
  found: PromiseWithResolvers<ReadonlyMap<string, Found>>
}

interface State<Key, Found> {
  waiting: Batch<Key, Found> | undefined
  underWay: number
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

  const send = (reader: Reader, state: State<Key, Found>): void => {
    const batch = state.waiting
    if (!batch || state.underWay === MOST_UNDER_WAY) return
    state.waiting = undefined
    state.underWay++
    find(reader, [...batch.keys.values()])
      .then(batch.found.resolve, batch.found.reject)
      .finally(() => {
        state.underWay--
        send(reader, state)
      })
  }

  return async (reader, key) => {
    const state = states.get(reader) ?? { waiting: undefined, underWay: 0 }
    states.set(reader, state)
    if (!state.waiting) {
      state.waiting = { keys: new Map(), found: Promise.withResolvers() }
      atTurnEnd(() => send(reader, state))
    }
    const { keys, found } = state.waiting
    const name = nameOf(key)
    keys.set(name, key)
    return (await found.promise).get(name)
  }
}
