import { afterAll, expect, test } from 'vitest'
import { ask, firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { type Personas, tokenWithLimits } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())

const provoke = async (query: string, variables?: Record<string, unknown>, persona?: keyof Personas) =>
  firstError(await world.ask(query, variables, persona))

const NOT_FOUND = 'NOT_FOUND 404'
const INVALID = 'INVALID_ARGUMENT 400'

test('7.3.1 MUST return Starboard not found', async () => {
  expect(await provoke('{ starboard(id: "999") { basicInfo { id } } }')).toBe(`${NOT_FOUND} Starboard not found`)
})

test('7.3.2 MUST return Twitter user not found', async () => {
  for (const field of [
    'leaderboard(twitterId: "stranger") { edges { cursor } }',
    `twitterHandleByEvmAddress(evmAddress: "0x${'0'.repeat(40)}") { twitterHandle }`,
    `userDetail(evmAddress: "0x${'0'.repeat(40)}") { aura }`,
  ])
    expect(await provoke(`{ starboard(id: "1") { ${field} } }`)).toBe(`${NOT_FOUND} Twitter user not found`)
})

test.each([
  '{ forward: { first: 0 } }',
  '{ forward: { first: -5 } }',
  '{ forward: { first: "ten" } }',
  '{ forward: { first: 1.5 } }',
  '{ forward: { first: null } }',
  '{ forward: { } }',
  '{ forward: null }',
  '{ }',
  '{ backward: { last: 1 } }',
  '{ forward: { first: 1, last: 1 } }',
  '{ forward: { first: 1, after: "not-a-cursor" } }',
  '{ forward: { first: 1, after: 5 } }',
  '"first"',
])('7.3.3 MUST return Invalid pagination for %s', async (pagination) => {
  expect(await provoke(`{ starboard(id: "1") { leaderboard(pagination: ${pagination}) { totalCount } } }`)).toBe(
    `${INVALID} Invalid pagination`,
  )
})

test.each([
  { forward: { first: 0 } },
  { forward: { first: 'ten' } },
  { forward: {} },
  { forward: { first: 1, after: 5 } },
  { forward: { first: 1, after: 'AAAA' } },
  {},
  'first',
])('7.3.3 MUST return Invalid pagination for the variable %j', async (pagination) => {
  const query =
    'query ($pagination: PaginationInput!) { starboard(id: "1") { leaderboard(pagination: $pagination) { totalCount } } }'
  expect(await provoke(query, { pagination })).toBe(`${INVALID} Invalid pagination`)
})

test('7.3.4 MUST return Space not found', async () => {
  expect(await provoke('{ space(id: 999) { id } }')).toBe(`${NOT_FOUND} Space not found`)
  expect(await provoke('{ spaceLoyaltyPointsRanks(spaceId: 999) { totalCount } }')).toBe(`${NOT_FOUND} Space not found`)
  expect(await provoke('{ spaceLoyaltyPointsRanks(spaceId: 999, sprintId: 1) { totalCount } }')).toBe(
    `${NOT_FOUND} Space not found`,
  )
})

test.each(['9', '0', '-1', '99999999999', '"one"'])('7.3.5 MUST return Invalid sprint ID for %s', async (sprintId) => {
  for (const query of [
    `{ space(id: 40) { loyaltyPointsRanks(sprintId: ${sprintId}) { totalCount } } }`,
    `{ spaceLoyaltyPointsRanks(spaceId: 40, sprintId: ${sprintId}) { totalCount } }`,
  ])
    expect(await provoke(query)).toBe(`${INVALID} Invalid sprint ID`)
})

test('7.3.5 SHOULD list the allowed values in the details, as for 7.3.8', async () => {
  const details = async (query: string) =>
    (await ask(world.url, query, { token: world.personas.business })).errors?.[0]?.extensions.details
  const ranks = (sprint: string) => `{ spaceLoyaltyPointsRanks(spaceId: 40, sprintId: ${sprint}) { totalCount } }`
  const sprints = 'allowed: the id of a sprint of the space, or null for the overall board'
  expect(await details(ranks('9'))).toEqual(['sprintId: 9', sprints])
  expect(await details(ranks('"one"'))).toEqual([expect.stringMatching(/^reason: .*Int/), sprints])
  for (const argument of ['(address: "")', ''])
    expect(await details(`{ credential(id: "500") { eligible${argument} } }`)).toEqual([
      'argument: address',
      'allowed: an address, not empty',
    ])
})

test.each(['"not-a-cursor"', '"-2"', '"0"', '"eyJpZCI6MX0="', '5', '["a"]'])(
  '7.3.6 MUST return Invalid cursor for %s',
  async (cursor) => {
    for (const query of [
      `{ space(id: 40) { loyaltyPointsRanks(cursorAfter: ${cursor}) { totalCount } } }`,
      `{ space(id: 40) { loyaltyPointsRanks(cursorBefore: ${cursor}) { totalCount } } }`,
      `{ space(id: 40) { loyaltyPointsRanks(after: ${cursor}) { totalCount } } }`,
      `{ spaceLoyaltyPointsRanks(spaceId: 40, cursorAfter: ${cursor}) { totalCount } }`,
      `{ quests(input: { after: ${cursor} }) { totalCount } }`,
    ])
      expect(await provoke(query)).toBe(`${INVALID} Invalid cursor`)
  },
)

