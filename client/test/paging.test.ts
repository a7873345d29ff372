import { QuestboardError } from '@questboard/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { address, type ClientService, MEMBERS, startCommunity } from './arrange.ts'
import { all, type ObservedClient, observedClient } from './client-of.ts'

let service: ClientService
let questboard: ObservedClient
beforeAll(async () => {
  service = await startCommunity()
})
beforeEach(() => {
  questboard = observedClient(service.clock, { baseUrl: service.url, accessToken: service.personas.business })
})
afterAll(() => service.stop())

test('waits 200 to 500 ms between two pages, at random', async () => {
  const draws = [0, 0.999]
  const { waits, ...client } = observedClient(service.clock, {
    baseUrl: service.url,
    accessToken: service.personas.business,
    random: () => draws.shift() as number,
  })
  await all(client.space(40).members())
  expect(waits).toEqual([200, expect.closeTo(500, 0)])
})

test('allows other waits between pages', async () => {
  const pages = { minimumWaitMs: 1_000, maximumWaitMs: 1_000 }
  const patient = observedClient(service.clock, {
    baseUrl: service.url,
    accessToken: service.personas.business,
    pages,
  })
  await all(patient.space(40).members())
  expect(patient.waits).toEqual([1_000, 1_000])
})

test("subtracts the caller's work on a page from the wait", async () => {
  for await (const page of questboard.space(40).members().pages()) service.clock.advance(page.list.length * 2)
  // The 50 members took 100 of the 350 ms.
  expect(questboard.waits).toEqual([250, 250])
})

test('reads no more pages than the caller consumes', async () => {
  for await (const member of questboard.space(40).members()) if (member.rank === 60) break
  expect(questboard.requests).toHaveLength(2)
})

test('can read a list again, continue after a cursor, and stop after a number of pages', async () => {
  const list = questboard.space(40).members({ maxPages: 1 })
  expect(await all(list)).toHaveLength(50)
  expect(await all(list)).toHaveLength(50)
  const [first] = await all(list.pages())
  const rest = await all(questboard.space(40).members({ after: first?.pageInfo.endCursor }))
  expect(rest.map(({ rank }) => rank)).toEqual(Array.from({ length: MEMBERS - 50 }, (_, n) => n + 51))
})

test('shows the board of the first page while points change', async () => {
  const seen: string[] = []
  for await (const page of questboard.space(40).members({ sprintId: null, fresh: true }).pages()) {
    seen.push(...page.list.map((rank) => rank.address?.address ?? ''))
    const last = address(MEMBERS - seen.length / 50)
    await importRecords(service.deps, 'points', [{ spaceId: 40, address: last, points: 50_000 + seen.length }])
  }
  expect(seen).toEqual(Array.from({ length: MEMBERS }, (_, n) => address(n + 1)))
})

test('findRank finds an address in any spelling', async () => {
  const search = await questboard.space(40).findRank(`EVM:${address(125).toUpperCase().replace('X', 'x')}`)
  expect(search).toMatchObject({ found: true, member: { address: { address: address(125) } }, pagesRead: 3 })
  const early = await questboard.space(40).findRank(address(9))
  expect(early).toMatchObject({ found: true, pagesRead: 1 })
})

test('findRank reports whether the address is absent or the page limit was reached', async () => {
  expect(await questboard.space(40).findRank(address(999))).toEqual({ found: false, complete: true, pagesRead: 3 })
  expect(await questboard.space(40).findRank(address(999), { maxPages: 2 })).toEqual({
    found: false,
    complete: false,
    pagesRead: 2,
  })
  const capped = observedClient(service.clock, {
    baseUrl: service.url,
    accessToken: service.personas.business,
    pages: { searchPages: 1 },
  })
  expect(await capped.space(40).findRank(address(999))).toMatchObject({ complete: false, pagesRead: 1 })
})

test('findRank reads at most 100 pages by default', async () => {
  let page = 0
  const endless = observedClient(service.clock, { baseUrl: service.url }, async () => {
    const pageInfo = { hasNextPage: true, endCursor: `cursor ${++page}` }
    return Response.json({ data: { space: { loyaltyPointsRanks: { totalCount: 9, pageInfo, list: [] } } } })
  })
  expect(await endless.space(40).findRank(address(1))).toEqual({ found: false, complete: false, pagesRead: 100 })
})

test('throws an error if the cursor does not advance', async () => {
  const pageInfo = { hasNextPage: true, endCursor: 'always the same' }
  const stuck = observedClient(service.clock, { baseUrl: service.url }, async () =>
    Response.json({ data: { space: { loyaltyPointsRanks: { totalCount: 9, pageInfo, list: [] } } } }),
  )
  const failure = await all(stuck.space(40).members()).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(QuestboardError)
  expect(failure).toMatchObject({ code: 'INVALID_RESPONSE' })
})

test('aborts the wait between two pages', async () => {
  const abort = new AbortController()
  const read = async () => {
    for await (const page of questboard.space(40).members({ signal: abort.signal }).pages())
      abort.abort(new Error(`enough after ${page.list.length}`))
  }
  await expect(read()).rejects.toThrow('enough after 50')
  expect(questboard.requests).toHaveLength(1)
})
