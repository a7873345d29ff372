/** A member in the order of its board; what is compared for equality is `score`. */
export interface Placed {
  member: string
  score: unknown
}

/** Ranks the beginning of a board: equal scores share a rank, and the next one counts them all. */
export function ranked<Row extends Placed>(rows: readonly Row[]): (Row & { rank: number })[] {
  let rank = 0
  return rows.map((row, i) => {
    if (i === 0 || rows[i - 1]?.score !== row.score) rank = i + 1
    return { ...row, rank }
  })
}

/** Who came into the first `top` places and who left them; both lists hold at least so many, or the whole board. */
export function firstPlacesChanged<Row extends { member: string }>(
  before: readonly Row[],
  after: readonly Row[],
  top: number,
): { entered: Row[]; left: Row[] } {
  const were = before.slice(0, top)
  const are = after.slice(0, top)
  const wereIn = new Set(were.map(({ member }) => member))
  const areIn = new Set(are.map(({ member }) => member))
  return {
    entered: are.filter(({ member }) => !wereIn.has(member)),
    left: were.filter(({ member }) => !areIn.has(member)),
  }
}

/** A list in pieces of at most `size`. */
export function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}
