import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  test('basicInfo answers what the starboard is about', async () => {
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

  test('leaderboard answers the page that was asked for', async () => {
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

  test('users goes through the whole ranking', async () => {
    const users = await all(questboard.starboard(STARBOARD).users())
    expect(users.map(({ rank }) => Number(rank.value))).toEqual(Array.from({ length: USERS }, (_, n) => n + 1))
  })

  test('user answers one user by handle, and null when the starboard does not track the handle', async () => {
    expect((await questboard.starboard(STARBOARD).user('@USER3'))?.rank.value).toBe('3')
    expect(await questboard.starboard(STARBOARD).user('nobody')).toBeNull()
  })

  test('twitterHandleByEvmAddress and userDetail answer the user behind an address, or null', async () => {
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
  test('info answers name and description', async () => {
    expect(await questboard.space('40').info()).toEqual({ id: '40', name: 'Forty', description: 'The fortieth' })
  })

  test('loyaltyPointsRanks answers a page, the one after a cursor, and the one before it', async () => {
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

  test('the root field answers the same page', async () => {
    const first = await questboard.spaceLoyaltyPointsRanks({ spaceId: 40 })
    const again = await questboard.space(40).loyaltyPointsRanks()
    expect(first.list).toEqual(again.list)
    const second = await questboard.spaceLoyaltyPointsRanks({ spaceId: 40, cursorAfter: first.pageInfo.endCursor })
    expect(second.list[0]?.rank).toBe(51)
  })

  test('members goes through the whole board, or one sprint', async () => {
    const members = await all(questboard.space(40).members())
    expect(members.map(({ rank }) => rank)).toEqual(Array.from({ length: MEMBERS }, (_, n) => n + 1))
    const sprint = await all(questboard.space(40).members({ sprintId: 2 }))
    expect(sprint).toMatchObject([{ rank: 1, points: 9, address: { address: address(3) } }])
  })
})

describe('credentials', () => {
  test('info answers every field of the specification', async () => {
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

  test('eligible says whether an address holds the credential, also in the context of a quest', async () => {
    const credential = questboard.credential(CREDENTIAL)
    expect(await credential.eligible(HOLDER)).toBe(true)
    expect(await credential.eligible(address(2))).toBe(false)
    expect(await credential.eligible(HOLDER, { campaignId: 'GCquest002' })).toBe(true)
    await expect(credential.eligible(HOLDER, { campaignId: 'GCnone' })).rejects.toThrow('Quest not found')
  })

  test('eligibilityOf asks about 100 addresses in a request, and answers for each as it was given', async () => {
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

  test('eligibility says with it whether the answer is reliable', async () => {
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

  test('an id that a number cannot hold is refused before anything is sent', () => {
    expect(() => questboard.credential(123456789012345680)).toThrow(TypeError)
    expect(() => questboard.space(1.5)).toThrow(TypeError)
  })
})

describe('quests', () => {
  test('info answers every field of the specification', async () => {
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

  test('credentialGroups answers conditions and rewards for one address', async () => {
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

  test('quests goes through all that pass the filter', async () => {
    const quests = await all(questboard.quests({ spaceId: 40 }))
    expect(new Set(quests.map(({ id }) => id)).size).toBe(QUESTS)
    const points = await all(questboard.quests({ spaceId: 40, types: ['Points'], statuses: ['Active'] }))
    expect(points).toHaveLength(22)
    expect(await all(questboard.quests({ statuses: ['Expired'] }))).toMatchObject([{ id: 'GCquest001' }])
  })

  test('questPage answers one page and the one after it', async () => {
    const first = await questboard.questPage({ spaceId: 40, first: 2 })
    expect(first).toMatchObject({ totalCount: QUESTS, list: [{ id: 'GCquest001' }, { id: 'GCquest002' }] })
    const second = await questboard.questPage({ spaceId: 40, first: 2, after: first.pageInfo.endCursor })
    expect(second.list[0]?.id).toBe('GCquest003')
  })
})

describe('any document', () => {
  test('query sends it with its variables and answers its data', async () => {
    const { space } = await questboard.query('query ($id: Int!) { space(id: $id) { name } }', { id: 40 })
    expect(space?.name).toBe('Forty')
  })

  test('query runs the operation that is named', async () => {
    const document = 'query A { space(id: 40) { name } } query B { space(id: 40) { id } }'
    expect(await questboard.query<object>(document, {}, { operationName: 'B' })).toEqual({ space: { id: '40' } })
  })

  test('query takes a document that carries its types', async () => {
    const document = { toString: () => '{ space(id: 40) { id } }' } as {
      toString(): string
      __apiType?: (variables: Record<never, never>) => { space: { id: string } }
    }
    const { space } = await questboard.query(document)
    expect(space.id).toBe('40')
  })
})
