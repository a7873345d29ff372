import type { PageRow, PageStart, RankedUserRow } from './starboard.queries.ts'

/** A place in a ranking. */
export interface Place extends PageStart {
  position: number
  rank: number
}

/**
 * Counts the ranks of a page's users, now and in the previous ranking. Equal scores share a rank, and the next rank counts
 * all of them.
 * @param before the user before the page; undefined on the first page
 */
export function countRanks(rows: readonly PageRow[], before: Place | undefined): RankedUserRow[] {
  const movedAway = Object.entries(JSON.parse(rows[0]?.moved_away ?? '{}') as Record<string, number>)
  const movedAwayBefore = (index: number) =>
    movedAway.reduce((sum, [at, users]) => (Number(at) <= index ? sum + users : sum), 0)
  let { position, rank, score } = before ?? { position: 0, rank: 0, score: '' }
  // Users of the previous ranking: all before the current row, and those with a higher score than the current row.
  let users = rows[0]?.previous_users ?? 0
  let better = rows[0]?.previous_better ?? 0
  return rows.map((row, index) => {
    position++
    if (row.score !== score) {
      rank = position
      score = row.score
      better = users + movedAwayBefore(index)
    }
    if (row.is_older) users++
    return {
      ...row,
      position,
      rank,
      previous_rank: row.is_older ? better + 1 : row.previous_rank,
      previous_score: row.is_older ? row.score : row.previous_score,
    }
  })
}
