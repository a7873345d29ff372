import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIngestToken, regenerateIngestToken, revokeIngestToken } from '../../src/access/ingest-tokens.ts'
import { selectIngestTokens } from '../../src/access/ingest-tokens.queries.ts'
import { formatToken } from '../../src/secrets/token-format.ts'
import { HOUR } from '../../src/clock.ts'
import { ask } from '../support/ask.ts'
import { createPersonas, OWNER_ACCOUNT } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'
import { holdLocks } from '../support/held.ts'
import { ingestToken, send } from './arrange.ts'

let service: TestService
let second: TestService
let token: string
let business: string
const item = [{ spaceId: 40, name: 'Forty' }]
beforeAll(async () => {
  service = await startService()
  second = await startService({ database: service.database, clock: service.clock })
  business = (await createPersonas(service.deps)).business
  token = await ingestToken(service)
})
afterAll(async () => {
  await second.stop()
  await service.stop()
})

/** Reads continue. */
const WRITE_LOCK = 'LOCK TABLE ingest_tokens IN SHARE ROW EXCLUSIVE MODE'

const lastUse = async (id: string) =>
  (await selectIngestTokens(service.database.kysely)).find(({ tokenId }) => tokenId === id)?.lastUsedAt
const issue = (more: object = {}) =>
  createIngestToken(service.deps, { accountId: OWNER_ACCOUNT, name: 'x', spaces: 'all', ...more })
const codeOf = async (sent: Promise<{ status: number; body: { error?: { code: string } } }>) => {
  const { status, body } = await sent
  return `${status} ${body.error?.code ?? ''}`.trim()
}

test('rejects a token that is missing, malformed, unknown or of another class', async () => {
  const send40 = (token?: string) => codeOf(send(service, 'spaces', item, { token }))
  expect(await send40()).toBe('401 TOKEN_REQUIRED')
  expect(await send40(token)).toBe('200')
  expect(await send40(`${token}x`)).toBe('401 INVALID_TOKEN')
  expect(await send40(formatToken('qbi', Buffer.alloc(32)))).toBe('401 INVALID_TOKEN')
  expect(await send40(business)).toBe('401 INVALID_TOKEN')
  for (const prefix of ['qbs', 'qbu', 'qbr', 'qbc', 'qbx'] as const)
    expect(await send40(formatToken(prefix, Buffer.alloc(32, 7)))).toBe('401 INVALID_TOKEN')
  expect((await ask(service.url, '{ __typename }', { token })).status).toBe(401)
  const messageFor = async (wrong?: string) =>
    (await send(service, 'spaces', item, { token: wrong })).body.error?.message
  expect(await messageFor()).toMatch(/ingest token \(qbi_…\) in the header Authorization: Bearer$/)
  expect(await messageFor('hello')).toMatch(/qbi_ and 49 letters and digits$/)
})

test('accepts the header access-token; rejects two different tokens', async () => {
  expect(await codeOf(send(service, 'spaces', item, { headers: { 'access-token': token } }))).toBe('200')
  const other = (await issue()).token
  expect(await codeOf(send(service, 'spaces', item, { token, headers: { 'access-token': other } }))).toBe(
    '400 INVALID_ARGUMENT',
  )
})

test('rejects a revoked, regenerated or expired token at once in every instance', async () => {
  const { token: first, record } = await issue({ expiresAt: new Date(service.clock.now() + HOUR) })
  const use = (token: string) => Promise.all([service, second].map((at) => codeOf(send(at, 'spaces', item, { token }))))
  expect(await use(first)).toEqual(['200', '200'])
  const { token: next } = await regenerateIngestToken(service.deps, record.tokenId)
  expect(await use(first)).toEqual(['401 INVALID_TOKEN', '401 INVALID_TOKEN'])
  expect(await use(next)).toEqual(['200', '200'])
  await revokeIngestToken(service.deps, record.tokenId)
  expect(await use(next)).toEqual(['401 INVALID_TOKEN', '401 INVALID_TOKEN'])
  await expect(regenerateIngestToken(service.deps, record.tokenId)).rejects.toThrow('No valid ingest token')
  const { token: short } = await issue({ expiresAt: new Date(service.clock.now() + HOUR) })
  service.clock.advance(HOUR)
  expect(await use(short)).toEqual(['401 INVALID_TOKEN', '401 INVALID_TOKEN'])
})

test('stores only the hash of a token, and the time of its last use', async () => {
  const { token, record } = await issue()
  expect(await codeOf(send(service, 'spaces', item, { token }))).toBe('200')
  const dump = JSON.stringify(await service.database.query('SELECT t::text FROM ingest_tokens t'))
  expect(dump).not.toContain(token)
  await expect.poll(() => lastUse(record.tokenId)).toEqual(new Date(service.clock.now()))
})

test('stores the waiting uses before it stops', async () => {
  const stopping = await startService({ database: service.database, clock: service.clock })
  const issued = [await issue(), await issue()]
  const { release } = await holdLocks(service.database.pool, [WRITE_LOCK])
  for (const { token } of issued) expect(await codeOf(send(stopping, 'spaces', item, { token }))).toBe('200')
  const stopped = stopping.stop()
  await release()
  await stopped
  const now = new Date(service.clock.now())
  expect(await Promise.all(issued.map(({ record }) => lastUse(record.tokenId)))).toEqual([now, now])
})

test('requests continue while the time of a use cannot be stored', async () => {
  const { token } = await issue()
  await holdLocks(service.database.pool, [WRITE_LOCK])
  // More than the connections of a pool.
  for (let n = 0; n < 15; n++) expect(await codeOf(send(service, 'spaces', item, { token }))).toBe('200')
})

test.each([
  [{ name: ' ' }, 'name'],
  [{ spaces: undefined }, 'can write nothing'],
  [{ spaces: [0] }, 'spaces'],
  [{ starboards: ['a b'] }, 'starboards'],
  [{ credentials: ['x'] }, 'credentials'],
  [{ credentials: ['9223372036854775808'] }, 'credentials'],
  [{ expiresAt: new Date(0) }, 'expiry'],
])('rejects a new token with %j', async (wanted, message) => {
  await expect(issue(wanted)).rejects.toThrow(message)
})
