import { afterAll, expect, test } from 'vitest'
import { ALICE_MAIN, HOLDER_OF_BOTH, MAIN_QUEST, members, RANKED_USERS, startWorld } from '../support/fixture.ts'
import { inputFieldTypes } from '../support/introspect.ts'

// Every row of the table, with operation names and variables of the declared types, as in documents of integrators.

const world = await startWorld()
afterAll(() => world.stop())

const answer = async (query: string, variables: Record<string, unknown>) => {
  const { status, data, errors } = await world.ask(query, variables)
  expect({ status, errors }).toEqual({ status: 200, errors: undefined })
  return data
}

test('4.2.1 MUST return the basic info of a starboard', async () => {
  const query = `query StarboardInfo($id: ID!) {
    starboard(id: $id) { basicInfo { id name projectName description tags type reward { name description startTime endTime } } }
  }`
  expect(await answer(query, { id: '1' })).toMatchObject({ starboard: { basicInfo: { id: '1', type: 'TWITTER' } } })
})

const LEADERBOARD = `query Leaderboard($id: ID!, $first: Int!, $after: String) {
  starboard(id: $id) {
    leaderboard(pagination: { forward: { first: $first, after: $after } }) {
      pageInfo { hasNextPage endCursor }
      edges { node {
        xUserProfile { username followersCount verifiedType }
        rank { value delta deltaRate percentage }
        influenceScore { value delta deltaRate percentage }
        change24H { value deltaRate }
        change7D { value deltaRate }
        change30D { value deltaRate }
      } }
    }
  }
}`

test('4.2.2 MUST return a page of a leaderboard', async () => {
  expect(await answer(LEADERBOARD, { id: '1', first: 2 })).toMatchObject({
    starboard: {
      leaderboard: {
        pageInfo: { hasNextPage: true },
        edges: [
          { node: { xUserProfile: { username: 'Alice_A' }, rank: { value: '1' } } },
          { node: { xUserProfile: { username: 'bob' }, rank: { value: '2' } } },
        ],
      },
    },
  })
})

test('4.2.2 MUST accept the pagination as one variable of the type PaginationInput', async () => {
  const query = `query Leaderboard($id: ID!, $pagination: PaginationInput) {
    starboard(id: $id) { leaderboard(pagination: $pagination) { totalCount edges { cursor } } }
  }`
  const { starboard } = (await answer(query, { id: '1', pagination: { forward: { first: 3 } } })) as {
    starboard: { leaderboard: { totalCount: number; edges: unknown[] } }
  }
  expect(starboard.leaderboard.totalCount).toBe(RANKED_USERS)
  expect(starboard.leaderboard.edges).toHaveLength(3)
})

test('4.2.3 MUST return only the requested user', async () => {
  const query = `query UserRank($id: ID!, $twitterId: String!) {
    starboard(id: $id) {
      leaderboard(twitterId: $twitterId, pagination: { forward: { first: 1 } }) {
        edges { node { rank { value delta } influenceScore { value } xUserProfile { username followersCount verifiedType } } }
      }
    }
  }`
  expect(await answer(query, { id: '1', twitterId: 'bob' })).toEqual({
    starboard: {
      leaderboard: {
        edges: [
          {
            node: {
              rank: { value: '2', delta: 1 },
              influenceScore: { value: '980.5' },
              xUserProfile: { username: 'bob', followersCount: 77, verifiedType: 'business' },
            },
          },
        ],
      },
    },
  })
})

test('4.2.4 MUST return the handle of an address', async () => {
  const query = `query Handle($id: ID!, $evmAddress: String!) {
    starboard(id: $id) { twitterHandleByEvmAddress(evmAddress: $evmAddress) { evmAddress mainAddress twitterHandle isPublic } }
  }`
  expect(await answer(query, { id: '1', evmAddress: ALICE_MAIN })).toEqual({
    starboard: {
      twitterHandleByEvmAddress: {
        evmAddress: ALICE_MAIN,
        mainAddress: ALICE_MAIN,
        twitterHandle: 'Alice_A',
        isPublic: true,
      },
    },
  })
})

