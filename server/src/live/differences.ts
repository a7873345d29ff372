import type { FirstPlaces } from './board.ts'

/** The fields of an event about the first places, as JSON without braces. */
export const allPlacesText = ({ totalCount, places }: FirstPlaces): string =>
  `"totalCount":${totalCount},"list":[${places.join(',')}]`

/** The places that differ, and the number of places now; undefined if nothing differs. */
export function changesText(before: FirstPlaces, after: FirstPlaces): string | undefined {
  const changed = after.places.filter((text, n) => text !== before.places[n])
  const { length } = after.places
  if (changed.length === 0 && length === before.places.length) return undefined
  return `"totalCount":${after.totalCount},"size":${length},"changed":[${changed.join(',')}]`
}
