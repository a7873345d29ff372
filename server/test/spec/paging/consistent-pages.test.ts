import { afterAll, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { Award } from '../../../src/ranking/boards.ts'
import { sweepBoards } from '../../../src/ranking/boards-sweep.ts'
import { sweepQuestListings } from '../../../src/ranking/quests/listing.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { sweepRankings } from '../../../src/ranking/starboards/sweep.ts'
import { giveAwards } from '../../support/awards.ts'
import { expectedStandings, PAGE, type RanksPage, readAll, standings } from '../../support/boards.ts'
import { activeQuests, evmAddress, type Member, members, RANKED_USERS, startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const page = async (variables: Record<string, unknown>) => {
  const { data, errors } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
    `query ($first: Int, $cursorAfter: String, $cursorBefore: String) {
       space(id: 40) { loyaltyPointsRanks(first: $first, cursorAfter: $cursorAfter, cursorBefore: $cursorBefore) { ${PAGE} } }
     }`,
    variables,
  )
  expect(errors).toBeUndefined()
  return data.space.loyaltyPointsRanks
}

const now = new Map(members.map(({ address, points }): [string, Member] => [address, { address, points }]))
const award = async (awards: Omit<Award, 'spaceId'>[]) => {
  await world.database.kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      awards.map((one) => ({ spaceId: 40, ...one })),
      world.clock,
    ),
  )
  for (const { address, points } of awards)
    now.set(address, { address, points: (now.get(address)?.points ?? 0) + points })
}
const standingsNow = () => expectedStandings([...now.values()])

/** Awards that move members past the cursor in both directions and add new ones. */
const movingAwards = (round: number) => [
  { address: evmAddress(120 - round), points: 200_000 },
  { address: evmAddress(round), points: -150_000 },
  { address: evmAddress(1_000 + round), points: 99_750 },
  { address: evmAddress(60), points: round % 2 === 0 ? 500 : -500 },
]

test('shows the board of the first page to a reader who pages forwards during awards', async () => {
  const atFirst = standingsNow()
  const seen = []
  let round = 0
  for (let cursorAfter: string | null = null; ;) {
    const { list, pageInfo, totalCount } = await page({ first: 7, cursorAfter })
    expect(totalCount).toBe(atFirst.length)
    seen.push(...standings(list))
    if (!pageInfo.hasNextPage) break
    cursorAfter = pageInfo.endCursor
    await award(movingAwards(round++))
    world.clock.advance(MINUTE / 2)
  }
  expect(seen).toEqual(atFirst)
  expect(standings((await page({ first: 1_000 })).list)).toEqual(standingsNow())
})

test('shows the same board to a reader who pages backwards', async () => {
  const atFirst = standingsNow()
  const last = await page({ first: 100 })
  const seen = standings(last.list.slice(-1))
  await award(movingAwards(30))
  for (let cursorBefore = last.pageInfo.endCursor; ;) {
    const { list, pageInfo } = await page({ first: 6, cursorBefore })
    seen.unshift(...standings(list))
    if (!pageInfo.hasPreviousPage) break
    cursorBefore = pageInfo.startCursor
    await award(movingAwards(31 + seen.length))
  }
  expect(seen).toEqual(atFirst.slice(0, 100))
})

test('shows each of two readers the board of their first page', async () => {
  const [boardA, firstA] = [standingsNow(), await page({ first: 10 })]
  await award(movingAwards(50))
  const [boardB, firstB] = [standingsNow(), await page({ first: 10 })]
  await award(movingAwards(51))
  const restA = await page({ first: 1_000, cursorAfter: firstA.pageInfo.endCursor })
  const restB = await page({ first: 1_000, cursorAfter: firstB.pageInfo.endCursor })
  expect(standings([...firstA.list, ...restA.list])).toEqual(boardA)
  expect(standings([...firstB.list, ...restB.list])).toEqual(boardB)
})

test('keeps the board of a cursor that is 29 minutes old when it deletes old entries', async () => {
  const board = standingsNow()
  const first = await page({ first: 10 })
  for (let round = 60; round < 90; round++) {
    await award(movingAwards(round))
    world.clock.advance(MINUTE - 2_000)
    await sweepBoards(world.database.kysely, world.clock.now(), world.clock)
  }
  const rest = await page({ first: 1_000, cursorAfter: first.pageInfo.endCursor })
  expect(standings([...first.list, ...rest.list])).toEqual(board)
})

