/**
 * The name that a mistyped name most likely means; undefined if none is similar. For a name with a longer form after an
 * underscore, only the typed part counts.
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(typed.length / 3))
  const [best] = names
    .map((name) => ({ name, distance: distanceTo(typed, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length)
  return best?.name
}

function distanceTo(typed: string, name: string): number {
  const beginnings = [...name.matchAll(/_/g)].map(({ index }) => edits(typed, name.slice(0, index)) + 1)
  return Math.min(edits(typed, name), ...beginnings)
}

/** Levenshtein distance. */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [column, match] of [...other].entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (letter === match ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}
