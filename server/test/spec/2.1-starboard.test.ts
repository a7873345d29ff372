import { afterAll, expect, test } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { firstError } from '../support/ask.ts'
import {
  ALICE_MAIN,
  ALICE_SECOND,
  HIDDEN,
  NOBODY,
  NOW,
  RANKED_USERS,
  SILENT,
  startWorld,
  unix,
} from '../support/fixture.ts'
import { enumValues, fieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

const starboard = async (selection: string, id = '1') => {
  const { data, errors } = await world.ask<{ starboard: Record<string, never> | null }>(
    `query ($id: ID!) { starboard(id: $id) { ${selection} } }`,
    { id },
  )
  return { starboard: data.starboard, error: firstError({ errors }) }
}

const METRIC = '{ value delta deltaRate percentage }'
const userNamed = async (twitterId: string, selection: string): Promise<unknown> => {
  const found = await starboard(
    `leaderboard(twitterId: "${twitterId}", pagination: { forward: { first: 1 } }) { edges { node { ${selection} } } }`,
  )
  const { edges } = found.starboard?.leaderboard as unknown as { edges: { node: unknown }[] }
  return edges[0]?.node
}

test('2.1.1 MUST return starboard(id), or null and an error for an unknown id', async () => {
  expect((await starboard('basicInfo { id }')).starboard).toEqual({ basicInfo: { id: '1' } })
  expect(await starboard('basicInfo { id }', 'nope')).toEqual({
    starboard: null,
    error: 'NOT_FOUND 404 Starboard not found',
  })
})

test('2.1.2 MUST return all fields of basicInfo', async () => {
  const { starboard: found } = await starboard(
    'basicInfo { id name projectName description tags type reward { name } }',
  )
  expect(found?.basicInfo).toEqual({
    id: '1',
    name: 'Voices of Aurora',
    projectName: 'Aurora',
    description: 'Who is heard.',
    tags: ['social', 'defi'],
    type: 'TWITTER',
    reward: { name: 'Autumn pool' },
  })
  expect(await fieldTypes(world, 'StarboardBasicInfo')).toEqual({
    id: 'ID!',
    name: 'String!',
    projectName: 'String!',
    description: 'String!',
    tags: '[String!]!',
    type: 'StarboardType!',
    reward: 'StarboardReward',
  })
})

test('2.1.3 MUST return TWITTER or ONCHAIN as type', async () => {
  expect((await starboard('basicInfo { type }')).starboard).toEqual({ basicInfo: { type: 'TWITTER' } })
  expect((await starboard('basicInfo { type }', 'onchain')).starboard).toEqual({ basicInfo: { type: 'ONCHAIN' } })
  expect(await enumValues(world, 'StarboardType')).toEqual(['TWITTER', 'ONCHAIN'])
})

test('2.1.4 MUST return the reward, or null without a reward', async () => {
  const selection = 'basicInfo { reward { name description startTime endTime } }'
  expect((await starboard(selection)).starboard?.basicInfo).toEqual({
    reward: {
      name: 'Autumn pool',
      description: '10,000 AUR',
      startTime: unix(NOW - 20 * DAY),
      endTime: unix(NOW + 10 * DAY),
    },
  })
  expect((await starboard(selection, 'onchain')).starboard?.basicInfo).toEqual({ reward: null })
})

test('2.1.5 MUST return the leaderboard as pageInfo and edges[].node, best first', async () => {
  const { starboard: found } = await starboard(
    'leaderboard { totalCount pageInfo { hasNextPage endCursor } edges { node { xUserProfile { username } rank { value } } } }',
  )
  const { totalCount, pageInfo, edges } = found?.leaderboard as unknown as {
    totalCount: number
    pageInfo: { hasNextPage: boolean; endCursor: string }
    edges: { node: { xUserProfile: { username: string }; rank: { value: string } } }[]
  }
  expect(totalCount).toBe(RANKED_USERS)
  expect(pageInfo).toEqual({ hasNextPage: true, endCursor: expect.stringMatching(/^.{1,200}$/) as string })
  expect(edges).toHaveLength(50)
  expect(edges.slice(0, 7).map(({ node }) => [node.rank.value, node.xUserProfile.username])).toEqual([
    ['1', 'Alice_A'],
    ['2', 'bob'],
    ['3', 'City_Hall'],
    ['4', 'hidden'],
    ['5', 'user_4'],
    ['5', 'user_5'],
    ['7', 'user_6'],
  ])
})

test('2.1.5 MUST return an empty leaderboard before the first ranking', async () => {
  const { starboard: found } = await starboard(
    'leaderboard { totalCount pageInfo { hasNextPage endCursor } edges { cursor } }',
    'unranked',
  )
  expect(found?.leaderboard).toEqual({ totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, edges: [] })
})

test.each(['alice_a', 'ALICE_A', '@Alice_A', ' alice_a '])(
  '2.1.6 MUST restrict the leaderboard to the user with the handle %j',
  async (twitterId) => {
    expect(await userNamed(twitterId, 'rank { value } xUserProfile { username }')).toEqual({
      rank: { value: '1' },
      xUserProfile: { username: 'Alice_A' },
    })
  },
)

test('2.1.6 MUST return no edges and an error for a user who is not tracked', async () => {
  for (const twitterId of ['stranger', 'silent', 'not a handle']) {
    const found = await starboard(
      `leaderboard(twitterId: "${twitterId}") { totalCount pageInfo { hasNextPage } edges { cursor } }`,
    )
    expect(found.error).toBe('NOT_FOUND 404 Twitter user not found')
    expect(found.starboard?.leaderboard).toEqual({ totalCount: 0, pageInfo: { hasNextPage: false }, edges: [] })
  }
})

test('2.1.7 MUST return the profile of a user', async () => {
  const selection = 'xUserProfile { id name username profileImageUrl followersCount verifiedType }'
  expect(await userNamed('alice_a', selection)).toEqual({
    xUserProfile: {
      id: '1001',
      name: 'Alice',
      username: 'Alice_A',
      profileImageUrl: 'https://img.example/alice.png',
      followersCount: 12_345,
      verifiedType: 'blue',
    },
  })
  expect(await userNamed('user_7', selection)).toEqual({
    xUserProfile: {
      id: '',
      name: 'user_7',
      username: 'user_7',
      profileImageUrl: '',
      followersCount: 0,
      verifiedType: 'none',
    },
  })
})

test('2.1.8 MUST return one of four kinds of verification', async () => {
  expect(await enumValues(world, 'VerifiedType')).toEqual(['blue', 'business', 'government', 'none'])
  const kindOf = async (handle: string) =>
    ((await userNamed(handle, 'xUserProfile { verifiedType }')) as { xUserProfile: { verifiedType: string } })
      .xUserProfile.verifiedType
  expect(await Promise.all(['alice_a', 'bob', 'city_hall', 'hidden'].map(kindOf))).toEqual([
    'blue',
    'business',
    'government',
    'none',
  ])
})

test('2.1.9 MUST return the rank and its change since the previous ranking; a negative change is an improvement', async () => {
  expect(await userNamed('alice_a', `rank ${METRIC}`)).toEqual({
    rank: { value: '1', delta: -1, deltaRate: -0.5, percentage: 100 },
  })
  expect(await userNamed('bob', `rank ${METRIC}`)).toEqual({
    rank: { value: '2', delta: 1, deltaRate: 1, percentage: 98.333333 },
  })
})

test('2.1.10 MUST return the influence score and its share of the top score', async () => {
  expect(await userNamed('alice_a', `influenceScore ${METRIC}`)).toEqual({
    influenceScore: { value: '1000', delta: 50, deltaRate: 0.052632, percentage: 100 },
  })
  expect(await userNamed('bob', `influenceScore ${METRIC}`)).toEqual({
    influenceScore: { value: '980.5', delta: 21, deltaRate: 0.021354, percentage: 98.05 },
  })
})

test('2.1.11 MUST return the trends of 24 hours, 7 days and 30 days', async () => {
  const trends = 'change24H { value deltaRate } change7D { value deltaRate } change30D { value deltaRate }'
  expect(await userNamed('alice_a', trends)).toEqual({
    change24H: { value: '100', deltaRate: 0.111111 },
    change7D: { value: '200', deltaRate: 0.25 },
    change30D: { value: '600', deltaRate: 1.5 },
  })
  expect(await userNamed('city_hall', trends)).toEqual({
    change24H: { value: '0', deltaRate: 0 },
    change7D: { value: '0', deltaRate: 0 },
    change30D: { value: '0', deltaRate: 0 },
  })
})

test('2.1.12 MUST use one type for all metrics, with four non-null fields', async () => {
  expect(await fieldTypes(world, 'StarboardMetricValue')).toEqual({
    value: 'String!',
    delta: 'Int!',
    deltaRate: 'Float!',
    percentage: 'Float!',
  })
  const { xUserProfile, ...metrics } = await fieldTypes(world, 'StarboardLeaderboardNode')
  expect(xUserProfile).toBe('XUserProfile!')
  expect(metrics).toEqual(
    Object.fromEntries(
      ['rank', 'influenceScore', 'change24H', 'change7D', 'change30D'].map((name) => [name, 'StarboardMetricValue!']),
    ),
  )
})

test('2.1.13 MUST return the handle of an address in any spelling', async () => {
  const selection = (address: string) =>
    `twitterHandleByEvmAddress(evmAddress: "${address}") { evmAddress mainAddress twitterHandle isPublic }`
  const alice = { mainAddress: ALICE_MAIN, twitterHandle: 'Alice_A', isPublic: true }
  const found = async (address: string) => (await starboard(selection(address))).starboard?.twitterHandleByEvmAddress
  expect(await found(ALICE_MAIN)).toEqual({ ...alice, evmAddress: ALICE_MAIN })
  expect(await found(ALICE_SECOND)).toEqual({ ...alice, evmAddress: ALICE_SECOND })
  expect(await found(`EVM:${ALICE_SECOND.toUpperCase().replace('0X', '0x')}`)).toEqual({
    ...alice,
    evmAddress: ALICE_SECOND,
  })
  expect(await found(HIDDEN)).toEqual({ evmAddress: HIDDEN, mainAddress: HIDDEN, twitterHandle: '', isPublic: false })
  expect(await fieldTypes(world, 'TwitterHandleByEvmAddress')).toEqual({
    evmAddress: 'String!',
    mainAddress: 'String!',
    twitterHandle: 'String!',
    isPublic: 'Boolean!',
  })
})

test('2.1.14 MUST return the scores of an address', async () => {
  const found = async (address: string) =>
    (await starboard(`userDetail(evmAddress: "${address}") { starboardId twitterHandle individual aura isPublic }`))
      .starboard?.userDetail
  expect(await found(ALICE_SECOND)).toEqual({
    starboardId: '1',
    twitterHandle: 'Alice_A',
    individual: 640,
    aura: 360,
    isPublic: true,
  })
  expect(await found(HIDDEN)).toEqual({ starboardId: '1', twitterHandle: '', individual: 0, aura: 0, isPublic: false })
  expect(await fieldTypes(world, 'StarboardUserDetail')).toEqual({
    starboardId: 'String!',
    twitterHandle: 'String!',
    individual: 'Int!',
    aura: 'Int!',
    isPublic: 'Boolean!',
  })
})

test.each([
  ['nobody linked', NOBODY],
  ['is linked to a user without a score', SILENT],
])('2.1.14 MUST return null and an error for an address that %s', async (_, address) => {
  for (const field of ['userDetail', 'twitterHandleByEvmAddress'])
    expect(await starboard(`${field}(evmAddress: "${address}") { twitterHandle }`)).toEqual({
      starboard: { [field]: null },
      error: 'NOT_FOUND 404 Twitter user not found',
    })
})

test.each(['0x12', 'not an address'])('2.1.14 MUST reject the malformed address %j in every field', async (address) => {
  for (const field of ['userDetail', 'twitterHandleByEvmAddress'])
    expect((await starboard(`${field}(evmAddress: "${address}") { twitterHandle }`)).error).toMatch(/Invalid address/)
})
