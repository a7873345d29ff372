import { DatabaseError, type Pool } from 'pg'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import { createQuota } from '../../src/access/quota.ts'
import { DAY, HOUR, SECOND } from '../../src/clock.ts'
import { silentLog } from '../../src/logging/log.ts'
import { ask, type QueryAnswer } from '../support/ask.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase } from '../support/database.ts'
import { createPersonas, tokenWithLimits } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const INSTANCES = 4
const CLIENTS = 64

const database = await createTestDatabase()
const clock = testClock('2026-11-21T12:00:00.250Z')
const services = await Promise.all(Array.from({ length: INSTANCES }, () => startService({ database, clock })))
const [{ deps, url }] = services as [(typeof services)[number]]
const personas = await createPersonas(deps)
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await database.drop()
})

const send = (token: string, instance = 0) =>
  ask(services[instance % INSTANCES]?.url ?? url, '{ __typename }', { token })

/** Sends requests in rounds from `clients` clients, each time to another instance. */
async function storm(token: string, rounds: number): Promise<QueryAnswer<unknown>[]> {
  const client = async (number: number) => {
    const answers = []
    for (let round = 0; round < rounds; round++) answers.push(await send(token, number + round))
    return answers
  }
  return (await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))).flat()
}
const admitted = (answers: QueryAnswer<unknown>[]) => answers.filter(({ status }) => status === 200).length

test.each([1, 7, 100, 333])(
  'admits exactly the daily limit of %i over four instances and 64 clients',
  async (perDay) => {
    const { token } = await tokenWithLimits(deps, { perSecond: null, perDay })
    const answers = await storm(token, 8)
    expect(answers).toHaveLength(CLIENTS * 8)
    expect(admitted(answers)).toBe(perDay)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
  },
)

test.each([1, 10, 50])(
  'admits exactly the limit of %i per second over four instances and 64 clients',
  async (perSecond) => {
    const { token } = await tokenWithLimits(deps, { perSecond, perDay: null })
    expect(admitted(await storm(token, 3))).toBe(perSecond)
    clock.advance(SECOND)
    expect(admitted(await storm(token, 3))).toBe(perSecond)
  },
)

test('enforces both limits; a request that one limit rejects costs no unit of the day', async () => {
  const { token } = await tokenWithLimits(deps, { perSecond: 5, perDay: 12 })
  const bySecond = []
  for (let second = 0; second < 4; second++) {
    bySecond.push(admitted(await storm(token, 1)))
    clock.advance(SECOND)
  }
  expect(bySecond).toEqual([5, 5, 2, 0])
})

test('returns the unused units of an instance that stops', async () => {
  const { token } = await tokenWithLimits(deps, { perSecond: null, perDay: 80 })
  const short = await startService({ database, clock })
  expect((await ask(short.url, '{ __typename }', { token })).status).toBe(200)
  await short.stop()
  expect(admitted(await storm(token, 2))).toBe(79)
})

test('starts a new window each second; Retry-After has its start', async () => {
  clock.set('2026-11-21T12:00:10.400Z')
  const { token } = await tokenWithLimits(deps, { perSecond: 2, perDay: null })
  await send(token)
  await send(token)
  const refused = await send(token)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  clock.set('2026-11-21T12:00:10.999Z')
  expect((await send(token)).status).toBe(429)
  clock.set('2026-11-21T12:00:11.000Z')
  expect((await send(token)).status).toBe(200)
})

test('starts a new window at midnight UTC; Retry-After has its start', async () => {
  clock.set('2026-11-22T22:59:59.500Z')
  const { token } = await tokenWithLimits(deps, { perSecond: null, perDay: 1 })
  await send(token)
  const refused = await send(token)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(HOUR / SECOND + 1)])
  clock.set('2026-11-22T23:59:59.999Z')
  expect((await send(token)).status).toBe(429)
  clock.set('2026-11-23T00:00:00.000Z')
  expect((await send(token)).status).toBe(200)
})

