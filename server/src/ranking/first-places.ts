/** A member in the order of its board; equal `score` values tie. */
export interface RankableRow {
  member: string
  score: unknown
}

/** Ranks the first rows of a board: equal scores share a rank, and the next rank counts them all. */
export function ranked<Row extends RankableRow>(rows: readonly Row[]): (Row & { rank: number })[] {
  let rank = 0
  return rows.map((row, i) => {
    if (i === 0 || rows[i - 1]?.score !== row.score) rank = i + 1
    return { ...row, rank }
  })
}

/**
 * The members that entered or left the first `top` places. Both lists have at least that many rows, or the whole board.
 */
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

export function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}
