/** Ids of spaces and sprints are 32-bit integers. */
const MAX_ID = 2_147_483_647
export const isSpaceId = (id: number): boolean => id >= 1 && id <= MAX_ID
export const isSprintId = isSpaceId

/** The position counts members; members with equal points share a rank (1, 2, 2, 4). */
export interface Standing {
  points: number
  position: number
  rank: number
}

/** Adds position and rank to consecutive rows, in place; `previous` is the row before the first. */
export function rankForward<Row extends { points: number }>(
  rows: Row[],
  previous: Standing | undefined,
): (Row & Standing)[] {
  let { points, position, rank }: Standing = previous ?? { points: Number.NaN, position: 0, rank: 0 }
  for (const row of rows as (Row & Standing)[]) {
    position++
    if (row.points !== points) rank = position
    points = row.points
    row.position = position
    row.rank = rank
  }
  return rows as (Row & Standing)[]
}
