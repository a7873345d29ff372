import { afterAll, expect, test } from 'vitest'
import { createToken, listServerTokens, regenerateToken, revokeToken } from '../../src/access/server-tokens.ts'
import { formatToken } from '../../src/secrets/token-format.ts'
import { HOUR } from '../../src/clock.ts'
import { systemRandom } from '../../src/random.ts'
import { ask, firstError } from '../support/ask.ts'
import { HOLDER_OF_BOTH, MAIN_QUEST, startWorld } from '../support/fixture.ts'
import { BUSINESS_ACCOUNT } from '../support/personas.ts'

const world = await startWorld()
afterAll(() => world.stop())

const outcome = async (token: string | undefined, query = '{ __typename }') => {
  const answer = await ask(world.url, query, { token })
  return answer.errors ? firstError(answer) : answer.status
}
const newToken = (expiresAt?: Date) =>
  createToken(world.deps, {
    accountId: BUSINESS_ACCOUNT,
    name: 'integration',
    plan: 'unlimited',
    ...(expiresAt && { expiresAt }),
  })

test('5.1.1 MUST read the token from the header access-token, or from Authorization: Bearer', async () => {
  expect(await outcome(world.personas.business)).toBe(200)
  const headers = { authorization: `Bearer ${world.personas.business}` }
  expect((await ask(world.url, '{ __typename }', { headers })).status).toBe(200)
})

test('5.1.2 MUST create a token that is valid at once, and show its value once', async () => {
  const { token, record } = await newToken()
  expect(await outcome(token)).toBe(200)
  expect(JSON.stringify(record)).not.toContain(token)
  expect(JSON.stringify(await listServerTokens(world.database))).not.toContain(token)
})

test('5.1.2 MUST NOT store the value of a token in the database', async () => {
  const tables = await world.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  expect(tables.map(({ name }) => name)).toContain('server_tokens')
  for (const { name } of tables) {
    const [found] = await world.database.query(`SELECT t FROM ${name} t WHERE t::text LIKE '%qbs\\_%' LIMIT 1`)
    expect(found, name).toBeUndefined()
  }
})

const TOKEN_SHAPE = 'allowed: a server access token, which is qbs_ and 49 letters and digits'

