import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { QuestOrder } from '../src/index.ts'
import {
  address,
  type ClientService,
  CREDENTIAL,
  HOLDER,
  MEMBERS,
  QUESTS,
  STARBOARD,
  startCommunity,
  USERS,
} from './arrange.ts'
import { all, type ObservedClient, observedClient } from './client-of.ts'

const anyNumber: unknown = expect.any(Number)
const anyText: unknown = expect.any(String)

let service: ClientService
let questboard: ObservedClient
beforeAll(async () => {
  service = await startCommunity()
  questboard = observedClient(service.clock, { baseUrl: service.url, accessToken: service.personas.business })
})
afterAll(() => service.stop())

describe('starboards', () => {
  test('basicInfo returns the properties of a starboard', async () => {
    expect(await questboard.starboard(STARBOARD).basicInfo()).toEqual({
      id: STARBOARD,
      name: 'Voices',
      projectName: 'Forty',
      description: '',
      tags: ['first'],
      type: 'TWITTER',
      reward: { name: 'Fame', description: '', startTime: null, endTime: null },
    })
  })

  test('leaderboard returns the requested page', async () => {
    const first = await questboard.starboard(7).leaderboard({ first: 2 })
    expect(first.edges.map(({ node }) => node.xUserProfile.username)).toEqual(['user1', 'user2'])
    expect(first.edges[0]?.node).toEqual({
      xUserProfile: { username: 'user1', followersCount: 12, verifiedType: 'blue' },
      rank: { value: '1', delta: anyNumber, deltaRate: anyNumber, percentage: 100 },
      influenceScore: { value: '1000', delta: anyNumber, deltaRate: anyNumber, percentage: 100 },
      change24H: { value: anyText, deltaRate: anyNumber },
      change7D: { value: anyText, deltaRate: anyNumber },
      change30D: { value: anyText, deltaRate: anyNumber },
    })
    const { endCursor } = first.pageInfo
    const second = await questboard.starboard(7).leaderboard({ first: 1, after: endCursor })
    expect(second.edges[0]?.node.rank.value).toBe('3')
  })

  test('users iterates over the whole ranking', async () => {
    const users = await all(questboard.starboard(STARBOARD).users())
    expect(users.map(({ rank }) => Number(rank.value))).toEqual(Array.from({ length: USERS }, (_, n) => n + 1))
  })

  test('user returns one user by handle, or null if the starboard does not track the handle', async () => {
    expect((await questboard.starboard(STARBOARD).user('@USER3'))?.rank.value).toBe('3')
    expect(await questboard.starboard(STARBOARD).user('nobody')).toBeNull()
  })

  test('twitterHandleByEvmAddress and userDetail return the user of an address, or null', async () => {
    const starboard = questboard.starboard(STARBOARD)
    expect(await starboard.twitterHandleByEvmAddress(HOLDER)).toEqual({
      evmAddress: HOLDER,
      mainAddress: HOLDER,
      twitterHandle: 'user1',
      isPublic: true,
    })
    expect(await starboard.userDetail(HOLDER)).toEqual({
      starboardId: STARBOARD,
      twitterHandle: 'user1',
      individual: 5,
      aura: 7,
      isPublic: true,
    })
    expect(await starboard.twitterHandleByEvmAddress(address(99))).toBeNull()
    expect(await starboard.userDetail(address(99))).toBeNull()
  })
})

describe('spaces', () => {
  test('info returns name and description', async () => {
    expect(await questboard.space('40').info()).toEqual({ id: '40', name: 'Forty', description: 'The fortieth' })
  })

  test('loyaltyPointsRanks returns a page, the page after a cursor, and the page before it', async () => {
    const space = questboard.space(40)
    const first = await space.loyaltyPointsRanks()
    expect(first.totalCount).toBe(MEMBERS)
    expect(first.list[0]).toEqual({
      rank: 1,
      points: 9_990,
      address: { username: 'member1', address: address(1), avatar: '' },
    })
    const second = await space.loyaltyPointsRanks({ cursorAfter: first.pageInfo.endCursor })
    expect(second.list[0]?.rank).toBe(51)
    const before = await space.loyaltyPointsRanks({ cursorBefore: first.pageInfo.endCursor })
    expect(before.list.map(({ rank }) => rank)).toEqual(first.list.slice(0, -1).map(({ rank }) => rank))
    await expect(space.loyaltyPointsRanks({ cursorAfter: 'a', cursorBefore: 'b' })).rejects.toThrow(TypeError)
  })

  test('the root field returns the same page', async () => {
    const first = await questboard.spaceLoyaltyPointsRanks({ spaceId: 40 })
    const again = await questboard.space(40).loyaltyPointsRanks()
    expect(first.list).toEqual(again.list)
    const second = await questboard.spaceLoyaltyPointsRanks({ spaceId: 40, cursorAfter: first.pageInfo.endCursor })
    expect(second.list[0]?.rank).toBe(51)
  })

  test('members iterates over the whole board, or over one sprint', async () => {
    const members = await all(questboard.space(40).members())
    expect(members.map(({ rank }) => rank)).toEqual(Array.from({ length: MEMBERS }, (_, n) => n + 1))
    const sprint = await all(questboard.space(40).members({ sprintId: 2 }))
    expect(sprint).toMatchObject([{ rank: 1, points: 9, address: { address: address(3) } }])
  })
})