test('returns consistent pages during concurrent awards', async () => {
  let landing = true
  const awards = (async () => {
    for (let round = 0; landing; round++) await award([{ address: evmAddress(round % 130), points: 1 + (round % 7) }])
  })()
  const walks = []
  for (let walk = 0; walk < 3; walk++) walks.push(await readAll((cursorAfter) => page({ first: 20, cursorAfter })))
  landing = false
  await awards
  for (const pages of walks) {
    const seen = standings(pages.flatMap(({ list }) => list))
    expect(new Set(pages.map(({ totalCount }) => totalCount))).toEqual(new Set([seen.length]))
    expect(seen).toEqual(expectedStandings(seen))
  }
})

test('finds the next page across large gaps of points, also after members moved', async () => {
  const deps = { database: world.database, clock: world.clock }
  const heights = [2_147_483_647, 1_000_000_000, 5, -2_000_000_000, -2_147_483_648]
  const board = heights.flatMap((points, n) => Array.from({ length: 6 }, (_, i) => ({ address: `m${n}-${i}`, points })))
  const set = (all: { address: string; points: number }[]) =>
    importRecords(
      deps,
      'points',
      all.map((one) => ({ spaceId: 77, ...one })),
    )
  await importRecords(deps, 'spaces', [{ spaceId: 77, name: 'Heights' }])
  await set(board)
  const pageOf77 = async (variables: Record<string, unknown>) => {
    const { data } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
      `query ($cursorAfter: String, $cursorBefore: String) {
         space(id: 77) { loyaltyPointsRanks(first: 4, cursorAfter: $cursorAfter, cursorBefore: $cursorBefore) { ${PAGE} } }
       }`,
      variables,
    )
    return data.space.loyaltyPointsRanks
  }
  const [first, expected] = [await pageOf77({}), expectedStandings(board)]
  const traverse = async () => {
    const rest = await readAll((cursor) => pageOf77({ cursorAfter: cursor ?? first.pageInfo.endCursor }))
    const forwards = [first, ...rest].flatMap(({ list }) => standings(list))
    const backwards = standings(rest.at(-1)?.list ?? [])
    for (let cursorBefore = rest.at(-1)?.pageInfo.startCursor; cursorBefore;) {
      const { list, pageInfo } = await pageOf77({ cursorBefore })
      backwards.unshift(...standings(list))
      cursorBefore = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
    }
    return [forwards, backwards]
  }
  expect(await traverse()).toEqual([expected, expected])
  await set([{ address: 'm0-0', points: 4 }])
  expect(await traverse()).toEqual([expected, expected])
  await set(Array.from({ length: 300 }, (_, n) => ({ address: `new${n}`, points: 6 + 3_000_000 * n })))
  await set(board.map(({ address }) => ({ address, points: 7 })))
  expect(await traverse()).toEqual([expected, expected])
  await set(board.map(({ address }, n) => ({ address, points: n % 2 === 0 ? -2_147_483_648 : 2_147_483_647 })))
  expect(await traverse()).toEqual([expected, expected])
})

interface BoardPage {
  totalCount: number
  pageInfo: { hasNextPage: boolean; endCursor: string }
  edges: { node: { rank: { value: string }; influenceScore: { value: string }; xUserProfile: { username: string } } }[]
}
const leaderboard = async (first: number, after: string | null) => {
  const { data } = await world.ask<{ starboard: { leaderboard: BoardPage } }>(
    `query ($first: Int!, $after: String) { starboard(id: "1") { leaderboard(pagination: { forward: { first: $first, after: $after } }) {
       totalCount pageInfo { hasNextPage endCursor } edges { node { rank { value } influenceScore { value } xUserProfile { username } } } } } }`,
    { first, after },
  )
  return data.starboard.leaderboard
}

