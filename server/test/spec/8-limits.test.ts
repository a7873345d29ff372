import { afterAll, expect, test } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { ask, firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())

test('8.1 MUST accept exactly the daily requests of the plan per UTC day, then return QUOTA_EXCEEDED (429)', async () => {
  world.clock.set('2026-11-21T12:00:00Z')
  const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 25 })
  const outcomes = []
  for (let i = 0; i < 30; i++) outcomes.push((await ask(world.url, '{ __typename }', { token })).status)
  expect(outcomes).toEqual([...Array<number>(25).fill(200), ...Array<number>(5).fill(429)])
  const refused = await ask(world.url, '{ __typename }', { token })
  expect(firstError(refused)).toBe('QUOTA_EXCEEDED 429 API quota exceeded: daily limit reached')
  expect(refused.headers.get('retry-after')).toBe(String((12 * HOUR) / 1000))
  world.clock.advance(12 * HOUR - 1)
  expect((await ask(world.url, '{ __typename }', { token })).status).toBe(429)
  world.clock.advance(1)
  expect((await ask(world.url, '{ __typename }', { token })).status).toBe(200)
})

test('8.1 MUST apply the plan free to a token without a plan: 10 requests a second, 1,000 a day', async () => {
  const plans = await world.database.query(`SELECT per_second, per_day FROM plans WHERE plan = 'free'`)
  expect(plans).toEqual([{ per_second: 10, per_day: 1000 }])
})

test('8.3 MUST NOT enforce the guidance: it accepts polling, paging without a wait and repeated queries', async () => {
  const question =
    '{ starboard(id: "1") { leaderboard { totalCount } } spaceLoyaltyPointsRanks(spaceId: 40) { totalCount } }'
  for (let i = 0; i < 20; i++) expect((await world.ask(question)).status).toBe(200)
  world.clock.advance(DAY)
  expect((await world.ask(question)).status).toBe(200)
})
