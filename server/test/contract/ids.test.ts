import { afterAll, expect, test } from 'vitest'
import { firstError, send } from '../support/ask.ts'
import { BIG_ID, startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

/** Asks with variables as they are written in the body, number for number. */
const ask = async (query: string, variables: string) => {
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`
  const answer = await send<{ credential: { id: string } | null }>(world.url, body, {
    'access-token': world.personas.business,
  })
  return answer.errors ? firstError(answer) : (answer.data.credential?.id ?? answer.data)
}
const BY_ID = 'query ($id: ID!) { credential(id: $id) { id } }'

test.each(['312969464', BIG_ID])('an id is taken as a JSON number, exactly: %s', async (id) => {
  expect(await ask(BY_ID, `{"id":${id}}`)).toBe(id)
  expect(await ask(BY_ID, `{"id":"${id}"}`)).toBe(id)
  expect(await ask(`{ credential(id: ${id}) { id } }`, '{}')).toBe(id)
  expect(await ask(`{ credential(id: "${id}") { id } }`, '{}')).toBe(id)
  expect(await ask(`query ($id: ID! = ${id}) { credential(id: $id) { id } }`, '{}')).toBe(id)
})

test.each(['1.5', `${BIG_ID}.0`, `${BIG_ID}.5`, '9.00719925474099313e17', '1e400', 'true', '{}', '["500"]', 'null'])(
  'an id that would have to be rounded, or is none, is refused: %s',
  async (id) => {
    expect(await ask(BY_ID, `{"id":${id}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
  },
)

test.each(['1.0', '1.5', '5e2', 'true', '{}'])(
  'an id in the document is a string or a whole number: %s',
  async (id) => {
    expect(await ask(`{ credential(id: ${id}) { id } }`, '{}')).toMatch(/^INVALID_ARGUMENT 400 /)
  },
)

test('a number in another notation that a double holds exactly is the same number', async () => {
  expect(await ask(BY_ID, '{"id":5e2}')).toBe('500')
  expect(await ask(BY_ID, '{"id":500.0}')).toBe('500')
})

test('a large number where an Int is asked for is refused', async () => {
  const query = 'query ($id: Int!) { space(id: $id) { id } }'
  for (const id of [BIG_ID, '2147483648', '-2147483649', '40.5'])
    expect(await ask(query, `{"id":${id}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
  expect(await ask(query, '{"id":40}')).toEqual({ space: { id: '40' } })
})

test('a large number where text is asked for is refused', async () => {
  const query = 'query ($address: String!) { credential(id: 500) { eligible(address: $address) } }'
  expect(await ask(query, `{"address":${BIG_ID}}`)).toMatch(/^INVALID_ARGUMENT 400 /)
})

test('a large number that no variable is declared for is ignored', async () => {
  expect(await ask(BY_ID, `{"id":500,"other":${BIG_ID}.5,"more":{"deep":[1e400]}}`)).toBe('500')
})
