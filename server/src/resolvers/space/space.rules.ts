/** Ids of spaces and sprints are 32-bit integers. */
const MAX_ID = 2_147_483_647
export const isSpaceId = (id: number): boolean => id >= 1 && id <= MAX_ID
export const isSprintId = isSpaceId

/** The position counts members; members with equal points share a rank (1, 2, 2, 4). */
export interface RankedPosition {
  points: number
  /**
   * If negative, the position is unknown, because many members have equal points. The last of them is then at
   * `-position`.
   */
  position: number
  rank: number
}

/** The share of members whose rank is not better, in percent, with six decimals. */
export const percentileOf = (rank: number, members: number): number =>
  Math.round((100e6 * (members - rank + 1)) / members) / 1e6

/** Adds position and rank to consecutive rows, in place; `previous` is the row before the first. */
export function rankForward<Row extends { points: number }>(
  rows: Row[],
  previous: RankedPosition | undefined,
): (Row & RankedPosition)[] {
  if (previous && previous.position < 0) return rankNear(rows, previous)
  let { points, position, rank }: RankedPosition = previous ?? { points: Number.NaN, position: 0, rank: 0 }
  for (const row of rows as (Row & RankedPosition)[]) {
    position++
    if (row.points !== points) rank = position
    points = row.points
    row.position = position
    row.rank = rank
  }
  return rows as (Row & RankedPosition)[]
}

/**
 * The position of the first of consecutive rows that contain members with the points of `near`, whose position is
 * unknown, or that are next to them. Undefined if all rows have these points, because then each position is possible.
 */
export function positionNear(rows: readonly { points: number }[], near: RankedPosition): number | undefined {
  const higher = rows.filter(({ points }) => points > near.points).length
  if (higher > 0) return near.rank - higher
  const equal = rows.filter(({ points }) => points === near.points).length
  return equal < rows.length ? 1 - near.position - equal : undefined
}

/**
 * Adds position and rank to consecutive rows near a member whose position is unknown (see positionNear), in place.
 * @param firstRank the rank of the first row, if its points differ from those of `near` and are not the next lower ones
 */
export function rankNear<Row extends { points: number }>(
  rows: Row[],
  near: RankedPosition,
  firstRank?: number,
): (Row & RankedPosition)[] {
  const position = positionNear(rows, near)
  const [first, ...others] = rows
  if (!first) return []
  if (position === undefined) return rows.map((row) => Object.assign(row, { position: near.position, rank: near.rank }))
  const rank = first.points === near.points ? near.rank : (firstRank ?? position)
  const standing = { points: first.points, position, rank }
  return [Object.assign(first, standing), ...rankForward(others, standing)]
}

/**
 * The part of a list that is a page around one member: the member is in the middle, or nearer to an end of the list if
 * the list ends there.
 * @param before the number of members before it, or `size` if there are more
 * @param from the number of members from it on, or `size` if there are more
 */
export function pageAround(before: number, from: number, size: number): { start: number; end: number } {
  const shown = Math.min(before, Math.max(Math.floor((size - 1) / 2), size - from))
  const start = before - shown
  return { start, end: Math.min(before + from, start + size) }
}
