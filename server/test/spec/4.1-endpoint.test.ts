import { afterAll, expect, test } from 'vitest'
import { ask, firstError, send } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const QUESTION = JSON.stringify({ query: '{ space(id: 40) { id } }' })

test('4.1.1 MUST accept POST /query', async () => {
  const response = await fetch(`${world.url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'access-token': world.personas.business },
    body: QUESTION,
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ data: { space: { id: '40' } } })
})

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
  '4.1.1 MUST reject %s with POST as the allowed method',
  async (method) => {
    const response = await fetch(`${world.url}/query`, { method, headers: { 'access-token': world.personas.business } })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    const extensions = { code: 'METHOD_NOT_ALLOWED', details: [`received: ${method}`, 'allowed: POST'] }
    expect(await response.json()).toMatchObject({ data: null, errors: [{ extensions }] })
  },
)

test('4.1.2 MUST read the token from the header access-token and the body as application/json', async () => {
  const headers = { 'access-token': world.personas.business }
  expect((await send(world.url, QUESTION, headers)).status).toBe(200)
  expect(
    (await send(world.url, QUESTION, { ...headers, 'content-type': 'APPLICATION/JSON; charset=UTF-8' })).status,
  ).toBe(200)
  const refused = await send(world.url, QUESTION, { ...headers, 'content-type': 'text/plain' })
  expect(firstError(refused)).toBe('UNSUPPORTED_MEDIA_TYPE 415 Content-Type must be application/json in UTF-8')
  expect(refused.errors?.[0]?.extensions.details).toEqual(['received: text/plain', 'allowed: application/json'])
})

test('4.1.3 MUST accept query with and without variables', async () => {
  const token = world.personas.business
  expect((await ask(world.url, '{ space(id: 40) { id } }', { token })).status).toBe(200)
  const { data } = await ask(world.url, 'query ($id: Int!) { space(id: $id) { id } }', { token, variables: { id: 41 } })
  expect(data).toEqual({ space: { id: '41' } })
})

test.each([
  ['no query', '{}', 'The request body has no "query"'],
  ['null as query', '{"query":null}', 'The request body has no "query"'],
  ['a query that is no string', '{"query":1}', '"query" must be a string'],
  ['variables that are no object', '{"query":"{__typename}","variables":[1]}', '"variables" must be an object'],
  ['a list', '[{"query":"{__typename}"}]', 'The request body must be a JSON object with the key "query"'],
  ['no JSON', '{"query":', 'The request body is not JSON'],
  ['nothing', '', 'The request body is not JSON'],
  ['thousands of nested lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'The request body is nested too deeply'],
])('4.1.3 MUST reject a body with %s', async (_, body, message) => {
  const answer = await send(world.url, body, { 'access-token': world.personas.business })
  expect(answer.status).toBe(400)
  expect(answer.data).toBeNull()
  expect(firstError(answer)).toBe(`INVALID_ARGUMENT 400 ${message}`)
})

test('4.1.4 MUST return a JSON object with only data on success', async () => {
  const answer = await world.ask('{ space(id: 40) { id } }')
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.text).toBe('{"data":{"space":{"id":"40"}}}')
})

test('4.1.5 MUST return errors on failure, together with the available data', async () => {
  const partial = await world.ask('{ space(id: 999) { id } other: space(id: 41) { id } }')
  expect(partial.status).toBe(200)
  expect(partial.data).toEqual({ space: null, other: { id: '41' } })
  expect(partial.errors).toMatchObject([{ message: 'Space not found', path: ['space'] }])
  const failed = await world.ask('{ space(id: 40) { nothing } }')
  expect(failed.status).toBe(400)
  expect(failed.data).toBeNull()
  expect(failed.errors).toHaveLength(1)
})

test('4.1.6 MUST return __typename with a valid token', async () => {
  expect((await world.ask('{ __typename }')).text).toBe('{"data":{"__typename":"Query"}}')
  const { data } = await world.ask(
    '{ space(id: 40) { __typename loyaltyPointsRanks { __typename list { __typename } } } }',
  )
  expect(data).toMatchObject({
    space: { __typename: 'Space', loyaltyPointsRanks: { __typename: 'LoyaltyPointsRanks' } },
  })
})
