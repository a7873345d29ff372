import { expect, it } from 'vitest'
import { LATENCY_BOUNDS, latencyRange, noLatencies } from '../../server/src/access/latency.ts'
import { percentile, qualityOf } from '../src/server-api/usage-quality.ts'

const day = { day: '2026-11-21', operation: 'space' }
const usageOf = (days: { day: string; operation: string; status: number; requests: number; latencies: number[] }[]) => [
  { tokenId: 't', name: 'backend', quota: { plan: 'free', perSecond: 10, perDay: 1_000 }, days },
]

it('estimates percentiles at most 20 % off', () => {
  const counts = noLatencies()
  const durations = Array.from({ length: 1_000 }, (_, n) => 3 + n / 10)
  for (const duration of durations) counts[latencyRange(duration)] = (counts[latencyRange(duration)] ?? 0) + 1
  for (const share of [0.5, 0.95]) {
    const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0
    const estimate = percentile(counts, LATENCY_BOUNDS, share) ?? 0
    expect(Math.abs(estimate - exact) / exact, `p${100 * share}`).toBeLessThan(0.2)
  }
})

it('counts statuses from 400 on as errors, and leaves days without requests out', () => {
  const usage = usageOf([
    { ...day, status: 200, requests: 3, latencies: [3, 0] },
    { ...day, status: 429, requests: 1, latencies: [0, 1] },
  ])
  expect(qualityOf(usage, [1], ['2026-11-20', '2026-11-21'])).toEqual({
    errorRate: [null, 25],
    p50: [null, 2 / 3],
    p95: [null, 1],
  })
})

it('has an error rate, but no latency, for days before durations were counted', () => {
  const usage = usageOf([{ ...day, status: 200, requests: 3, latencies: [] }])
  expect(qualityOf(usage, [1], ['2026-11-21'])).toEqual({ errorRate: [0], p50: [null], p95: [null] })
})
