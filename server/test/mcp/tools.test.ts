import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  ALICE_MAIN,
  BIG_ID,
  evmAddress,
  HOLDER_OF_BOTH,
  HOLDER_OF_ONE,
  MAIN_QUEST,
  NOBODY,
  startWorld,
} from '../support/fixture.ts'
import { callTool, connectMcp } from '../support/mcp.ts'
import { giveAwards } from '../support/awards.ts'

const world = await startWorld()
let client: Client
beforeAll(async () => {
  client = await connectMcp(world.url, world.personas.business)
})
afterAll(async () => {
  await client.close()
  await world.stop()
})

const NODE = `rank { value delta } influenceScore { value delta deltaRate percentage } change24H { value deltaRate }
  change7D { value deltaRate } change30D { value deltaRate } xUserProfile { username followersCount verifiedType }`
const QUEST = `id name type status description startTime endTime cap participantsCount loyaltyPoints gasType chain
  space { id name }`

/** Each tool with arguments, and the query that gives the same. */
const same: [name: string, args: Record<string, unknown>, query: string][] = [
  ['get_space', { spaceId: 40 }, '{ space(id: 40) { id name description sprints { id name startTime endTime } } }'],
  [
    'list_space_ranking',
    { spaceId: 40, sprintId: 1 },
    `{ space(id: 40) { loyaltyPointsRanks(sprintId: 1) {
      totalCount pageInfo { hasNextPage endCursor } list { rank points address { username address avatar } } } } }`,
  ],
  [
    'get_space_rank',
    { spaceId: 40, address: evmAddress(77) },
    `{ space(id: 40) { addressLoyaltyPoints(address: "${evmAddress(77)}") { rank points address totalCount percentile } } }`,
  ],
  [
    'list_points_history',
    { spaceId: 41, address: evmAddress(900) },
    `{ space(id: 41) { addressLoyaltyPointsHistory(address: "${evmAddress(900)}", first: 20) {
      pageInfo { hasNextPage endCursor } list { amount balance time sprintId source reason key } } } }`,
  ],
  [
    'get_starboard',
    { id: '1' },
    `{ starboard(id: 1) { basicInfo { id name projectName description tags type
      reward { name description startTime endTime } } } }`,
  ],
  [
    'list_starboard_ranking',
    { id: '1', first: 3 },
    `{ starboard(id: 1) { leaderboard(pagination: { forward: { first: 3 } }) {
      totalCount pageInfo { hasNextPage endCursor } edges { node { ${NODE} } } } } }`,
  ],
  [
    'get_starboard_user',
    { id: '1', handle: '@alice_a' },
    `{ starboard(id: 1) { leaderboard(twitterId: "alice_a", pagination: { forward: { first: 1 } }) {
      edges { node { ${NODE} } } } } }`,
  ],
  [
    'find_handle_of_address',
    { id: '1', evmAddress: ALICE_MAIN },
    `{ starboard(id: 1) { twitterHandleByEvmAddress(evmAddress: "${ALICE_MAIN}") {
      evmAddress mainAddress twitterHandle isPublic } } }`,
  ],
  [
    'get_starboard_address',
    { id: '1', evmAddress: ALICE_MAIN },
    `{ starboard(id: 1) { userDetail(evmAddress: "${ALICE_MAIN}") {
      starboardId twitterHandle individual aura isPublic } } }`,
  ],
  [
    'get_credential',
    { id: BIG_ID },
    `{ credential(id: "${BIG_ID}") { id name description credType credSource chain referenceLink itemCount
      lastUpdate lastSync syncStatus curatorSpace { id name } } }`,
  ],
  [
    'check_credential',
    { id: '501', address: HOLDER_OF_ONE },
    `{ credential(id: 501) { id name syncStatus eligible(address: "${HOLDER_OF_ONE}") } }`,
  ],
  ['get_quest', { id: MAIN_QUEST }, `{ quest(id: "${MAIN_QUEST}") { ${QUEST} } }`],
  [
    'list_quests',
    { spaceId: '41', statuses: ['Active'], types: ['Drop'], order: 'OPEN_FIRST', first: 4 },
    `{ quests(input: { spaceId: 41, statuses: [Active], types: [Drop], order: OPEN_FIRST, first: 4 }) {
      totalCount pageInfo { hasNextPage endCursor } list { ${QUEST} } } }`,
  ],
  [
    'check_quest',
    { id: MAIN_QUEST, address: HOLDER_OF_BOTH },
    `{ quest(id: "${MAIN_QUEST}") { id name status credentialGroups(address: "${HOLDER_OF_BOTH}") {
      id name conditionRelation conditions { expression eligible }
      rewards { expression eligible rewardType rewardCount } } } }`,
  ],
]

test.each(same)('%s returns the data of its query, as structured content and as text', async (name, args, query) => {
  const { errors, data } = await world.ask(query)
  expect(errors).toBeUndefined()
  const result = await callTool(client, name, args)
  expect(result.isError).toBeUndefined()
  expect(result.structuredContent).toEqual(data)
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }])
})

