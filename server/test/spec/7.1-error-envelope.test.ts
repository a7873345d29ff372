import { afterAll, expect, test } from 'vitest'
import { ask, send } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())
const { token: limited } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 1 })
await ask(world.url, '{ __typename }', { token: limited })

const token = world.personas.business
const QUEST = '{ quest(id: "nope") { id } }'

/** One failure for each place where a request can fail. */
const failures = {
  'the method': async () => asAnswer(await fetch(`${world.url}/query`)),
  'the accepted types': () => ask(world.url, QUEST, { token, headers: { accept: 'text/html' } }),
  'the token': () => ask(world.url, QUEST),
  'the quota': () => ask(world.url, QUEST, { token: limited }),
  'the media type': () => send(world.url, '{}', { 'content-type': 'text/plain', 'access-token': token }),
  'the size': () => ask(world.url, `#${'x'.repeat(200_000)}`, { token }),
  'the JSON': () => send(world.url, '{', { 'access-token': token }),
  'the syntax': () => ask(world.url, '{', { token }),
  'the depth': () => ask(world.url, `{ ${'a { '.repeat(20)} b ${'}'.repeat(21)}`, { token }),
  'the validation': () => ask(world.url, '{ nothing }', { token }),
  'the permission': () => ask(world.url, QUEST, { token: world.personas.spacesOnly }),
  'the variables': () => ask(world.url, 'query ($id: ID!) { quest(id: $id) { id } }', { token }),
  'the execution': () => ask(world.url, QUEST, { token }),
}
const cases = Object.entries(failures)

test.each(cases)('7.1.1 MUST return an errors array when %s fails', async (_, fail) => {
  const { errors, headers } = await fail()
  expect(errors?.length).toBeGreaterThan(0)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
})

test.each(cases)('7.1.2 MUST return a human-readable message when %s fails', async (_, fail) => {
  for (const { message } of (await fail()).errors ?? []) {
    expect(message).toMatch(/^[A-Z][^\n]{9,}$/)
    expect(message).not.toMatch(/undefined|\[object|at \w+ \(|node_modules/)
  }
})

test.each(cases)('7.1.3 MUST return a code when %s fails', async (_, fail) => {
  for (const { extensions } of (await fail()).errors ?? []) expect(extensions.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
})

test.each(cases)('7.1.4 MUST return a category when %s fails', async (_, fail) => {
  for (const { extensions } of (await fail()).errors ?? [])
    expect(extensions.category).toMatch(/^(AUTHENTICATION|RATE_LIMIT|AUTHORIZATION|NOT_FOUND|VALIDATION)$/)
})

test.each(cases)(
  '7.1.5 MUST return http_status when %s fails, equal to that of the response unless the document was executed',
  async (place, fail) => {
    const { status, errors } = await fail()
    for (const { extensions } of errors ?? [])
      expect(extensions.http_status).toBe(place === 'the execution' ? 404 : status)
    expect(status).toBe(place === 'the execution' ? 200 : errors?.[0]?.extensions.http_status)
  },
)

test.each(cases)('7.1.6 MUST return the request id, also as a header, when %s fails', async (_, fail) => {
  const { errors, headers } = await fail()
  const ids = errors?.map(({ extensions }) => extensions.request_id) ?? []
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(ids)).toEqual(new Set([headers.get('x-request-id')]))
  expect((await fail()).headers.get('x-request-id')).not.toBe(headers.get('x-request-id'))
})

test.each(cases)('7.1.7 MUST return the time in UTC when %s fails', async (_, fail) => {
  for (const { extensions } of (await fail()).errors ?? []) {
    expect(extensions.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(extensions.timestamp)).toBe(world.clock.now())
  }
})

test.each(cases)('7.1.8 MUST return details as strings `name: value` when %s fails', async (_, fail) => {
  for (const { extensions } of (await fail()).errors ?? [])
    for (const detail of extensions.details ?? []) expect(detail).toMatch(/^\w+: ./s)
})

test('7.1.8 MUST report all errors of a document at once, each with its location', async () => {
  const { errors } = await ask(world.url, '{ nothing\n  space(id: "x") { id } }', { token })
  expect(errors).toHaveLength(2)
  expect(errors?.map(({ locations }) => locations?.[0]?.line)).toEqual([1, 2])
})

async function asAnswer(response: Response) {
  const { errors } = (await response.json()) as Pick<Awaited<ReturnType<typeof ask>>, 'errors'>
  return { status: response.status, headers: response.headers, errors }
}
