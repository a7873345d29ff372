import { expect, it } from 'vitest'
import { LATENCY_BOUNDS, latencyRange, noLatencies } from '../../src/access/latency.ts'

it('puts each duration into the first range whose bound is not below it', () => {
  const expected = (milliseconds: number) => {
    const range = LATENCY_BOUNDS.findIndex((bound) => milliseconds <= bound)
    return range < 0 ? LATENCY_BOUNDS.length : range
  }
  for (const milliseconds of [0, 0.01, 0.5, 0.6, 1, 1.2, 2, 5, 99, 1_000, 20_000, 23_000, 24_000, 1e9])
    expect([milliseconds, latencyRange(milliseconds)]).toEqual([milliseconds, expected(milliseconds)])
})

it('has ranges from half a millisecond to more than 20 seconds, and one above them', () => {
  expect([LATENCY_BOUNDS[0], LATENCY_BOUNDS.at(-1)]).toEqual([0.5, 23_170])
  expect(noLatencies()).toHaveLength(LATENCY_BOUNDS.length + 1)
})