test('the table of this file has every tool but the search', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    [...same.map(([name]) => name), 'search_manual'].toSorted(byListed(tools)),
  )
})

const byListed = (tools: { name: string }[]) => (a: string, b: string) =>
  tools.findIndex(({ name }) => name === a) - tools.findIndex(({ name }) => name === b)

test('the list has a title, a description, and schemas of input and output of each tool, and marks it as one that only reads', async () => {
  const { tools } = await client.listTools()
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z_]{5,40}$/)
    expect(title).toMatch(/^[A-Z]/)
    expect(description?.length).toBeGreaterThan(40)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    for (const property of Object.values(inputSchema.properties ?? {}))
      expect(property, name).toMatchObject({ description: expect.any(String) as string })
    expect(outputSchema).toMatchObject({ type: 'object', required: expect.any(Array) as string[] })
    expect(annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
  }
})

test('pages of a list continue with the cursor', async () => {
  const seen: unknown[] = []
  let cursorAfter: string | undefined
  do {
    const { structuredContent } = await callTool(client, 'list_space_ranking', { spaceId: 40, cursorAfter })
    const { loyaltyPointsRanks: page } = structuredContent?.space as {
      loyaltyPointsRanks: { list: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
    }
    seen.push(...page.list)
    cursorAfter = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined
  } while (cursorAfter !== undefined)
  expect(seen).toHaveLength(130)
})

test('a member that is not on the board has no rank', async () => {
  const { structuredContent } = await callTool(client, 'get_space_rank', { spaceId: 40, address: NOBODY })
  expect(structuredContent).toEqual({ space: { addressLoyaltyPoints: null } })
})

test('the ledger names the reason of a change only to the owner of the space', async () => {
  const address = evmAddress(990)
  await world.database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: 43, address, points: 12 }], world.clock))
  const historyFor = async (token: string) => {
    const own = await connectMcp(world.url, token)
    const { structuredContent } = await callTool(own, 'list_points_history', { spaceId: 43, address })
    await own.close()
    return structuredContent
  }
  const [owner, other] = [await historyFor(world.personas.owner), await historyFor(world.personas.business)]
  const change = (source: unknown) => ({
    space: { addressLoyaltyPointsHistory: { list: [expect.objectContaining({ amount: 12, balance: 12, source })] } },
  })
  expect(owner).toMatchObject(change('award'))
  expect(other).toMatchObject(change(null))
})

describe('errors', () => {
  test.each([
    ['get_space', { spaceId: 999 }, 'Space not found\ncode: NOT_FOUND'],
    ['get_starboard', { id: 'none' }, 'Starboard not found\ncode: NOT_FOUND'],
    ['get_starboard_user', { id: '1', handle: 'nobody' }, 'Twitter user not found\ncode: NOT_FOUND'],
    [
      'list_space_ranking',
      { spaceId: 40, cursorAfter: 'x' },
      'Invalid cursor\ncode: INVALID_ARGUMENT\nreason: not a cursor',
    ],
    ['list_quests', { statuses: ['Done'] }, 'Invalid status filter\ncode: INVALID_ARGUMENT\nvalue: Done\nallowed: '],
    ['get_quest', { id: 'GCprivate1' }, 'Quest is private\ncode: PERMISSION_DENIED'],
    ['check_credential', { id: '501', address: '' }, 'Address not provided\ncode: INVALID_ARGUMENT'],
    [
      'get_space',
      {},
      'The arguments of the tool are not valid\ncode: INVALID_ARGUMENT\nspaceId: Invalid input: expected number, received undefined',
    ],
    ['get_space', { spaceId: 40, spaceid: 40 }, 'arguments: Unrecognized key: "spaceid"'],
    ['get_space', { spaceId: '40; DROP TABLE spaces' }, 'spaceId: Invalid input: expected number, received string'],
    ['list_starboard_ranking', { id: '1', first: 101 }, 'first: Too big: expected number to be <=100'],
  ])('%s with %j fails with the text of the query', async (name, args, text) => {
    const result = await callTool(client, name, args)
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(result.content[0]?.text).toContain(text)
  })

  test.each(['delete_everything', 'constructor', '__proto__', ''])('the tool "%s" does not exist', async (name) => {
    await expect(callTool(client, name)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`Tool ${name} not found`) as string,
    })
  })

  test('a token without an area gets the error of the area', async () => {
    const limited = await connectMcp(world.url, world.personas.spacesOnly)
    const { content, isError } = await callTool(limited, 'get_quest', { id: MAIN_QUEST })
    expect([isError, content[0]?.text]).toEqual([
      true,
      'This access token may not read the area "quest"\ncode: PERMISSION_DENIED\narea: quest\nallowed: space',
    ])
    expect((await callTool(limited, 'get_space', { spaceId: 40 })).isError).toBeUndefined()
    await limited.close()
  })
})
