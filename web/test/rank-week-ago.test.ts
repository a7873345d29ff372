import { expect, test } from 'vitest'
import { rankWeekAgo } from '../src/my/rank-week-ago.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const day = (of: string, rank: number) => ({ day: of, rank, points: 0 })

test('is the rank of the day 7 days ago, however many days have a rank', () => {
  const days = [day('2026-11-02', 9), day('2026-11-14', 4), day('2026-11-20', 2)]
  expect(rankWeekAgo(days, now)).toBe(4)
  const all = Array.from({ length: 30 }, (_, n) =>
    day(new Date(now - (30 - n) * 86_400_000).toISOString().slice(0, 10), n),
  )
  expect(rankWeekAgo(all, now)).toBe(23)
})

test('is unknown if that day has no rank', () => {
  const days = ['2026-11-05', '2026-11-13', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']
  expect(rankWeekAgo(days.map(day), now)).toBeUndefined()
  expect(rankWeekAgo([], now)).toBeUndefined()
})
