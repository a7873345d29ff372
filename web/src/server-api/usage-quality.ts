import type { TokenUsage, Usage, UsageDay } from '../api/tokens.ts'

/** Errors and durations by day. Null for a day without requests, or without a known duration. */
export interface UsageQuality {
  /** The share of requests with an HTTP status of 400 or higher, in percent. */
  errorRate: (number | null)[]
  /** In milliseconds. */
  p50: (number | null)[]
  p95: (number | null)[]
}

export const isUsed = ({ days }: TokenUsage): boolean => days.length > 0

/** Sums the requests of tokens by day. `days` are the columns of the chart. */
export function qualityOf(usage: Usage['usage'], bounds: readonly number[], days: readonly string[]): UsageQuality {
  const byDay = Map.groupBy(
    usage.flatMap((token) => token.days),
    ({ day }) => day,
  )
  const found = days.map((day) => byDay.get(day) ?? [])
  const latencies = found.map((counts) => sumOf(counts, bounds.length + 1))
  return {
    errorRate: found.map(errorRateOf),
    p50: latencies.map((counts) => percentile(counts, bounds, 0.5)),
    p95: latencies.map((counts) => percentile(counts, bounds, 0.95)),
  }
}

function errorRateOf(counts: readonly UsageDay[]): number | null {
  let [all, failed] = [0, 0]
  for (const { status, requests } of counts) {
    all += requests
    if (status >= 400) failed += requests
  }
  return all === 0 ? null : (100 * failed) / all
}

const sumOf = (counts: readonly UsageDay[], ranges: number): number[] =>
  Array.from({ length: ranges }, (_, n) => counts.reduce((sum, { latencies }) => sum + (latencies[n] ?? 0), 0))

/** A percentile of the durations, interpolated linearly within its range. */
export function percentile(counts: readonly number[], bounds: readonly number[], share: number): number | null {
  const all = counts.reduce((a, b) => a + b, 0)
  if (all === 0) return null
  let before = 0
  for (const [range, count] of counts.entries()) {
    if (count > 0 && before + count >= share * all) {
      const low = bounds[range - 1] ?? 0
      const high = bounds[range] ?? low
      return low + ((high - low) * (share * all - before)) / count
    }
    before += count
  }
  return null
}