test('5.1.3 MUST return TOKEN_REQUIRED (401) when the header is missing or empty', async () => {
  for (const token of [undefined, '', '  '])
    expect(await outcome(token)).toBe('TOKEN_REQUIRED 401 Access token is required')
  const { errors } = await ask(world.url, '{ __typename }', { token: undefined })
  const ways = ['header: access-token', 'alias: Authorization: Bearer TOKEN', 'alias: access_token', TOKEN_SHAPE]
  expect(errors?.[0]?.extensions.details).toEqual(ways)
  for (const [header, told] of [
    ['authorization', 'Authorization without the word Bearer'],
    ['x-access-token', 'x-access-token'],
    ['x-token', 'x-token'],
  ] as const) {
    const answer = await fetch(`${world.url}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [header]: world.personas.business },
      body: '{"query":"{ __typename }"}',
    })
    const [error] = ((await answer.json()) as { errors: { message: string; extensions: { details: string[] } }[] })
      .errors
    expect([answer.status, error?.message]).toEqual([401, 'Access token is required'])
    expect(error?.extensions.details).toEqual([...ways, expect.stringContaining(`received: the header ${told}`)])
  }
})

test.each([
  ['a value that is no token', 'hello', 'malformed'],
  [
    'an ingest token',
    formatToken('qbi', systemRandom.bytes(32)),
    'malformed',
    'received: an ingest token, which can only write',
  ],
  ['a token that was never issued', formatToken('qbs', systemRandom.bytes(32)), 'unknown'],
  ['a revoked token', world.personas.revoked, 'revoked'],
  ['an expired token', world.personas.expired, 'expired'],
])('5.1.3 MUST return INVALID_TOKEN (401) for %s', async (_, token, reason, received?: string) => {
  const answer = await ask(world.url, '{ __typename }', { token })
  expect(answer.status).toBe(401)
  expect(firstError(answer)).toBe(`INVALID_TOKEN 401 Invalid access token: ${reason}`)
  const shape = reason === 'malformed' ? [TOKEN_SHAPE] : []
  const more = received === undefined ? [] : [expect.stringContaining(received) as string]
  expect(answer.errors?.[0]?.extensions.details).toEqual([`reason: ${reason}`, ...shape, ...more])
})

test('5.1.3 MUST return PERMISSION_DENIED (403) for a token without the area, before it reads any data', async () => {
  const token = world.personas.spacesOnly
  expect(await outcome(token, '{ space(id: 40) { id } }')).toBe(200)
  for (const query of [
    '{ starboard(id: "1") { basicInfo { id } } }',
    '{ credential(id: "500") { id } }',
    '{ quest(id: "GChdWUjXX3") { id } }',
    '{ quests(input: {}) { totalCount } }',
    '{ space(id: 40) { id } quest(id: "GChdWUjXX3") { id } }',
    '{ space(id: 40) { id } ... on Query { ...Q } } fragment Q on Query { credential(id: "500") { id } }',
    'query { quest(id: "GChdWUjXX3") @skip(if: true) { id } }',
  ]) {
    const answer = await ask(world.url, query, { token })
    expect([answer.status, answer.data]).toEqual([403, null])
    expect(firstError(answer)).toMatch(/^PERMISSION_DENIED 403 This access token may not read the area "/)
    expect(answer.errors?.[0]?.extensions.details).toContain('allowed: space')
  }
})

test('5.1.3 MUST return the space of a quest, but not its leaderboard, to a token without the area space', async () => {
  const { token } = await createToken(world.deps, { accountId: BUSINESS_ACCOUNT, name: 'quests', areas: ['quest'] })
  expect(await outcome(token, '{ quest(id: "GChdWUjXX3") { space { id name } } }')).toBe(200)
  expect(await outcome(token, '{ quest(id: "GChdWUjXX3") { space { loyaltyPointsRanks { totalCount } } } }')).toMatch(
    /^PERMISSION_DENIED 403 .*"space"/,
  )
})

test('5.1.3 MUST NOT reveal quests to a token without the area quest through eligible(campaignId:)', async () => {
  const { token } = await createToken(world.deps, { accountId: BUSINESS_ACCOUNT, name: 'gate', areas: ['credential'] })
  const query = `query ($campaignId: ID) {
    credential(id: "500") { name eligible(address: "${HOLDER_OF_BOTH}", campaignId: $campaignId) }
  }`
  const eligible = async (asker: string, campaignId: string | null) => {
    const answer = await ask<{ credential: { name: string; eligible: number | null } }>(world.url, query, {
      token: asker,
      variables: { campaignId },
    })
    expect(answer.data?.credential.name).toBeTruthy()
    return answer.errors ? firstError(answer) : answer.data?.credential.eligible
  }
  expect(await eligible(token, null)).toBe(1)
  const denied = 'PERMISSION_DENIED 403 This access token may not read the area "quest"'
  for (const quest of [MAIN_QUEST, 'GCunknown1']) expect(await eligible(token, quest)).toBe(denied)
  expect(await eligible(world.personas.business, MAIN_QUEST)).toBe(1)
})

test('5.1.4 MUST reject the old value at once after a token is regenerated, and accept the new one', async () => {
  const { token, record } = await newToken()
  expect(await outcome(token)).toBe(200)
  const replaced = await regenerateToken(world.deps, record.tokenId)
  expect(await outcome(token)).toBe('INVALID_TOKEN 401 Invalid access token: unknown')
  expect(await outcome(replaced.token)).toBe(200)
  expect(replaced.record.tokenId).toBe(record.tokenId)
})

test('5.1.4 MUST reject a token at once after it is revoked or has expired', async () => {
  const { token, record } = await newToken(new Date(world.clock.now() + HOUR))
  world.clock.advance(HOUR - 1)
  expect(await outcome(token)).toBe(200)
  world.clock.advance(1)
  expect(await outcome(token)).toBe('INVALID_TOKEN 401 Invalid access token: expired')
  const other = await newToken()
  expect(await outcome(other.token)).toBe(200)
  await revokeToken(world.deps, other.record.tokenId)
  expect(await outcome(other.token)).toBe('INVALID_TOKEN 401 Invalid access token: revoked')
  await expect(regenerateToken(world.deps, other.record.tokenId)).rejects.toThrow(/^No valid token has the id/)
  expect(record.expiresAt).not.toBeNull()
})
