import { afterAll, expect, test } from 'vitest'
import { firstError, send } from '../../support/ask.ts'
import { startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

test('omits the key errors after success', async () => {
  expect((await world.ask('{ quest(id: "GChdWUjXX3") { id } }')).text).toBe('{"data":{"quest":{"id":"GChdWUjXX3"}}}')
})

test.each([
  ['quest', '{ quest(id: "GCunknown1") { id } }', 'NOT_FOUND 404 Quest not found'],
  ['quest', '{ quest(id: "GCprivate1") { id } }', 'PERMISSION_DENIED 403 Quest is private'],
  ['quests', '{ quests(input: { first: 0 }) { totalCount } }', 'INVALID_ARGUMENT 400 Invalid pagination'],
  ['credential', '{ credential(id: "1") { id } }', 'NOT_FOUND 404 Credential not found'],
  ['space', '{ space(id: 1) { id } }', 'NOT_FOUND 404 Space not found'],
  ['starboard', '{ starboard(id: "x") { basicInfo { id } } }', 'NOT_FOUND 404 Starboard not found'],
])('returns null for data.%s with status 200: %s', async (field, query, error) => {
  const answer = await world.ask(query)
  expect([answer.status, answer.data]).toEqual([200, { [field]: null }])
  expect(answer.errors).toHaveLength(1)
  expect(firstError(answer)).toBe(error)
  expect(answer.errors?.[0]?.path).toEqual([field])
  expect(answer.errors?.[0]?.locations).toEqual([{ line: 1, column: 3 }])
})

test('returns one error with a path for each failed field, and the data of the others', async () => {
  const { status, data, errors } = await world.ask(`{
    ok: space(id: 40) { name }
    gone: space(id: 1) { name }
    card: credential(id: "500") { name wrong: eligible(address: "0xnonsense") right: eligible(address: "0x${'0'.repeat(40)}") }
    board: starboard(id: "1") { leaderboard(twitterId: "stranger") { edges { cursor } } basicInfo { type } }
  }`)
  expect(status).toBe(200)
  expect(data).toEqual({
    ok: { name: 'Aurora Guild' },
    gone: null,
    card: { name: 'Genesis holder', wrong: null, right: 0 },
    board: { leaderboard: { edges: [] }, basicInfo: { type: 'TWITTER' } },
  })
  const byPath = errors?.map(({ path, message }) => [path?.join('.'), message]) ?? []
  expect(Object.fromEntries(byPath)).toEqual({
    gone: 'Space not found',
    'card.wrong': 'Invalid address',
    'board.leaderboard': 'Twitter user not found',
  })
  expect(errors).toHaveLength(3)
})

test('names the list element in the path of an error', async () => {
  const { data, errors } = await world.ask<{ quests: { list: { credentialGroups: unknown }[] } }>(
    '{ quests(input: { first: 2 }) { list { credentialGroups(address: "") { id } space { loyaltyPointsRanks(sprintId: 77) { totalCount } } } } }',
  )
  expect(data.quests.list).toHaveLength(2)
  expect(errors?.map(({ path }) => path)).toEqual([
    ['quests', 'list', 0, 'space', 'loyaltyPointsRanks'],
    ['quests', 'list', 1, 'space', 'loyaltyPointsRanks'],
  ])
})

test('ignores undeclared variables, and rejects unknown input fields', async () => {
  const query = 'query ($id: Int!) { space(id: $id) { id } }'
  expect((await world.ask(query, { id: 40, more: { than: ['declared'] }, input: null })).status).toBe(200)
  const list = 'query ($input: ListQuestInput!) { quests(input: $input) { totalCount } }'
  const answer = await world.ask(list, { input: { first: 1, colour: 'red' } })
  expect([answer.status, answer.data]).toEqual([400, null])
  expect(firstError(answer)).toContain('colour')
  expect(firstError(await world.ask('{ quests(input: { colour: "red" }) { totalCount } }'))).toContain('colour')
})

test('treats an empty text for an optional id as null, and an empty list of variables as none', async () => {
  const same = async (query: (id: string) => string) => {
    const [empty, none] = await Promise.all(['""', 'null'].map((id) => world.ask<object>(query(id))))
    expect(empty).toMatchObject({ status: 200, errors: undefined })
    expect(empty?.data).toEqual(none?.data)
  }
  await same((id) => `{ credential(id: "500") { eligible(address: "0x${'0'.repeat(40)}", campaignId: ${id}) } }`)
  await same((id) => `{ quests(input: { spaceId: ${id} }) { totalCount list { id } } }`)
  await same((id) => `{ starboard(id: "1") { leaderboard(twitterId: ${id}) { totalCount edges { cursor } } } }`)
  const headers = { 'access-token': world.personas.business }
  const { data } = await send(world.url, '{"query":"{__typename}","variables":[],"extensions":[]}', headers)
  expect(data).toEqual({ __typename: 'Query' })
})

test('rejects a variable that is undeclared or has another type', async () => {
  expect(firstError(await world.ask('{ space(id: $id) { id } }', { id: 40 }))).toMatch(/^INVALID_ARGUMENT 400 .*\$id/)
  expect(firstError(await world.ask('query ($id: String!) { space(id: $id) { id } }', { id: '40' }))).toMatch(/\$id/)
})

test('lists the first 20 of thousands of errors', async () => {
  const statuses = Array.from({ length: 5_000 }, (_, index) => `S${index}`)
  const { errors, text } = await world.ask(
    'query ($s: [QuestStatus!]) { quests(input: { statuses: $s }) { totalCount } }',
    {
      s: statuses,
    },
  )
  expect(errors).toHaveLength(20)
  expect(text.length).toBeLessThan(20_000)
  const long = await world.ask(`query ($s: [QuestStatus!]) { quests(input: { statuses: $s }) { totalCount } }`, {
    s: ['x'.repeat(50_000)],
  })
  expect(long.text.length).toBeLessThan(3_000)
})
