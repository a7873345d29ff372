import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changeMetric,
  influenceScoreMetric,
  rankMetric,
  starboardMetrics,
} from '../../src/features/starboard/starboard.rules.ts'

describe('rank', () => {
  test('a climb of three places has a negative delta, a rate of the old rank, and a percentile', () => {
    expect(rankMetric(2, 5, 10)).toEqual({ value: '2', delta: -3, deltaRate: -0.6, percentage: 90 })
  })
  test('a fall has a positive delta', () => {
    expect(rankMetric(3, 2, 3)).toEqual({ value: '3', delta: 1, deltaRate: 0.5, percentage: 33.333333 })
  })
  test('a user who was not ranked before has no delta', () => {
    expect(rankMetric(4, null, 4)).toEqual({ value: '4', delta: 0, deltaRate: 0, percentage: 25 })
  })
  test('a user alone, and everyone who shares rank 1, stands at 100', () => {
    expect(rankMetric(1, null, 1).percentage).toBe(100)
    expect(rankMetric(1, 1, 2_000).percentage).toBe(100)
  })
  test('the percentile lies above 0 and at most at 100, and a better rank never has a lower one', () => {
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
  test('the value is a decimal without trailing zeros, the percentage the share of the top score', () => {
    expect(influenceScoreMetric('120.500000', '100.000000', '482.000000')).toEqual({
      value: '120.5',
      delta: 21,
      deltaRate: 0.205,
      percentage: 25,
    })
  })
  test('deltas round half away from zero', () => {
    expect(influenceScoreMetric('2.500000', '1.000000', '10.000000').delta).toBe(2)
    expect(influenceScoreMetric('1.000000', '2.500000', '10.000000').delta).toBe(-2)
    expect(Object.is(influenceScoreMetric('1.000000', '1.400000', '10.000000').delta, 0)).toBe(true)
  })
  test('scores beyond 2^53 millionths are written exactly', () => {
    expect(influenceScoreMetric('99999999999999.999999', null, '99999999999999.999999')).toEqual({
      value: '99999999999999.999999',
      delta: 0,
      deltaRate: 0,
      percentage: 100,
    })
  })
  test('a delta beyond 32 bits stays at the limit', () => {
    expect(influenceScoreMetric('99999999999999.000000', '0.000001', '99999999999999').delta).toBe(2_147_483_647)
    expect(influenceScoreMetric('0', '99999999999999.000000', '1').delta).toBe(-2_147_483_647)
  })
  test('a score that was 0, and a board whose top score is 0, have no rate', () => {
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
  test('it is signed, its rate is a fraction and its percentage the same in percent', () => {
    expect(changeMetric('90.250000', '95.000000')).toEqual({
      value: '-4.75',
      delta: -5,
      deltaRate: -0.05,
      percentage: -5,
    })
    expect(changeMetric('110.000000', '100.000000')).toEqual({ value: '10', delta: 10, deltaRate: 0.1, percentage: 10 })
  })
  test('without a score at the beginning of the period everything is 0', () => {
    expect(changeMetric('90.250000', null)).toEqual({ value: '0', delta: 0, deltaRate: 0, percentage: 0 })
  })
  test('from a score of 0 there is a change but no rate', () => {
    expect(changeMetric('0.000001', '0.000000')).toEqual({ value: '0.000001', delta: 0, deltaRate: 0, percentage: 0 })
  })
  test('score then + value = score now, exactly', () => {
    const score = fc.bigInt({ min: 0n, max: 99_999_999_999_999_999_999n })
    fc.assert(
      fc.property(score, score, (now, then) => {
        expect(exact(changeMetric(numeric(now), numeric(then)).value) + then).toBe(now)
      }),
    )
  })
})

test('all figures of a row come from that row and its board', () => {
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

/** As PostgreSQL writes numeric(20, 6). */
function numeric(amount: bigint): string {
  return `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, '0')}`
}

function exact(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const magnitude = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return text.startsWith('-') ? -magnitude : magnitude
}
