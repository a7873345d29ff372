import { afterAll, expect, test } from 'vitest'
import { ask, firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

test('1.1 MUST serve everything at one endpoint, /query', async () => {
  const { status, text } = await world.ask(
    '{ starboard(id: "1") { basicInfo { name } } space(id: 40) { name } credential(id: "500") { name } quest(id: "GChdWUjXX3") { name } }',
  )
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    data: {
      starboard: { basicInfo: { name: 'Voices of Aurora' } },
      space: { name: 'Aurora Guild' },
      credential: { name: 'Genesis holder' },
      quest: { name: 'Light the beacon' },
    },
  })
})

test.each([
  [
    'starboards',
    '{ starboard(id: "1") { leaderboard(pagination: { forward: { first: 1 } }) { edges { node { rank { value } } } } } }',
  ],
  ['spaces', '{ space(id: 40) { loyaltyPointsRanks { totalCount } } }'],
  ['credentials', '{ credential(id: "312969464") { eligible(address: "alice_a") } }'],
  ['quests', '{ quests(input: { first: 1 }) { totalCount } }'],
])('1.2 MUST let a client read %s', async (_, query) => {
  const { status, data, errors } = await world.ask(query)
  expect({ status, errors }).toEqual({ status: 200, errors: undefined })
  expect(Object.values(data)[0]).not.toBeNull()
})

test('1.3 MUST have no mutation', async () => {
  const schema = await world.ask('{ __schema { mutationType { name } subscriptionType { name } } }')
  expect(schema.data).toEqual({ __schema: { mutationType: null, subscriptionType: null } })
  const answer = await world.ask('mutation { space(id: 40) { name } }')
  expect(firstError(answer)).toMatch(/^INVALID_ARGUMENT 400 .*mutation/)
})

test('1.4 MUST reject every GraphQL request without an access token, including introspection', async () => {
  for (const query of ['{ space(id: 40) { name } }', '{ __typename }', '{ __schema { types { name } } }', 'no GraphQL'])
    expect(firstError(await ask(world.url, query))).toBe('TOKEN_REQUIRED 401 Access token is required')
})