test('4.2.5 MUST return the detail of a user', async () => {
  const query = `query UserDetail($id: ID!, $evmAddress: String!) {
    starboard(id: $id) { userDetail(evmAddress: $evmAddress) { starboardId twitterHandle individual aura isPublic } }
  }`
  expect(await answer(query, { id: '1', evmAddress: ALICE_MAIN })).toEqual({
    starboard: {
      userDetail: { starboardId: '1', twitterHandle: 'Alice_A', individual: 640, aura: 360, isPublic: true },
    },
  })
})

test('4.2.6 MUST return a space', async () => {
  const query = 'query Space($spaceId: Int!) { space(id: $spaceId) { id name description } }'
  expect(await answer(query, { spaceId: 40 })).toEqual({
    space: { id: '40', name: 'Aurora Guild', description: 'Builders of the northern lights.' },
  })
})

const RANKS = 'totalCount pageInfo { hasNextPage endCursor } list { rank points address { username address avatar } }'

test('4.2.7 MUST return the leaderboard of a space', async () => {
  const query = `query Ranks($spaceId: Int!, $cursorAfter: String, $sprintId: Int) {
    space(id: $spaceId) { id loyaltyPointsRanks(cursorAfter: $cursorAfter, sprintId: $sprintId) { ${RANKS} } }
  }`
  for (const variables of [{ spaceId: 40 }, { spaceId: 40, cursorAfter: null, sprintId: null }])
    expect(await answer(query, variables)).toMatchObject({
      space: { id: '40', loyaltyPointsRanks: { totalCount: members.length, pageInfo: { hasNextPage: true } } },
    })
})

test('4.2.8 MUST return the same shape at root level', async () => {
  const nested = await answer(`{ space(id: 40) { loyaltyPointsRanks(sprintId: 1) { ${RANKS} } } }`, {})
  const query = `query Ranks($spaceId: Int!, $sprintId: Int, $cursorAfter: String) {
    spaceLoyaltyPointsRanks(spaceId: $spaceId, sprintId: $sprintId, cursorAfter: $cursorAfter) { ${RANKS} }
  }`
  const root = await answer(query, { spaceId: 40, sprintId: 1 })
  expect(root.spaceLoyaltyPointsRanks).toEqual((nested.space as { loyaltyPointsRanks: unknown }).loyaltyPointsRanks)
})

test('4.2.9 MUST return a credential', async () => {
  const query = `query Credential($credId: ID!) {
    credential(id: $credId) {
      id name description credType credSource chain referenceLink itemCount lastUpdate lastSync syncStatus
      curatorSpace { id name }
    }
  }`
  expect(await answer(query, { credId: '312969464' })).toMatchObject({
    credential: { id: '312969464', credType: 'TWITTER', credSource: 'TWITTER_FOLLOW', syncStatus: 'SYNCED' },
  })
})

test('4.2.10 MUST return eligible together with other fields of data.credential', async () => {
  const query = `query Eligible($credId: ID!, $address: String!, $campaignId: ID) {
    credential(id: $credId) { id name eligible(address: $address, campaignId: $campaignId) }
  }`
  const variables = { credId: '501', address: HOLDER_OF_BOTH }
  const credential = { id: '501', name: 'Early swapper', eligible: 1 }
  expect(await answer(query, variables)).toEqual({ credential })
  expect(await answer(query, { ...variables, campaignId: MAIN_QUEST })).toEqual({ credential })
})

test('4.2.11 MUST return a quest', async () => {
  const query = `query Quest($id: ID!) {
    quest(id: $id) {
      id name type status description startTime endTime cap participantsCount loyaltyPoints gasType space { id name } chain
    }
  }`
  expect(await answer(query, { id: MAIN_QUEST })).toMatchObject({ quest: { id: MAIN_QUEST, status: 'Active' } })
})

