import { afterAll, expect, test } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { applyEvents } from '../../../src/ranking/awards.ts'
import type { AwardEvent } from '../../../src/ranking/awards.queries.ts'
import { firstError } from '../../support/ask.ts'
import { evmAddress, OWNED_SPACE, startWorld, unix } from '../../support/fixture.ts'
import { BUSINESS_ACCOUNT } from '../../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())

const SPRINT = 5
await importRecords(world, 'sprints', [{ spaceId: OWNED_SPACE, sprintId: SPRINT }])

interface Entry {
  amount: number
  balance: number | null
  time: number
  sprintId: number | null
  source: string | null
  reason: string | null
  key: string | null
}

interface History {
  list: Entry[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
}

const history = async (variables: Record<string, unknown>, persona: 'owner' | 'business' = 'owner') => {
  const answer = await world.ask<{ space: { history: History | null } }>(
    `query ($id: Int!, $address: String!, $sprintId: Int, $first: Int, $after: String, $before: String) {
       space(id: $id) { history: addressLoyaltyPointsHistory(
         address: $address, sprintId: $sprintId, first: $first, cursorAfter: $after, cursorBefore: $before
       ) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
           list { amount balance time sprintId source reason key } } } }`,
    { id: OWNED_SPACE, ...variables },
    persona,
  )
  return { ...answer, history: answer.data.space?.history as History }
}

const award = async (events: Partial<AwardEvent>[]) => {
  world.clock.advance(MINUTE)
  await world.database.kysely.transaction().execute((trx) =>
    applyEvents(
      trx,
      OWNED_SPACE,
      events.map((event) => ({ key: `k${keys++}`, sprintId: 0, address: '', points: 1, ...event })),
      world.clock,
    ),
  )
  return unix(world.clock.now())
}
let keys = 0

const others = { source: null, reason: null, key: null }

test('returns the changes of a board, newest first, with the balance after each', async () => {
  const address = evmAddress(1)
  const first = await award([{ address, points: 10, key: 'welcome', reason: 'Welcome' }])
  const second = await award([
    { address, points: 5, sprintId: SPRINT, key: 'quiz' },
    { address, points: -20, key: 'cheat', source: 'reversal' },
  ])
  await importRecords(world, 'points', [{ spaceId: OWNED_SPACE, address, points: 100 }])
  const overall = [
    { amount: 105, balance: 100, time: second, sprintId: null, source: 'import', reason: null, key: null },
    { amount: -20, balance: -5, time: second, sprintId: null, source: 'reversal', reason: null, key: 'cheat' },
    { amount: 5, balance: 15, time: second, sprintId: SPRINT, source: 'award', reason: null, key: 'quiz' },
    { amount: 10, balance: 10, time: first, sprintId: null, source: 'award', reason: 'Welcome', key: 'welcome' },
  ]
  expect((await history({ address })).history).toEqual({
    list: overall,
    pageInfo: {
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: expect.any(String) as string,
      endCursor: expect.any(String) as string,
    },
  })
  expect((await history({ address, sprintId: SPRINT })).history.list).toEqual([{ ...overall[2], balance: 5 }])
  expect((await history({ address: evmAddress(2) })).history).toEqual({
    list: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
  })
})

test('shows source, reason and key only to tokens of the owner and the admins of the space', async () => {
  const address = evmAddress(3)
  const time = await award([{ address, points: 10, key: 'secret', reason: 'For you' }])
  const own = { amount: 10, balance: 10, time, sprintId: null }
  expect((await history({ address }, 'business')).history.list).toEqual([{ ...own, ...others }])
  expect((await history({ address }, 'owner')).history.list).toEqual([
    { ...own, source: 'award', reason: 'For you', key: 'secret' },
  ])
  const seenAs = async (role: string, spaceId = OWNED_SPACE) => {
    await world.database.query('INSERT INTO space_members VALUES ($1, $2, $3, now())', [
      spaceId,
      BUSINESS_ACCOUNT,
      role,
    ])
    const [entry] = (await history({ address }, 'business')).history.list
    await world.database.query('DELETE FROM space_members')
    return entry?.reason
  }
  expect(await seenAs('admin')).toBe('For you')
  for (const role of ['editor', 'viewer']) expect(await seenAs(role)).toBeNull()
  expect(await seenAs('admin', 40)).toBeNull()
  // This space has no owner.
  const { data } = await world.ask<{ space: { history: History } }>(
    `{ space(id: 41) { history: addressLoyaltyPointsHistory(address: "${evmAddress(900)}") { list { source amount } } } }`,
    {},
    'owner',
  )
  expect(data.space.history.list).toEqual([{ source: null, amount: 7 }])
})

test('pages in both directions, also while new entries arrive', async () => {
  const address = 'collector'
  for (let n = 1; n <= 4; n++) await award([1, 2, 3].map((m) => ({ address, points: 10 * n + m })))
  const amounts = [43, 42, 41, 33, 32, 31, 23, 22, 21, 13, 12, 11]
  const seen: number[] = []
  let page: History
  for (let after: string | null = null; ; after = page.pageInfo.endCursor) {
    page = (await history({ address, first: 5, after })).history
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
    seen.push(...page.list.map(({ amount }) => amount))
    if (!page.pageInfo.hasNextPage) break
    await award([{ address, points: 99 }])
  }
  expect(seen).toEqual(amounts)
  const back: number[] = page.list.map(({ amount }) => amount)
  while (page.pageInfo.hasPreviousPage) {
    page = (await history({ address, first: 5, before: page.pageInfo.startCursor })).history
    expect(page.pageInfo.hasNextPage).toBe(true)
    back.unshift(...page.list.map(({ amount }) => amount))
  }
  expect(back).toEqual([99, 99, ...amounts])
  world.clock.advance(100 * 24 * 60 * MINUTE)
  expect((await history({ address, first: 1, after: page.pageInfo.startCursor })).history.list).toHaveLength(1)
})

test('reads entries of several months', async () => {
  const address = 'veteran'
  const times: number[] = []
  for (let n = 0; n < 3; n++) {
    times.unshift(await award([{ address, points: 1 }]))
    world.clock.advance(40 * 24 * 60 * MINUTE)
  }
  expect((await history({ address })).history.list.map(({ time }) => time)).toEqual(times)
})

test('returns amounts of more than 32 bits exactly', async () => {
  const set = (points: number) =>
    importRecords(world, 'points', [{ spaceId: OWNED_SPACE, address: 'pendulum', points }])
  await set(-2_147_483_648)
  await set(2_147_483_647)
  const { list } = (await history({ address: 'pendulum' })).history
  expect(list.map(({ amount }) => amount)).toEqual([4_294_967_295, -2_147_483_648])
})

test('returns no history of an erased member', async () => {
  const address = evmAddress(4)
  await award([{ address, points: 10 }])
  await eraseAddress(world.deps, address)
  expect((await history({ address })).history.list).toEqual([])
})

test('rejects bad arguments and cursors of other lists', async () => {
  const address = evmAddress(1)
  const { endCursor } = (await history({ address })).history.pageInfo
  const errorOf = async (variables: Record<string, unknown>) => {
    const { history: nothing, errors } = await history({ address, ...variables })
    expect(nothing).toBeNull()
    return [firstError({ errors }), errors?.[0]?.extensions.details?.[0]]
  }
  const CURSOR = 'INVALID_ARGUMENT 400 Invalid cursor'
  expect(await errorOf({ after: 'x' })).toEqual([CURSOR, 'reason: not a cursor of a history of points'])
  expect(await errorOf({ after: endCursor, address: evmAddress(3) })).toEqual([
    CURSOR,
    'reason: a cursor of another member, space or sprint',
  ])
  expect((await errorOf({ after: endCursor, sprintId: SPRINT }))[0]).toBe(CURSOR)
  expect(await errorOf({ after: endCursor, before: endCursor })).toEqual([
    CURSOR,
    'reason: use cursorAfter or cursorBefore, not both',
  ])
  expect((await errorOf({ first: 0 }))[0]).toBe('INVALID_ARGUMENT 400 Invalid pagination')
  expect((await errorOf({ sprintId: 77 }))[0]).toBe('INVALID_ARGUMENT 400 Invalid sprint ID')
  expect((await errorOf({ address: '' }))[0]).toBe('INVALID_ARGUMENT 400 Address not provided')
  expect((await errorOf({ address: 'x'.repeat(91) }))[0]).toBe('INVALID_ARGUMENT 400 Invalid address')
})
