import type { RankDay } from '../api/explore.ts'

const WEEK = 7 * 24 * 60 * 60 * 1000

/**
 * The rank at the start of the UTC day 7 days ago; undefined if it is not recorded. Days can be missing: a member has
 * no rank of a day on which it was not among the first places.
 */
export function rankWeekAgo(days: readonly RankDay[], now: number): number | undefined {
  const wanted = new Date(now - WEEK).toISOString().slice(0, 10)
  return days.find(({ day }) => day === wanted)?.rank
}