const QUESTS = `query Quests($input: ListQuestInput!) {
  quests(input: $input) { totalCount pageInfo { hasNextPage endCursor } list { id name type status space { id name } } }
}`
interface QuestPage {
  totalCount: number
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  list: { id: string; type: string; status: string; space: { id: string } }[]
}
const questPage = async (input: Record<string, unknown>) => (await answer(QUESTS, { input })).quests as QuestPage

test('4.2.12 MUST return a page of quests', async () => {
  const { totalCount, pageInfo, list } = await questPage({
    spaceId: '41',
    statuses: ['Active'],
    types: ['Drop'],
    first: 4,
  })
  expect(totalCount).toBe(15)
  expect(pageInfo.hasNextPage).toBe(true)
  expect(list.map(({ id }) => id)).toEqual(['GCactive00', 'GCactive02', 'GCactive04', 'GCactive06'])
})

test('4.2.13 MUST return the credential groups of a quest for an address', async () => {
  const query = `query Groups($questId: ID!, $address: String!) {
    quest(id: $questId) {
      credentialGroups(address: $address) {
        id name conditionRelation
        conditions { expression eligible }
        rewards { expression eligible rewardType rewardCount }
      }
    }
  }`
  const data = await answer(query, { questId: MAIN_QUEST, address: HOLDER_OF_BOTH })
  expect(data).toMatchObject({
    quest: { credentialGroups: [{ id: 'all', rewards: [{ eligible: true }, { eligible: true }] }, { id: 'any' }] },
  })
})

test('4.2.14 MUST filter quests by space, statuses and types, each alone and together', async () => {
  expect(await inputFieldTypes(world, 'ListQuestInput')).toEqual({
    spaceId: 'ID',
    statuses: '[QuestStatus!]',
    types: '[QuestType!]',
    order: 'QuestOrder',
    first: 'Int',
    after: 'String',
  })
  const all = (await questPage({ first: 100 })).list
  const same = async (input: Record<string, unknown>, wanted: (quest: QuestPage['list'][number]) => boolean) => {
    const { list, totalCount } = await questPage({ first: 100, ...input })
    expect(list).toEqual(all.filter(wanted))
    expect(totalCount).toBe(list.length)
    return list.length
  }
  expect(await same({ spaceId: '40' }, ({ space }) => space.id === '40')).toBe(6)
  expect(await same({ spaceId: 41 }, ({ space }) => space.id === '41')).toBe(30)
  expect(await same({ spaceId: '999' }, () => false)).toBe(0)
  expect(await same({ statuses: ['Expired', 'CapReached'] }, ({ status }) => /Expired|CapReached/.test(status))).toBe(2)
  expect(await same({ statuses: 'Active' }, ({ status }) => status === 'Active')).toBe(32)
  expect(await same({ types: ['Airdrop', 'Points'] }, ({ type }) => /Airdrop|Points/.test(type))).toBe(2)
  expect(await same({ statuses: [], types: [] }, () => true)).toBe(36)
  expect(await same({ spaceId: null, statuses: null, types: null, after: null }, () => true)).toBe(36)
  expect(
    await same(
      { spaceId: '41', statuses: ['Active'], types: ['ExternalLink'] },
      ({ space, type }) => space.id === '41' && type === 'ExternalLink',
    ),
  ).toBe(15)
})

test('4.2.14 MUST return 20 quests per page by default and at most 100, and continue with after', async () => {
  expect((await questPage({})).list).toHaveLength(20)
  expect((await questPage({ first: 1_000_000 })).list).toHaveLength(36)
  const seen: string[] = []
  for (let after: string | null = null; ;) {
    const { list, pageInfo, totalCount } = await questPage({ first: 7, after })
    expect(totalCount).toBe(36)
    seen.push(...list.map(({ id }) => id))
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  expect(seen).toEqual((await questPage({ first: 100 })).list.map(({ id }) => id))
})