describe('members', () => {
  test('rankOf returns the rank of an address in any spelling, or null', async () => {
    const space = questboard.space(40)
    expect(await space.rankOf(`EVM:${address(7).toUpperCase().replace('X', 'x')}`)).toEqual({
      id: `40-0-${address(7)}`,
      points: 9_930,
      rank: 7,
      address: address(7),
      totalCount: MEMBERS,
      percentile: 95.384615,
      version: (await space.pageAround(address(7)))?.version,
    })
    expect(await space.rankOf(address(3), { sprintId: 2 })).toMatchObject({ rank: 1, points: 9, totalCount: 1 })
    expect(await space.rankOf(address(7), { sprintId: 2 })).toBeNull()
    await expect(questboard.space(41).rankOf(address(7))).rejects.toThrow('Space not found')
  })

  test('ranksOf sends 100 addresses per request, and returns a rank or null for each as given', async () => {
    const space = questboard.space(40)
    const addresses = Array.from({ length: MEMBERS + 90 }, (_, n) => address(n + 1))
    const sent = questboard.requests.length
    const ranks = await space.ranksOf([...addresses, address(1)])
    expect(questboard.requests.length - sent).toBe(3)
    expect([...ranks].map(([key, member]) => [key, member?.rank])).toEqual(
      addresses.map((each, n) => [each, n < MEMBERS ? n + 1 : undefined]),
    )
    expect(await space.ranksOf([])).toEqual(new Map())
  })

  test('pageAround returns the page with a member in the middle, whose cursors work, or null', async () => {
    const space = questboard.space(40)
    const page = await space.pageAround(address(60), { first: 5 })
    expect(page).toMatchObject({ totalCount: MEMBERS, pageInfo: { hasNextPage: true, hasPreviousPage: true } })
    expect(page?.edges.map(({ node }) => node.rank)).toEqual([58, 59, 60, 61, 62])
    const next = await space.loyaltyPointsRanks({ cursorAfter: page?.edges[1]?.cursor ?? '' })
    expect(next.list[0]?.rank).toBe(60)
    expect((await space.pageAround(address(1)))?.edges).toHaveLength(50)
    expect(await space.pageAround(address(999))).toBeNull()
    await expect(space.pageAround('')).rejects.toThrow('Address not provided')
  })

  test('sprints returns the sprints of a space', async () => {
    expect(await questboard.space(40).sprints()).toEqual([{ id: 2, name: 'Two', startTime: null, endTime: null }])
  })

  test('pointsHistory iterates over the changes of a member, newest first', async () => {
    const total = (points: number) => importRecords(service.deps, 'points', [{ spaceId: 40, address: 'saver', points }])
    for (let points = 1; points <= 60; points++) await total(points)
    const space = questboard.space(40)
    const history = await all(space.pointsHistory('saver'))
    expect(history.map(({ amount, balance }) => [amount, balance])).toEqual(
      Array.from({ length: 60 }, (_, n) => [1, 60 - n]),
    )
    expect(history[0]).toMatchObject({ sprintId: null, source: null, reason: null, key: null, time: anyNumber })
    expect(await all(space.pointsHistory(address(3), { sprintId: 2 }))).toMatchObject([{ amount: 9, sprintId: 2 }])
    expect(await all(space.pointsHistory('nobody'))).toEqual([])
  })
})

