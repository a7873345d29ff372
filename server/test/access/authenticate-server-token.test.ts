import { afterAll, expect, test } from 'vitest'
import { createToken, regenerateToken, revokeToken } from '../../src/access/server-tokens.ts'
import { formatToken } from '../../src/secrets/token-format.ts'
import { systemRandom } from '../../src/random.ts'
import { ask, firstError } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'
import { BUSINESS_ACCOUNT } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const world = await startWorld()
const other = await startService({ database: world.database, clock: world.clock })
afterAll(async () => {
  await other.stop()
  await world.stop()
})

const newToken = () => createToken(world.deps, { accountId: BUSINESS_ACCOUNT, name: 'test', plan: 'unlimited' })
const inBoth = async (token: string) => {
  const answers = await Promise.all([world.url, other.url].map((url) => ask(url, '{ __typename }', { token })))
  return answers.map((answer) => (answer.errors ? firstError(answer) : answer.status))
}

test('accepts a new token in every instance immediately', async () => {
  expect(await inBoth((await newToken()).token)).toEqual([200, 200])
})

test('rejects the old value of a regenerated token in every instance immediately', async () => {
  const { token, record } = await newToken()
  expect(await inBoth(token)).toEqual([200, 200])
  const replaced = await regenerateToken(other.deps, record.tokenId)
  expect(await inBoth(token)).toEqual(Array(2).fill('INVALID_TOKEN 401 Invalid access token: unknown'))
  expect(await inBoth(replaced.token)).toEqual([200, 200])
})

test('rejects a revoked token in every instance immediately', async () => {
  const { token, record } = await newToken()
  expect(await inBoth(token)).toEqual([200, 200])
  await revokeToken(other.deps, record.tokenId)
  expect(await inBoth(token)).toEqual(Array(2).fill('INVALID_TOKEN 401 Invalid access token: revoked'))
})

test('applies a changed plan from the next request on', async () => {
  const { token, record } = await newToken()
  await world.database.query(`INSERT INTO plans VALUES ('none-today', NULL, 1)`)
  expect(await inBoth(token)).toEqual([200, 200])
  await world.database.query(`UPDATE server_tokens SET plan = 'none-today' WHERE token_id = $1`, [record.tokenId])
  const outcomes = [...(await inBoth(token)), ...(await inBoth(token))]
  expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(1)
})

test('does not mix up tokens that are looked up together', async () => {
  const known = await Promise.all(Array.from({ length: 10 }, newToken))
  const unknown = Array.from({ length: 10 }, () => formatToken('qbs', systemRandom.bytes(32)))
  const tokens = known.flatMap(({ token }, index) => [token, unknown[index] as string])
  const answers = await Promise.all(tokens.map((token) => ask(world.url, '{ __typename }', { token })))
  expect(answers.map(({ status }) => status)).toEqual(known.flatMap(() => [200, 401]))
})

test('rejects a malformed token without a look-up', async () => {
  await world.database.query('ALTER TABLE server_tokens RENAME TO server_tokens_gone')
  const malformed = await ask(world.url, '{ __typename }', { token: 'qbs_123' })
  const wellFormed = await ask(world.url, '{ __typename }', { token: formatToken('qbs', systemRandom.bytes(32)) })
  await world.database.query('ALTER TABLE server_tokens_gone RENAME TO server_tokens')
  expect([malformed.status, wellFormed.status]).toEqual([401, 500])
})
