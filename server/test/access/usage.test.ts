import { afterAll, expect, test } from 'vitest'
import { LATENCY_BOUNDS } from '../../src/access/latency.ts'
import { readUsage } from '../../src/access/usage.queries.ts'
import { DAY, HOUR } from '../../src/clock.ts'
import { ask } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const world = await startWorld()
afterAll(() => world.stop())

/** The usage of a token, after its instance has written all counts. */
async function usageAfter(tokenId: string, work: (url: string) => Promise<void>) {
  const service = await startService({ database: world.database, clock: world.clock })
  await work(service.url)
  await service.stop()
  const rows = await readUsage(world.database.kysely, tokenId, '2026-01-01')
  return rows.map(({ day, operation, status, requests }) => [day, operation, status, requests])
}

test('counts requests by token, day, operation and status', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 7 })
  const rows = await usageAfter(tokenId, async (url) => {
    const send = (query: string) => ask(url, query, { token })
    await send('{ space(id: 40) { name } }')
    await send('query Again { renamed: space(id: 41) { id } }')
    await send('{ space(id: 40) { loyaltyPointsRanks { totalCount } } quests(input: {}) { totalCount } }')
    await send('{ credential(id: "500") { eligible(address: "x") } }')
    await send('{ nothing }')
    await send('{')
    await send('{ __typename }')
    await send('{ __typename }')
  })
  expect(rows).toEqual([
    ['2026-11-21', '(refused)', 400, 2],
    ['2026-11-21', '(refused)', 429, 1],
    ['2026-11-21', '__typename', 200, 1],
    ['2026-11-21', 'credential.eligible', 200, 1],
    ['2026-11-21', 'quests space.loyaltyPointsRanks', 200, 1],
    ['2026-11-21', 'space', 200, 2],
  ])
})

test('adds the counts of several instances, and begins a new row each day', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 100 })
  const twice = async (url: string) => {
    for (let i = 0; i < 2; i++) await ask(url, '{ space(id: 40) { id } }', { token })
  }
  await usageAfter(tokenId, twice)
  expect(await usageAfter(tokenId, twice)).toEqual([['2026-11-21', 'space', 200, 4]])
  world.clock.advance(DAY - 12 * HOUR)
  expect(await usageAfter(tokenId, twice)).toEqual([
    ['2026-11-22', 'space', 200, 2],
    ['2026-11-21', 'space', 200, 4],
  ])
})

test('does not count requests without a known token', async () => {
  const count = () => world.database.query(`SELECT count(*) FROM token_usage`)
  const service = await startService({ database: world.database, clock: world.clock })
  const before = await count()
  await ask(service.url, '{ space(id: 40) { id } }')
  await ask(service.url, '{ space(id: 40) { id } }', { token: world.personas.revoked })
  await service.stop()
  expect(await count()).toEqual(before)
})

test('adds the durations of several instances, by range', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: null })
  const once = async (url: string) => void (await ask(url, '{ space(id: 40) { id } }', { token }))
  await usageAfter(tokenId, once)
  await usageAfter(tokenId, once)
  const [{ latencies, requests } = { latencies: [], requests: 0 }] = await readUsage(
    world.database.kysely,
    tokenId,
    '2026-01-01',
  )
  expect(requests).toBe(2)
  expect(latencies).toHaveLength(LATENCY_BOUNDS.length + 1)
  expect(latencies.reduce((a, b) => a + b, 0)).toBe(2)
})
