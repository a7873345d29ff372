import { afterAll, expect, test } from 'vitest'
import { firstError, send } from '../../support/ask.ts'
import { BIG_ID, startWorld } from '../../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

/** Sends variables as JSON text, so numbers keep their digits. */
const ask = async (query: string, variables: string) => {
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
  const answer = await send<{ credential: { id: string } | null }>(world.url, body, {
    'access-token': world.personas.business,
  })
  return answer.errors ? firstError(answer) : (answer.data.credential?.id ?? answer.data)
}
const BY_ID = 'query ($id: ID!) { credential(id: $id) { id } }'

test.each(['312969464', BIG_ID])('accepts an id as a JSON number without rounding: %s', async (id) => {
  expect(await ask(BY_ID, `{"id":${id}}`)).toBe(id)
  expect(await ask(BY_ID, `{"id":"${id}"}`)).toBe(id)
  expect(await ask(`{ credential(id: ${id}) { id } }`, '{}')).toBe(id)
  expect(await ask(`{ credential(id: "${id}") { id } }`, '{}')).toBe(id)
  expect(await ask(`query ($id: ID! = ${id}) { credential(id: $id) { id } }`, '{}')).toBe(id)
})

test.each(['1.5', `${BIG_ID}.0`, `${BIG_ID}.5`, '9.00719925474099313e17', '1e400', 'true', '{}', '["500"]', 'null'])(
  'rejects an invalid id or one that needs rounding: %s',
  async (id) => {
    expect(await ask(BY_ID, `{"id":${id}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
  },
)

test.each(['1.0', '1.5', '5e2', 'true', '{}'])(
  'accepts only strings and integers as ids in a document, not %s',
  async (id) => {
    expect(await ask(`{ credential(id: ${id}) { id } }`, '{}')).toMatch(/^INVALID_ARGUMENT 400 /)
  },
)

test('accepts exponents and fractions that a double represents exactly', async () => {
  expect(await ask(BY_ID, '{"id":5e2}')).toBe('500')
  expect(await ask(BY_ID, '{"id":500.0}')).toBe('500')
})

const SPACE = 'query ($id: Int!) { space(id: $id) { id } }'

test('finds no space for a number beyond 32 bits', async () => {
  for (const id of [BIG_ID, '2147483648', '-2147483649', '0', '99999999999999999999', '"2147483648"']) {
    expect(await ask(SPACE, `{"id":${id}}`)).toBe('NOT_FOUND 404 Space not found')
    const literal = id.replaceAll('"', '')
    expect(await ask(`{ space(id: ${literal}) { id } }`, '{}')).toBe('NOT_FOUND 404 Space not found')
    const board = `{ spaceLoyaltyPointsRanks(spaceId: ${literal}) { totalCount } }`
    expect(await ask(board, '{}')).toBe('NOT_FOUND 404 Space not found')
    const sprint = `{ space(id: 40) { loyaltyPointsRanks(sprintId: ${literal}) { totalCount } } }`
    expect(await ask(sprint, '{}')).toBe('INVALID_ARGUMENT 400 Invalid sprint ID')
  }
  const beyond = '{ space(id: 40) { loyaltyPointsRanks(first: 2147483648) { list { rank } } } }'
  expect(await ask(beyond, '{}')).toHaveProperty('space.loyaltyPointsRanks.list')
})

test('accepts an integer as text for an Int variable, also inside an input object', async () => {
  for (const id of ['40', '"40"', '"+40"', '"040"', '40.0'])
    expect(await ask(SPACE, `{"id":${id}}`)).toEqual({ space: { id: '40' } })
  for (const id of ['40.5', '"40.5"', '""', '" 40"', '"4e1"', '"0x28"', '"forty"', 'true', '[]', 'null'])
    expect(await ask(SPACE, `{"id":${id}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
  expect(await ask('{ space(id: "40") { id } }', '{}')).toMatch(/^INVALID_ARGUMENT 400 /)
  const quests = 'query ($input: ListQuestInput!) { quests(input: $input) { list { id } } }'
  expect(await ask(quests, '{"input":{"first":"1"}}')).toHaveProperty('quests.list.length', 1)
  const board =
    'query ($p: PaginationInput) { starboard(id: "1") { leaderboard(pagination: $p) { edges { cursor } } } }'
  expect(await ask(board, '{"p":{"forward":{"first":"1"}}}')).toHaveProperty('starboard.leaderboard.edges.length', 1)
})

test('quotes a number that no double represents with the digits of the client', async () => {
  for (const [query, number] of [
    [SPACE, '1e400'],
    [SPACE, '-9.00719925474099313e17'],
    ['query ($input: ListQuestInput!) { quests(input: $input) { totalCount } }', '1e400'],
    ['query ($id: String!) { credential(id: 500) { eligible(address: $id) } }', '1e400'],
  ] as const) {
    const told = JSON.stringify(await ask(query, `{"${query.includes('$input') ? 'input' : 'id'}":${number}}`))
    expect(told).toMatch(/^"INVALID_ARGUMENT 400 /)
    expect(told).not.toContain('NaN')
    if (query === SPACE) expect(told).toContain(number)
  }
})

test('rejects a large number for a text variable', async () => {
  const query = 'query ($address: String!) { credential(id: 500) { eligible(address: $address) } }'
  expect(await ask(query, `{"address":${BIG_ID}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
})

test('ignores a large number without a declared variable', async () => {
  expect(await ask(BY_ID, `{"id":500,"other":${BIG_ID}.5,"more":{"deep":[1e400]}}`)).toBe('500')
})
