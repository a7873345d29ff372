import { afterAll, expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { tokenWithLimits } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())

/** Code, category and status of the first error, and the status of the response. */
async function provoke(query: string, token: string | undefined) {
  const { status, errors } = await ask(world.url, query, { token })
  const [error] = errors ?? []
  if (!error) throw new Error('no error')
  const { code, category, http_status, details } = error.extensions
  return { row: [code, category, http_status], answered: status, message: error.message, details }
}

const quotaSpent = async (limits: { perSecond: number | null; perDay: number | null }) => {
  const { token } = await tokenWithLimits(world.deps, limits)
  const spent = limits.perSecond ?? limits.perDay ?? 0
  for (let i = 0; i < spent; i++) expect((await ask(world.url, '{ __typename }', { token })).status).toBe(200)
  return provoke('{ __typename }', token)
}

test('7.2.1 MUST return TOKEN_REQUIRED, AUTHENTICATION, 401', async () => {
  expect(await provoke('{ __typename }', undefined)).toMatchObject({
    row: ['TOKEN_REQUIRED', 'AUTHENTICATION', 401],
    answered: 401,
  })
})

test('7.2.2 MUST return INVALID_TOKEN, AUTHENTICATION, 401', async () => {
  expect(await provoke('{ __typename }', 'wrong')).toMatchObject({
    row: ['INVALID_TOKEN', 'AUTHENTICATION', 401],
    answered: 401,
  })
})

test('7.2.3 MUST return QUOTA_EXCEEDED, RATE_LIMIT, 429 with the quota type and the limit', async () => {
  expect(await quotaSpent({ perSecond: null, perDay: 3 })).toMatchObject({
    row: ['QUOTA_EXCEEDED', 'RATE_LIMIT', 429],
    answered: 429,
    details: ['quota_type: daily', 'limit: 3'],
  })
  expect(await quotaSpent({ perSecond: 2, perDay: null })).toMatchObject({
    row: ['QUOTA_EXCEEDED', 'RATE_LIMIT', 429],
    answered: 429,
    details: ['quota_type: per_second', 'limit: 2'],
  })
})

test('7.2.4 MUST return PERMISSION_DENIED, AUTHORIZATION, 403', async () => {
  const row = ['PERMISSION_DENIED', 'AUTHORIZATION', 403]
  expect(await provoke('{ credential(id: "500") { id } }', world.personas.spacesOnly)).toMatchObject({
    row,
    answered: 403,
  })
  expect(await provoke('{ quest(id: "GCprivate1") { id } }', world.personas.business)).toMatchObject({
    row,
    answered: 200,
  })
})

test('7.2.5 MUST return NOT_FOUND, NOT_FOUND, 404', async () => {
  expect(await provoke('{ space(id: 999) { id } }', world.personas.business)).toMatchObject({
    row: ['NOT_FOUND', 'NOT_FOUND', 404],
    answered: 200,
  })
})

test('7.2.6 MUST return INVALID_ARGUMENT, VALIDATION, 400', async () => {
  const row = ['INVALID_ARGUMENT', 'VALIDATION', 400]
  const token = world.personas.business
  expect(await provoke('{ space(id: "forty") { id } }', token)).toMatchObject({ row, answered: 400 })
  expect(await provoke('{ spaceLoyaltyPointsRanks(spaceId: 40, sprintId: 9) { totalCount } }', token)).toMatchObject({
    row,
    answered: 200,
  })
})

test('7.2.7 MUST use the message texts of the contract for tokens and quotas', async () => {
  expect((await provoke('{ __typename }', undefined)).message).toBe('Access token is required')
  expect((await provoke('{ __typename }', 'wrong')).message).toBe('Invalid access token: malformed')
  expect((await quotaSpent({ perSecond: null, perDay: 1 })).message).toBe('API quota exceeded: daily limit reached')
  expect((await quotaSpent({ perSecond: 1, perDay: null })).message).toBe('Rate limit exceeded')
})