test('shows one ranking of a starboard to a reader during refreshes', async () => {
  const atFirst = (await leaderboard(1_000, null)).edges
  const seen: BoardPage['edges'] = []
  for (let after: string | null = null, round = 0; ; round++) {
    const { edges, pageInfo, totalCount } = await leaderboard(9, after)
    expect(totalCount).toBe(RANKED_USERS)
    seen.push(...edges)
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
    world.clock.advance(MINUTE)
    const sampledAt = new Date(world.clock.now())
    await importRecords(world, 'samples', [
      { starboardId: '1', handle: `user_${20 + round}`, sampledAt, score: 5_000 + round },
      { starboardId: '1', handle: `latecomer_${round}`, sampledAt, score: 800 },
    ])
    expect(await refreshStarboard(world, '1')).toMatchObject({ published: true })
    await sweepRankings(world.database.kysely, world.clock.now())
  }
  expect(seen).toEqual(atFirst)
  expect((await leaderboard(1_000, null)).edges).not.toEqual(atFirst)
})

interface QuestsPage {
  totalCount: number
  pageInfo: { hasNextPage: boolean; endCursor: string }
  list: { id: string; status: string; type: string }[]
}
const active = async (first: number, after: string | null) => {
  const { data } = await world.ask<{ quests: QuestsPage }>(
    `query ($first: Int, $after: String) { quests(input: { spaceId: "41", statuses: [Active], first: $first, after: $after }) {
       totalCount pageInfo { hasNextPage endCursor } list { id status type } } }`,
    { first, after },
  )
  return data.quests
}

test('shows the list of the first page to a reader of quests during changes', async () => {
  const atFirst = (await active(100, null)).list
  expect(atFirst).toHaveLength(activeQuests.length)
  const seen: QuestsPage['list'] = []
  for (let after: string | null = null, round = 0; ; round++) {
    const { list, pageInfo, totalCount } = await active(4, after)
    expect(totalCount).toBe(atFirst.length)
    seen.push(...list)
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
    world.clock.advance(MINUTE)
    const quest = (index: number) => ({ ...(activeQuests[index] as (typeof activeQuests)[number]) })
    await importRecords(world, 'quests', [
      { ...quest(29 - round), status: 'Expired' },
      { ...quest(round), status: 'CapReached' },
      { ...quest(15), type: round % 2 === 0 ? 'Airdrop' : 'Drop', createdAt: new Date(world.clock.now() - HOUR) },
      { id: `GCnew${round}`, spaceId: 41, name: 'New', type: 'Drop', status: 'Active' },
    ])
    await sweepQuestListings(world.database.kysely, world.clock.now())
  }
  expect(seen).toEqual(atFirst)
  const later = (await active(100, null)).list
  expect(later.map(({ id }) => id)).not.toContain('GCactive00')
  expect(later.map(({ id }) => id)).toContain('GCnew0')
})

test('omits a quest that was hidden after the first page, and still returns the quests after it', async () => {
  const bounty = (n: number) =>
    ({ id: `GCbounty${n}`, spaceId: 41, name: 'Hunt', type: 'Bounty', status: 'Active' }) as const
  const createdAt = (n: number) => new Date(world.clock.now() - n * MINUTE)
  await importRecords(
    world,
    'quests',
    [1, 2, 3, 4, 5].map((n) => ({ ...bounty(n), createdAt: createdAt(n) })),
  )
  const page = async (first: number, after: string | null) => {
    const { data } = await world.ask<{ quests: QuestsPage & { list: { name: string }[] } }>(
      `query ($first: Int, $after: String) { quests(input: { spaceId: "41", types: [Bounty], first: $first, after: $after }) {
         totalCount pageInfo { hasNextPage endCursor } list { id name status } } }`,
      { first, after },
    )
    return data.quests
  }
  const first = await page(1, null)
  await importRecords(world, 'quests', [
    { ...bounty(2), isPrivate: true, name: 'Secret' },
    { ...bounty(3), status: 'Deleted' },
    { ...bounty(4), status: 'Draft' },
  ])
  const second = await page(3, first.pageInfo.endCursor)
  expect(second).toMatchObject({ totalCount: 5, list: [], pageInfo: { hasNextPage: true } })
  const last = await page(3, second.pageInfo.endCursor)
  expect(last.list).toEqual([{ id: 'GCbounty5', name: 'Hunt', status: 'Active' }])
  expect(last.pageInfo.hasNextPage).toBe(false)
  expect(await page(5, null)).toMatchObject({ totalCount: 2, list: [{ id: 'GCbounty1' }, { id: 'GCbounty5' }] })
})