test('reports the policies and the remaining units in each response (draft-ietf-httpapi-ratelimit-headers)', async () => {
  clock.set('2026-11-23T12:00:00.000Z')
  const { token } = await tokenWithLimits(deps, { perSecond: 8, perDay: 100 })
  const half = DAY / SECOND / 2
  for (const [query, status] of [
    ['{ __typename }', 200],
    ['{ nothing }', 400],
    ['{', 400],
  ] as const) {
    const { headers, ...answer } = await ask(url, query, { token })
    expect(answer.status).toBe(status)
    expect(headers.get('ratelimit-policy')).toBe('"per_second";q=8;w=1, "daily";q=100;w=86400')
    const left = status === 200 ? [7, 99] : query === '{' ? [5, 97] : [6, 98]
    expect(headers.get('ratelimit')).toBe(`"per_second";r=${left[0]};t=1, "daily";r=${left[1]};t=${half}`)
  }
  for (let i = 0; i < 5; i++) await send(token)
  const refused = await send(token)
  expect(refused.headers.get('ratelimit')).toMatch(/^"per_second";r=0;t=1/)
})

test('sends no such headers on a plan without limits, and does not count its requests', async () => {
  const { headers } = await send(personas.business)
  expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM quota_windows q JOIN server_tokens t USING (token_id) WHERE t.plan = 'unlimited'`,
  )
  expect(row?.count).toBe(0)
})

test('does not count requests without a valid token', async () => {
  const { token } = await tokenWithLimits(deps, { perSecond: null, perDay: 1 })
  for (const other of [undefined, 'qbs_x', `${token.slice(0, -1)}_`]) await ask(url, '{ __typename }', { token: other })
  expect((await send(token)).status).toBe(200)
})

test('returns unused units when the token gets another plan', async () => {
  const { tokenId } = await tokenWithLimits(deps, { perSecond: null, perDay: 800 })
  const quota = createQuota(database.pool, clock, silentLog)
  const caller = (perDay: number) => ({ tokenId, accountId: '', areas: [], perSecond: null, perDay })
  const leased = async () => {
    const { rows } = await database.pool.query<{ leased: number }>(
      'SELECT leased::int FROM quota_windows WHERE token_id = $1',
      [tokenId],
    )
    return rows[0]?.leased
  }
  // The first lease is one unit, the second has one to spare.
  for (let spent = 0; spent < 2; spent++) await quota.spend(caller(800))
  await quota.spend(caller(1_600))
  await quota.close()
  await vi.waitFor(async () => expect(await leased()).toBe(3))
})

test('reports the real remaining count on every instance for a caller of moderate speed', async () => {
  clock.set('2026-11-24T12:00:00.000Z')
  const { token } = await tokenWithLimits(deps, { perSecond: null, perDay: 1000 })
  for (let sent = 1; sent <= 12; sent++) {
    const { headers } = await send(token, sent)
    expect(headers.get('ratelimit')).toMatch(`"daily";r=${1000 - sent};`)
    clock.advance(SECOND / 20)
  }
})

/** A process that spends units of a token. */
function spender(caller: Caller) {
  let [granted, unused] = [0, 0]
  const pool = {
    async query(statement: string, values: unknown[]) {
      const answer = await database.pool.query<{ granted?: number }>(statement, values)
      const units = answer.rows[0]?.granted ?? 0
      granted = Math.max(granted, units)
      unused += units
      return answer
    },
  } as unknown as Pool
  const quota = createQuota(pool, clock, silentLog)
  return {
    /** Spends a unit. @returns the reported remaining count */
    async spend() {
      const { ratelimit = '' } = await quota.spend(caller)
      unused--
      return Number(/"daily";r=(\d+)/.exec(ratelimit)?.[1])
    },
    /** The size of its largest lease. */
    granted: () => granted,
    /** The units that it has leased and not spent. */
    unused: () => unused,
    close: () => quota.close(),
  }
}

/** Moves the clock and the fake timers. */
function wait(milliseconds: number): void {
  clock.advance(milliseconds)
  vi.advanceTimersByTime(milliseconds)
}

test('reports counts of two processes that differ from the real one by a lease at most, and only for a second', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  clock.set('2026-11-25T12:00:00.000Z')
  const perDay = 1_000
  const { tokenId } = await tokenWithLimits(deps, { perSecond: null, perDay })
  const caller = { tokenId, accountId: '', areas: [], perSecond: null, perDay }
  const [one, other] = [spender(caller), spender(caller)]
  let before = [perDay, perDay]
  let spent = 0
  while (spent < 80) {
    const reported = await Promise.all([one.spend(), other.spend()])
    spent += 2
    for (const [at, remaining] of reported.entries()) {
      expect(Math.abs(remaining - (perDay - spent))).toBeLessThanOrEqual(Math.max(one.granted(), other.granted()))
      expect(remaining).toBeLessThan(before[at] as number)
    }
    before = reported
  }
  expect(one.unused()).toBeGreaterThan(0)
  expect(other.unused()).toBeGreaterThan(0)
  wait(0.6 * SECOND)
  await one.spend()
  spent += 1
  wait(0.6 * SECOND)
  const leased = () => database.query('SELECT leased::int FROM quota_windows WHERE token_id = $1', [tokenId])
  await expect.poll(leased).toEqual([{ leased: spent }])
  expect(await one.spend()).toBe(perDay - spent - 1)
  await Promise.all([one.close(), other.close()])
})

test('counts a network on after it was idle', async () => {
  const lone = createQuota(database.pool, clock, silentLog)
  const network = { id: '00000000-0000-8000-8000-000000000001', perSecond: null, perDay: 3 }
  const caller = { tokenId: network.id, accountId: '', areas: [], perSecond: null, perDay: null }
  const spend = () => lone.spend({ ...caller, publishable: { spaces: [], network } })
  await spend()
  await spend()
  await vi.waitFor(
    async () => {
      clock.advance(2 * SECOND)
      const [row] = await database.query('SELECT leased::int FROM quota_windows WHERE token_id = $1', [network.id])
      expect(row).toEqual({ leased: 2 })
    },
    { timeout: 60_000 },
  )
  await spend()
  await expect(spend()).rejects.toMatchObject({ details: ['quota_type: network_daily', 'limit: 3'] })
  await lone.close()
})

describe('after the database failed', () => {
  const refused = new DatabaseError('refused', 0, 'error')
  const caller = { tokenId: 'a', accountId: '', areas: [], perSecond: null, perDay: 1_000 }
  const network = { id: 'n', perSecond: null, perDay: 1_000 }

  /** A database that grants all wanted units. `returns` responds to the return of units. */
  function arrange(returns: () => Promise<void> = () => Promise.reject(refused)) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const leases: number[] = []
    let [failing, leased] = [false, 0]
    const pool = {
      async query(statement: string | { values: unknown[] }) {
        if (typeof statement === 'string') return returns()
        const granted = Number(statement.values[4])
        leases.push(granted)
        if (failing) throw refused
        leased += granted
        return { rows: [{ granted, leased }] }
      },
    } as unknown as Pool
    const quota = createQuota(pool, clock, silentLog)
    return {
      quota,
      leases,
      fail: (on: boolean) => void (failing = on),
    }
  }

  test('does not lease more than before', async () => {
    const { quota, leases, fail } = arrange()
    fail(true)
    for (let tries = 0; tries < 3; tries++) await expect(quota.spend(caller)).rejects.toThrow(refused)
    fail(false)
    await quota.spend(caller)
    expect(leases).toEqual([1, 1, 1, 1])
  })

  test('counts units once that were not returned while others were leased', async () => {
    const answer = Promise.withResolvers<void>()
    const { quota } = arrange(() => answer.promise)
    for (let spent = 0; spent < 2; spent++) await quota.spend(caller)
    wait(SECOND)
    wait(SECOND)
    await quota.spend(caller)
    answer.reject(refused)
    await answer.promise.catch(() => undefined)
    expect((await quota.spend(caller)).ratelimit).toContain('r=996;')
  })

  test('spends the units of an idle network that were not returned', async () => {
    const { quota, leases } = arrange()
    const spend = () => quota.spend({ ...caller, perDay: null, publishable: { spaces: [], network } })
    await spend()
    await spend()
    wait(2 * SECOND)
    await new Promise(setImmediate)
    await spend()
    expect(leases).toEqual([1, 2])
  })
})
