import type { TokenUsage } from '../api/tokens.ts'

export type Split = 'operation' | 'status' | 'token'

/** Requests of one operation, status or token, by day. */
export interface Series {
  name: string
  total: number
  byDay: number[]
}

export interface UsageTable {
  /** YYYY-MM-DD, oldest first, without gaps. */
  days: string[]
  /** The largest series first. The smaller ones are combined into one series at the end. */
  series: Series[]
  totals: number[]
}

const DAY = 24 * 60 * 60 * 1000
/** The number of colours that readers can distinguish. */
const MAX_SERIES = 5

/** Sums the counts of tokens for a chart: one value for each day and series. `since` is the first day. */
export function tabulate(
  usage: readonly TokenUsage[],
  since: string,
  days: number,
  split: Split,
  rest: string,
): UsageTable {
  const first = Date.parse(since)
  const names = Array.from({ length: days }, (_, n) => new Date(first + n * DAY).toISOString().slice(0, 10))
  const sums = new Map<string, number[]>()
  for (const { name, days: counts } of usage)
    for (const { day, operation, status, requests } of counts) {
      const place = names.indexOf(day)
      if (place < 0) continue
      const key = { operation, status: String(status), token: name }[split]
      const row = sums.get(key) ?? names.map(() => 0)
      row[place] = (row[place] ?? 0) + requests
      sums.set(key, row)
    }
  const all = [...sums].map(([name, byDay]) => ({ name, byDay, total: sum(byDay) })).sort((a, b) => b.total - a.total)
  const series =
    all.length > MAX_SERIES ? [...all.slice(0, MAX_SERIES - 1), merge(all.slice(MAX_SERIES - 1), rest)] : all
  return { days: names, series, totals: names.map((_, n) => sum(series.map(({ byDay }) => byDay[n] ?? 0))) }
}

function merge(small: readonly Series[], name: string): Series {
  const [{ byDay: first = [] } = {}] = small
  const byDay = first.map((_, n) => sum(small.map((one) => one.byDay[n] ?? 0)))
  return { name, byDay, total: sum(byDay) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
