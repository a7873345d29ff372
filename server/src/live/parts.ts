/** The state of a part of a board that the streams have received. */
export interface FollowedPart<State> {
  state: State
  /** The version of the last change of the state, or a later one. */
  changedAt: number
}

/** The parts of a board that at least one stream follows. Functions ignore an undefined key. */
export interface Parts<Key, State> {
  acquire(key: Key | undefined): void
  release(key: Key | undefined): void
  get(key: Key | undefined): FollowedPart<State> | undefined
  /** Does nothing if no stream follows the part any more. */
  set(key: Key, followed: FollowedPart<State>): void
  /** Whether the part is followed, and was not read yet. */
  isMissing(key: Key | undefined): boolean
  missing(): Key[]
  known(): Key[]
}

export function createParts<Key, State>(): Parts<Key, State> {
  const parts = new Map<Key, { followers: number; followed: FollowedPart<State> | undefined }>()
  const find = (key: Key | undefined) => (key === undefined ? undefined : parts.get(key))
  const keys = (known: boolean) =>
    [...parts].flatMap(([key, { followed }]) => ((followed !== undefined) === known ? [key] : []))
  return {
    acquire(key) {
      if (key === undefined) return
      const part = parts.get(key)
      if (part) part.followers++
      else parts.set(key, { followers: 1, followed: undefined })
    },
    release(key) {
      const part = find(key)
      if (key !== undefined && part && --part.followers === 0) parts.delete(key)
    },
    get: (key) => find(key)?.followed,
    set(key, followed) {
      const part = parts.get(key)
      if (part) part.followed = followed
    },
    isMissing(key) {
      const part = find(key)
      return part !== undefined && part.followed === undefined
    },
    missing: () => keys(false),
    known: () => keys(true),
  }
}
