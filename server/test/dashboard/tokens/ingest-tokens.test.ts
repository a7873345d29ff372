import { afterAll, beforeAll, expect, test } from 'vitest'
import { findIngestToken } from '../../../src/access/ingest-tokens.queries.ts'
import { hashOf } from '../../../src/secrets/hashes.ts'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { signedInBrowser } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  await service.database.query(
    `INSERT INTO spaces (space_id, name, created_at) VALUES (40, 'Forty', now()), (41, 'Forty-one', now())`,
  )
})
afterAll(() => service.close())

interface Issued {
  token: string
  tokenId: string
}

async function signIn(as: 'operator' | 'owner') {
  const { browser } = await signedInBrowser(service)
  const session = await browser.get('/api/session')
  const { id } = session.json<{ account: { id: string } }>().account
  if (as === 'operator') await setOperator(service.database.kysely, id, new Date())
  else await service.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [id])
  return { browser, id }
}
const known = (token: string) => findIngestToken(service.database, hashOf(token))

test('lets an operator create, regenerate and revoke a token of any scope, and shows it once', async () => {
  const { browser } = await signIn('operator')
  const created = await browser.call('POST', '/api/ingest-tokens', { name: 'all', spaces: 'all', credentials: ['7'] })
  expect(created.statusCode, created.body).toBe(201)
  const { token, tokenId } = created.json<Issued>()
  expect(await known(token)).toMatchObject({ scope: { spaceIds: null, starboardIds: [], credentialIds: ['7'] } })
  const listed = await browser.get('/api/ingest-tokens')
  expect(listed.json()).toMatchObject({ tokens: [{ tokenId, name: 'all', lastUsedAt: null }] })
  expect(listed.body).not.toContain('qbi_')
  const next = (await browser.call('POST', `/api/ingest-tokens/${tokenId}/regenerate`)).json<Issued>()
  expect(await known(token)).toBeUndefined()
  expect((await browser.call('DELETE', `/api/ingest-tokens/${tokenId}`)).statusCode).toBe(204)
  expect((await known(next.token))?.revokedAt).toBeInstanceOf(Date)
  expect((await browser.call('POST', `/api/ingest-tokens/${tokenId}/regenerate`)).statusCode).toBe(409)
})

test('accepts the tokens of an account for its spaces while it owns them', async () => {
  const { browser } = await signIn('owner')
  const { token } = (await browser.call('POST', '/api/ingest-tokens', { name: 'mine', spaces: [40] })).json<Issued>()
  expect((await known(token))?.scope).toEqual({ spaceIds: [40], starboardIds: [], credentialIds: [] })
  await service.database.query('UPDATE spaces SET owner_account_id = NULL')
  expect((await known(token))?.scope.spaceIds).toEqual([])
})

test.each([
  [{ name: 'x', spaces: [41] }, 'spaces'],
  [{ name: 'x', spaces: 'all' }, 'spaces'],
  [{ name: 'x', spaces: [40], starboards: ['other'] }, 'starboards'],
  [{ name: 'x', credentials: ['7'] }, 'credentials'],
  [{ name: 'x' }, 'spaces'],
  [{ spaces: [40] }, 'name'],
  [{ name: 'x', spaces: 'some' }, 'spaces'],
])('rejects %j from an owner of space 40 and names the field', async (body, field) => {
  const { browser } = await signIn('owner')
  const response = await browser.call('POST', '/api/ingest-tokens', body)
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ error: { code: 'invalid_argument', field } })
})

test('responds with not found to a token of another account', async () => {
  const owner = await signIn('owner')
  const stranger = await signedInBrowser(service)
  const made = await owner.browser.call('POST', '/api/ingest-tokens', { name: 'mine', spaces: [40] })
  const { tokenId } = made.json<Issued>()
  expect((await stranger.browser.call('DELETE', `/api/ingest-tokens/${tokenId}`)).statusCode).toBe(404)
  expect((await stranger.browser.get('/api/ingest-tokens')).json()).toEqual({ tokens: [] })
})
