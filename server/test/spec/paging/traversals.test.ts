import { afterAll, expect, test } from 'vitest'
import { AwardLog } from '../../../../bench/truth/award-log.ts'
import type { AroundPage, RankedMember } from '../../../../bench/load/member-ranks.ts'
import { disagreements, sampleRanks } from '../../../../bench/truth/rank-samples.ts'
import { readBackwards, readForwards } from '../../../../bench/truth/read-board.ts'
import { mistakesOf, NO_MISTAKES, type Traversal } from '../../../../bench/truth/traversal.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { giveAwards } from '../../support/awards.ts'
import { ask } from '../../support/ask.ts'
import { activeQuests, evmAddress, RANKED_USERS, startWorld } from '../../support/fixture.ts'
import { startService, type TestService } from '../../support/service.ts'

const SPACE = 42
const SPRINT = 7
const MEMBERS = 500
const PAGE = 20

const world = await startWorld()
const another = () => startService({ database: world.database, clock: world.clock })
/** Two more instances on the same database; the tests replace them while they read. */
let instances: TestService[] = [await another(), await another()]
afterAll(async () => {
  for (const instance of instances) await instance.stop()
  await world.stop()
})
async function restart(): Promise<void> {
  const [gone, ...others] = instances
  instances = others
  await gone?.stop()
  instances = [...others, await another()]
}

const token = world.personas.business
const endpoints = () => instances.map(({ url }) => ({ url, token }))

const first = Array.from({ length: MEMBERS }, (_, n) => ({ address: evmAddress(5_000 + n), points: (n * 37) % 90 }))
await importRecords(world, 'sprints', [{ spaceId: SPACE, sprintId: SPRINT }])
await importRecords(
  world,
  'points',
  [undefined, SPRINT].flatMap((sprintId) => first.map((member) => ({ spaceId: SPACE, sprintId, ...member }))),
)

test('returns one version of a board in both directions during awards, with pages from changing instances', async () => {
  const [overall, sprint] = [new AwardLog(first), new AwardLog(first)]
  let reading = true
  const writing = (async () => {
    for (let n = 0; reading; n++) {
      const batch = Array.from({ length: 20 }, (_, i) => ({
        address: evmAddress(5_000 + ((n * 61 + i * 17) % (MEMBERS + 40))),
        points: ((n * 7 + i * 3) % 41) - 20,
        sprintId: i % 2 === 0 ? SPRINT : undefined,
      }))
      overall.send(batch)
      sprint.send(batch.filter(({ sprintId }) => sprintId !== undefined))
      await world.database.kysely.transaction().execute((trx) =>
        giveAwards(
          trx,
          batch.map((award) => ({ spaceId: SPACE, ...award })),
          world.clock,
        ),
      )
      overall.acknowledge()
      sprint.acknowledge()
    }
  })()
  const ofSpace = { endpoints, spaceId: SPACE, log: overall }
  const ofSprint = { endpoints, spaceId: SPACE, sprintId: SPRINT, log: sprint }
  const stop = new AbortController()
  const draw = () => evmAddress(5_000 + Math.floor(Math.random() * (MEMBERS + 80)))
  const ranks = [ofSpace, ofSprint].map((of) => sampleRanks({ ...of, draw }, stop.signal))
  const check = (traversals: Traversal[], log: AwardLog) =>
    expect(traversals.map((traversal) => mistakesOf(traversal, log))).toEqual(traversals.map(() => NO_MISTAKES))
  check(await Promise.all([readForwards(ofSpace, PAGE), readBackwards(ofSpace, PAGE)]), overall)
  check(await Promise.all([readForwards(ofSprint, PAGE), readBackwards(ofSprint, PAGE)]), sprint)
  const [walk] = await Promise.all([readForwards(ofSpace, PAGE), restart()])
  const [back] = await Promise.all([readBackwards(ofSprint, PAGE), restart()])
  stop.abort()
  const [overallRanks = [], sprintRanks = []] = await Promise.all(ranks)
  reading = false
  await writing
  check([walk], overall)
  check([back], sprint)
  expect([disagreements(overallRanks, overall), disagreements(sprintRanks, sprint)]).toEqual([0, 0])
  expect(overall.acknowledged).toBeGreaterThan(10)
})