test('7.3.7 MUST return Credential not found', async () => {
  expect(await provoke('{ credential(id: "999") { id } }')).toBe(`${NOT_FOUND} Credential not found`)
})

test.each([
  ['eligible', 'address', (args: string) => `{ credential(id: "500") { eligible${args} } }`],
  ['credentialGroups', 'address', (args: string) => `{ quest(id: "GChdWUjXX3") { credentialGroups${args} { id } } }`],
  [
    'twitterHandleByEvmAddress',
    'evmAddress',
    (args: string) => `{ starboard(id: "1") { twitterHandleByEvmAddress${args} { isPublic } } }`,
  ],
  ['userDetail', 'evmAddress', (args: string) => `{ starboard(id: "1") { userDetail${args} { isPublic } } }`],
])('7.3.8 MUST return Address not provided for %s without its %s', async (field, argument, document) => {
  const expected = `${INVALID} Address not provided`
  const withVariable = (type: string) => `query ($who: ${type}) ${document(`(${argument}: $who)`)}`
  expect(await provoke(document(''))).toBe(expected)
  expect(await provoke(document(`(${argument}: null)`))).toBe(expected)
  expect(await provoke(withVariable('String!'))).toBe(expected)
  expect(await provoke(withVariable('String!'), { who: null })).toBe(expected)
  expect(await provoke(withVariable('String = "x"'), { who: null })).toBe(expected)
  // A quest returns groups for an empty address too, but none of them is eligible.
  if (field === 'credentialGroups') return
  expect(await provoke(document(`(${argument}: "")`))).toBe(expected)
  expect(await provoke(withVariable('String!'), { who: '  ' })).toBe(expected)
})

test('7.3.9 MUST return Invalid access token for a wrong or expired token', async () => {
  for (const token of ['wrong', world.personas.expired, world.personas.revoked])
    expect(firstError(await ask(world.url, '{ credential(id: "500") { id } }', { token }))).toMatch(
      /^INVALID_TOKEN 401 Invalid access token: \w+$/,
    )
})

test('7.3.10 MUST return Quest not found', async () => {
  for (const id of ['GCunknown1', 'GCdraft001', 'GCdelete01'])
    expect(await provoke('query ($id: ID!) { quest(id: $id) { id } }', { id })).toBe(`${NOT_FOUND} Quest not found`)
})

test('7.3.11 MUST return Quest is private, unless the account of the token owns the space', async () => {
  const query = '{ quest(id: "GCprivate1") { name } }'
  expect(await provoke(query)).toBe('PERMISSION_DENIED 403 Quest is private')
  const owner = await world.ask(query, {}, 'owner')
  expect(owner.text).toBe('{"data":{"quest":{"name":"Members only"}}}')
})

test.each(['[Open]', 'Open', '["Active"]', '[5]', '[null]', '[active]', '[Active, Open]', 'true'])(
  '7.3.12 MUST return Invalid status filter for %s in the document',
  async (statuses) => {
    const answer = await world.ask(`{ quests(input: { statuses: ${statuses} }) { totalCount } }`)
    expect(firstError(answer)).toBe(`${INVALID} Invalid status filter`)
    expect(answer.errors?.[0]?.extensions.details).toContain(
      'allowed: Draft, Active, NotStarted, Expired, CapReached, Deleted',
    )
  },
)

test.each(['Open', [['Open']], [[5]], [[1e19]], [[null]], [['Active', 'active']], [[{}]]])(
  '7.3.12 MUST return Invalid status filter for the variable %j',
  async (statuses) => {
    const inInput = 'query ($input: ListQuestInput!) { quests(input: $input) { totalCount } }'
    const alone = 'query ($statuses: [QuestStatus!]) { quests(input: { statuses: $statuses }) { totalCount } }'
    expect(await provoke(inInput, { input: { statuses } })).toBe(`${INVALID} Invalid status filter`)
    expect(await provoke(alone, { statuses })).toBe(`${INVALID} Invalid status filter`)
  },
)

test.each(['[Raffle]', '["Raffle"]', '[null]'])(
  '7.3.12 MUST report an invalid quest type in %s like an invalid status',
  async (types) => {
    const inDocument = await world.ask(`{ quests(input: { types: ${types} }) { totalCount } }`)
    const query = 'query ($input: ListQuestInput!) { quests(input: $input) { totalCount } }'
    const inVariables = await world.ask(query, { input: { types: types.match(/\w+/g) } })
    for (const answer of [inDocument, inVariables]) {
      expect(firstError(answer)).toMatch(`${INVALID} Invalid type filter`)
      expect(answer.errors?.[0]?.extensions.details?.at(-1)).toMatch(/^allowed: .*\bBounty\b/)
    }
  },
)

test('7.3.13 MUST return Rate limit exceeded', async () => {
  const { token } = await tokenWithLimits(world.deps, { perSecond: 1, perDay: null })
  await ask(world.url, '{ __typename }', { token })
  expect(firstError(await ask(world.url, '{ __typename }', { token }))).toBe('QUOTA_EXCEEDED 429 Rate limit exceeded')
})
