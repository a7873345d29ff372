import { afterAll, beforeEach, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { declaredStatements } from '@questboard/pg-read-pipeline'
import { areValid } from '../../src/graphql/cache-validators.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createRecent } from '../../src/cache/recent-cache.ts'
import { giveAwards } from '../support/awards.ts'
import { firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

// A cursor contains the start of its traversal, so an equal cursor shows that the response came from the cache.
const world = await startWorld()
afterAll(() => world.stop())

const FIRST_PAGE = '{ space(id: 40) { name loyaltyPointsRanks(first: 2) { pageInfo { endCursor } list { points } } } }'
const text = async (query: string, persona?: 'spacesOnly') => (await world.ask(query, {}, persona)).text
/** Sends a query three times, the third time a second after the second. */
async function askedThrice(query: string): Promise<[second: string, third: string]> {
  await text(query)
  const second = await text(query)
  world.clock.advance(SECOND)
  return [second, await text(query)]
}
beforeEach(() => world.clock.advance(MINUTE))

test('returns the same bytes for a repeated query on unchanged data', async () => {
  const [second, third] = await askedThrice(FIRST_PAGE)
  expect(third).toBe(second)
})

test('shows an award in the next response', async () => {
  const [second, third] = await askedThrice(FIRST_PAGE)
  expect(third).toBe(second)
  await world.database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: 40, address: 'somebody-new', points: 9_000_000 }], world.clock))
  expect(await text(FIRST_PAGE)).toContain('"points":9000000')
})

test('refreshes a first page while its cursors have most of their lifetime left', async () => {
  const [second] = await askedThrice(FIRST_PAGE)
  world.clock.advance(10 * MINUTE)
  expect(await text(FIRST_PAGE)).not.toBe(second)
})

test('does not return a cached response to a token without access to the area', async () => {
  const query = '{ credential(id: 312969464) { name } }'
  await askedThrice(query)
  expect(firstError(await world.ask(query, {}, 'spacesOnly'))).toMatch(/^PERMISSION_DENIED 403/)
})

test('gives each cached response a new request id', async () => {
  await askedThrice(FIRST_PAGE)
  const [one, other] = [await world.ask(FIRST_PAGE), await world.ask(FIRST_PAGE)]
  expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
})

test('does not inspect an expired response when the database is unavailable', async () => {
  const gone = openDatabase({ connection: world.database.connection, readConnections: 1, log: silentLog })
  await gone.close()
  const version = {
    statement: declaredStatements().find(({ name }) => name === 'space.version') as never,
    values: [40],
    version: '1',
  }
  expect(await areValid([version, { until: 1 }], gone, 2)).toBe(false)
  await expect(areValid([version], gone, 2)).rejects.toThrow()
})

test('limits memory and evicts the least recently used response', () => {
  const recent = createRecent<string>(100, (_, value) => value.length)
  recent.set('kept', 'x'.repeat(10))
  for (let n = 0; n < 50; n++) {
    recent.set(`passing ${n}`, 'x'.repeat(10))
    expect(recent.get('kept')).toBeDefined()
  }
  const left = Array.from({ length: 50 }, (_, n) => recent.get(`passing ${n}`)).filter((value) => value !== undefined)
  expect(left.length).toBeGreaterThan(0)
  expect(left.length).toBeLessThanOrEqual(10)
})