test('finds ranks, totals and pages that no board has', () => {
  const log = new AwardLog([
    { address: 'a', points: 9 },
    { address: 'b', points: 5 },
    { address: 'c', points: 5 },
  ])
  log.send([{ address: 'c', points: 1 }])
  log.acknowledge()
  log.send([{ address: 'd', points: 7 }])
  const shown = (rank: number, points: number, totalCount = 3) => ({ rank, points, totalCount })
  const found = (members: [string, RankedMember][], page?: AroundPage, [from, to] = [0, 2]) =>
    disagreements([{ from: from ?? 0, to: to ?? 2, members: new Map(members), page }], log)
  expect(found([['c', shown(2, 5)]])).toBe(0)
  expect(found([['c', shown(2, 6)]])).toBe(0)
  expect(found([['c', shown(3, 6, 4)]])).toBe(0)
  expect(found([['d', null]])).toBe(0)
  expect(found([['c', shown(3, 6)]])).toBe(1)
  expect(found([['c', shown(2, 5)]], undefined, [1, 2])).toBe(1)
  expect(found([['a', null]])).toBe(1)
  expect(found([['d', shown(2, 7, 4)]], undefined, [0, 1])).toBe(1)
  // Each of them is right at a time, but at different times.
  expect(
    found([
      ['c', shown(2, 5)],
      ['d', shown(2, 7, 4)],
    ]),
  ).toBe(1)
  const page = (...list: [string, number, number][]) => ({
    totalCount: 3,
    list: list.map(([address, rank, points]) => ({ address, rank, points })),
  })
  expect(found([], page(['b', 2, 5], ['c', 2, 5]))).toBe(0)
  expect(found([], page(['c', 2, 6], ['b', 3, 5]))).toBe(0)
  expect(found([], page(['c', 2, 6], ['b', 2, 5]))).toBe(1)
  expect(found([], page(['a', 1, 9], ['c', 2, 5]))).toBe(1)
  expect(found([], { ...page(['a', 1, 9]), totalCount: 5 })).toBe(1)
})

/** Reads a list to its end, each page from the next instance, and calls `afterPage` after each page. */
async function walk<Item>(
  readPage: (url: string, after: string | null) => Promise<{ items: Item[]; next: string | null; totalCount: number }>,
  afterPage: (page: number) => Promise<unknown>,
): Promise<{ items: Item[]; totals: Set<number> }> {
  const items: Item[] = []
  const totals = new Set<number>()
  for (let after: string | null = null, page = 0; ; page++) {
    const read = await readPage((instances[page % 2] as TestService).url, after)
    items.push(...read.items)
    totals.add(read.totalCount)
    if (read.next === null) return { items, totals }
    after = read.next
    await afterPage(page)
    if (page === 2) await restart()
  }
}

test('returns one ranking of a starboard with pages from changing instances', async () => {
  const readPage = async (url: string, after: string | null, size = 8) => {
    const { data } = await ask<{
      starboard: {
        leaderboard: {
          totalCount: number
          pageInfo: { hasNextPage: boolean; endCursor: string }
          edges: { node: unknown }[]
        }
      }
    }>(
      url,
      `query ($first: Int!, $after: String) { starboard(id: "1") { leaderboard(pagination: { forward: { first: $first, after: $after } }) {
         totalCount pageInfo { hasNextPage endCursor }
         edges { node { rank { value delta } influenceScore { value } change24H { value } xUserProfile { username } } } } } }`,
      { token, variables: { first: size, after } },
    )
    const { edges, pageInfo, totalCount } = data.starboard.leaderboard
    return { items: edges, next: pageInfo.hasNextPage ? pageInfo.endCursor : null, totalCount }
  }
  const atFirst = (await readPage(world.url, null, 1_000)).items
  const { items, totals } = await walk(readPage, async (page) => {
    world.clock.advance(1_000)
    const sampledAt = new Date(world.clock.now())
    await importRecords(world, 'samples', [
      { starboardId: '1', handle: `user_${30 + page}`, sampledAt, score: 9_000 + page },
    ])
    expect(await refreshStarboard(world, '1')).toMatchObject({ published: true })
  })
  expect(items).toEqual(atFirst)
  expect(totals).toEqual(new Set([RANKED_USERS]))
})

test('returns one list of quests with pages from changing instances', async () => {
  const readPage = async (url: string, after: string | null, size = 4) => {
    const { data } = await ask<{
      quests: { totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string }; list: { id: string }[] }
    }>(
      url,
      `query ($first: Int, $after: String) { quests(input: { spaceId: "41", statuses: [Active], first: $first, after: $after }) {
         totalCount pageInfo { hasNextPage endCursor } list { id status type } } }`,
      { token, variables: { first: size, after } },
    )
    const { list, pageInfo, totalCount } = data.quests
    return { items: list, next: pageInfo.hasNextPage ? pageInfo.endCursor : null, totalCount }
  }
  const atFirst = (await readPage(world.url, null, 100)).items
  const { items, totals } = await walk(readPage, (page) =>
    importRecords(world, 'quests', [
      { ...(activeQuests[29 - page] as (typeof activeQuests)[number]), status: 'Expired' },
      { id: `GCcomes${page}`, spaceId: 41, name: 'New', type: 'Drop', status: 'Active' },
    ]),
  )
  expect(items).toEqual(atFirst)
  expect(totals).toEqual(new Set([activeQuests.length]))
})
