/** Ids of spaces and sprints are 32-bit integers; any other number is the id of none. */
const MAX_ID = 2_147_483_647
export const isSpaceId = (id: number): boolean => id >= 1 && id <= MAX_ID
export const isSprintId = isSpaceId

/** The place of a member in a board: position counts members, rank is shared by equal points (1, 2, 2, 4). */
export interface Standing {
  points: number
  position: number
  rank: number
}

/**
 * Gives rows that follow each other their position and rank; `previous` stands right before the first.
 * The rows are the caller's own, fresh from the database, and are completed in place.
 */
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