describe('credentials', () => {
  test('info returns every field of the specification', async () => {
    const now = service.clock.now() / 1_000
    const info = await questboard.credential(BigInt(CREDENTIAL)).info()
    expect(info).toEqual({
      id: CREDENTIAL,
      name: 'Early member',
      description: '',
      credType: 'EVM_ADDRESS',
      credSource: 'CSV',
      chain: null,
      referenceLink: '',
      itemCount: 1,
      lastUpdate: anyNumber,
      lastSync: anyNumber,
      syncStatus: 'SYNCED',
      curatorSpace: { id: '40', name: 'Forty' },
    })
    expect(Math.abs(info.lastSync - now)).toBeLessThan(3_600)
  })

  test('eligible returns whether an address holds the credential, also in the context of a quest', async () => {
    const credential = questboard.credential(CREDENTIAL)
    expect(await credential.eligible(HOLDER)).toBe(true)
    expect(await credential.eligible(address(2))).toBe(false)
    expect(await credential.eligible(HOLDER, { campaignId: 'GCquest002' })).toBe(true)
    await expect(credential.eligible(HOLDER, { campaignId: 'GCnone' })).rejects.toThrow('Quest not found')
  })

  test('eligibilityOf sends 100 addresses per request, and returns a result for each as given', async () => {
    const credential = questboard.credential(CREDENTIAL)
    const addresses = [HOLDER, ...Array.from({ length: 229 }, (_, n) => address(n + 1_000)), `EVM:${HOLDER}`]
    const sent = questboard.requests.length
    const answers = await credential.eligibilityOf(addresses)
    expect(questboard.requests.length - sent).toBe(3)
    expect([...answers.keys()]).toEqual(addresses)
    const eligible = [...answers].filter((entry) => entry[1].eligible).map(([each]) => each)
    expect(eligible).toEqual([addresses.at(0), addresses.at(-1)])
    expect(answers.get(HOLDER)).toEqual(await credential.eligibility(HOLDER))
    expect(await credential.eligibilityOf([])).toEqual(new Map())
    await expect(questboard.credential('999').eligibilityOf([HOLDER])).rejects.toThrow('Credential not found')
  })

  test('eligibility also returns whether the result is reliable', async () => {
    expect(await questboard.credential(CREDENTIAL).eligibility(HOLDER)).toEqual({
      eligible: true,
      syncStatus: 'SYNCED',
      reliable: { ok: true, reasons: [] },
    })
    expect(await questboard.credential(2).eligibility(HOLDER)).toMatchObject({
      eligible: false,
      reliable: { ok: false, reasons: [{ code: 'not_synced' }] },
    })
  })

  test('rejects an id that a number cannot represent before sending it', () => {
    expect(() => questboard.credential(123456789012345680)).toThrow(TypeError)
    expect(() => questboard.space(1.5)).toThrow(TypeError)
  })
})

describe('quests', () => {
  test('info returns every field of the specification', async () => {
    const now = service.clock.now() / 1_000
    const info = await questboard.quest('GCquest002').info()
    expect(info).toEqual({
      id: 'GCquest002',
      name: 'Quest 2',
      type: 'Points',
      status: 'Active',
      description: '',
      startTime: anyNumber,
      endTime: anyNumber,
      cap: 100,
      participantsCount: 2,
      loyaltyPoints: 5,
      gasType: 'Gasless',
      space: { id: '40', name: 'Forty' },
      chain: null,
    })
    expect(info.endTime).toBeGreaterThan(now)
  })

  test('credentialGroups returns conditions and rewards for one address', async () => {
    expect(await questboard.quest('GCquest002').credentialGroups(HOLDER)).toEqual([
      {
        id: '1',
        name: 'Members',
        conditionRelation: 'ALL',
        conditions: [{ expression: 'Early member', eligible: true }],
        rewards: [{ expression: '5 points', eligible: true, rewardType: 'LOYALTYPOINTS', rewardCount: 5 }],
      },
    ])
  })

  test('quests iterates over all quests that match the filter', async () => {
    const quests = await all(questboard.quests({ spaceId: 40 }))
    expect(new Set(quests.map(({ id }) => id)).size).toBe(QUESTS)
    const points = await all(questboard.quests({ spaceId: 40, types: ['Points'], statuses: ['Active'] }))
    expect(points).toHaveLength(22)
    const ids = async (order: QuestOrder | null = null) =>
      (await all(questboard.quests({ spaceId: 40, order }))).map(({ id }) => id)
    const [newest, openFirst] = [await ids(), await ids('OPEN_FIRST')]
    expect([newest[0], openFirst.at(-1)]).toEqual(['GCquest001', 'GCquest001'])
    expect(openFirst.slice(0, -1)).toEqual(newest.slice(1))
    expect(await all(questboard.quests({ statuses: ['Expired'] }))).toMatchObject([{ id: 'GCquest001' }])
  })

  test('questPage returns a page and the page after it', async () => {
    const first = await questboard.questPage({ spaceId: 40, first: 2 })
    expect(first).toMatchObject({ totalCount: QUESTS, list: [{ id: 'GCquest001' }, { id: 'GCquest002' }] })
    const second = await questboard.questPage({ spaceId: 40, first: 2, after: first.pageInfo.endCursor })
    expect(second.list[0]?.id).toBe('GCquest003')
  })
})

describe('any document', () => {
  test('query sends it with its variables and returns its data', async () => {
    const { space } = await questboard.query('query ($id: Int!) { space(id: $id) { name } }', { id: 40 })
    expect(space?.name).toBe('Forty')
  })

  test('query runs the named operation', async () => {
    const document = 'query A { space(id: 40) { name } } query B { space(id: 40) { id } }'
    expect(await questboard.query<object>(document, {}, { operationName: 'B' })).toEqual({ space: { id: '40' } })
  })

  test('query accepts a typed document', async () => {
    const document = { toString: () => '{ space(id: 40) { id } }' } as {
      toString(): string
      __apiType?: (variables: Record<never, never>) => { space: { id: string } }
    }
    const { space } = await questboard.query(document)
    expect(space.id).toBe('40')
  })
})
