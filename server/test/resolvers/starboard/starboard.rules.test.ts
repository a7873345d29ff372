import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changeMetric,
  influenceScoreMetric,
  rankMetric,
  type RankedScore,
} from '../../../src/resolvers/starboard/starboard.rules.ts'

const starboardMetrics = (row: RankedScore, board: { topScore: string; userCount: number }) => ({
  rank: rankMetric(row.rank, row.previous_rank, board.userCount),
  influenceScore: influenceScoreMetric(row.score, row.previous_score, board.topScore),
  change24H: changeMetric(row.score, row.score_24h),
  change7D: changeMetric(row.score, row.score_7d),
  change30D: changeMetric(row.score, row.score_30d),
})

describe('rank', () => {
  test('has a negative delta for a rise, with a rate relative to the old rank and a percentile', () => {
    expect(rankMetric(2, 5, 10)).toEqual({ value: '2', delta: -3, deltaRate: -0.6, percentage: 90 })
  })
  test('has a positive delta for a fall', () => {
    expect(rankMetric(3, 2, 3)).toEqual({ value: '3', delta: 1, deltaRate: 0.5, percentage: 33.333333 })
  })
  test('has a delta of 0 without a previous rank', () => {
    expect(rankMetric(4, null, 4)).toEqual({ value: '4', delta: 0, deltaRate: 0, percentage: 25 })
  })
  test('has the percentile 100 for rank 1', () => {
    expect(rankMetric(1, null, 1).percentage).toBe(100)
    expect(rankMetric(1, 1, 2_000).percentage).toBe(100)
  })
  test('has a percentile above 0 and up to 100 that never falls with a better rank', () => {
    const place = fc
      .integer({ min: 2, max: 1_000_000 })
      .chain((users) => fc.tuple(fc.constant(users), fc.integer({ min: 2, max: users })))
    fc.assert(
      fc.property(place, ([users, rank]) => {
        const { percentage } = rankMetric(rank, null, users)
        return percentage > 0 && percentage <= 100 && rankMetric(rank - 1, null, users).percentage >= percentage
      }),
    )
  })
})

describe('influenceScore', () => {
  test('has a value without trailing zeros, and a percentage of the top score', () => {
    expect(influenceScoreMetric('120.500000', '100.000000', '482.000000')).toEqual({
      value: '120.5',
      delta: 21,
      deltaRate: 0.205,
      percentage: 25,
    })
  })
  test('rounds deltas half away from zero', () => {
    expect(influenceScoreMetric('2.500000', '1.000000', '10.000000').delta).toBe(2)
    expect(influenceScoreMetric('1.000000', '2.500000', '10.000000').delta).toBe(-2)
    expect(Object.is(influenceScoreMetric('1.000000', '1.400000', '10.000000').delta, 0)).toBe(true)
  })
  test('writes scores above 2^53 millionths exactly', () => {
    expect(influenceScoreMetric('99999999999999.999999', null, '99999999999999.999999')).toEqual({
      value: '99999999999999.999999',
      delta: 0,
      deltaRate: 0,
      percentage: 100,
    })
  })
  test('limits a delta to 32 bits', () => {
    expect(influenceScoreMetric('99999999999999.000000', '0.000001', '99999999999999').delta).toBe(2_147_483_647)
    expect(influenceScoreMetric('0', '99999999999999.000000', '1').delta).toBe(-2_147_483_647)
  })
  test('has a rate of 0 if the previous score is 0, and a percentage of 0 if the top score is 0', () => {
    expect(influenceScoreMetric('0.000000', '0.000000', '0.000000')).toEqual({
      value: '0',
      delta: 0,
      deltaRate: 0,
      percentage: 0,
    })
    expect(influenceScoreMetric('5.000000', '0.000000', '5.000000')).toEqual({
      value: '5',
      delta: 5,
      deltaRate: 0,
      percentage: 100,
    })
  })
})

describe('change over a period', () => {
  test('has a sign, and a rate as a fraction and as a percentage', () => {
    expect(changeMetric('90.250000', '95.000000')).toEqual({
      value: '-4.75',
      delta: -5,
      deltaRate: -0.05,
      percentage: -5,
    })
    expect(changeMetric('110.000000', '100.000000')).toEqual({ value: '10', delta: 10, deltaRate: 0.1, percentage: 10 })
  })
  test('is 0 without a score at the start of the period', () => {
    expect(changeMetric('90.250000', null)).toEqual({ value: '0', delta: 0, deltaRate: 0, percentage: 0 })
  })
  test('has a rate of 0 if the score at the start is 0', () => {
    expect(changeMetric('0.000001', '0.000000')).toEqual({ value: '0.000001', delta: 0, deltaRate: 0, percentage: 0 })
  })
  test('is exactly the current score minus the score at the start', () => {
    const score = fc.bigInt({ min: 0n, max: 99_999_999_999_999_999_999n })
    fc.assert(
      fc.property(score, score, (now, then) => {
        expect(exact(changeMetric(numeric(now), numeric(then)).value) + then).toBe(now)
      }),
    )
  })
})

test('computes all metrics from a row and its board', () => {
  const row = {
    rank: 1,
    score: '8.000000',
    previous_rank: 2,
    previous_score: '6.000000',
    score_24h: '4.000000',
    score_7d: '2.000000',
    score_30d: null,
  }
  expect(starboardMetrics(row, { topScore: '8.000000', userCount: 2 })).toEqual({
    rank: { value: '1', delta: -1, deltaRate: -0.5, percentage: 100 },
    influenceScore: { value: '8', delta: 2, deltaRate: 0.333333, percentage: 100 },
    change24H: { value: '4', delta: 4, deltaRate: 1, percentage: 100 },
    change7D: { value: '6', delta: 6, deltaRate: 3, percentage: 300 },
    change30D: { value: '0', delta: 0, deltaRate: 0, percentage: 0 },
  })
})

/** Formats an amount as PostgreSQL formats numeric(20, 6). */
function numeric(amount: bigint): string {
  return `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, '0')}`
}

function exact(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const magnitude = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return text.startsWith('-') ? -magnitude : magnitude
}
