import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decideApp, removeApp, requireApp } from '../../../src/oauth/apps.ts'
import { hashOf } from '../../../src/secrets/hashes.ts'
import {
  approvedApp,
  codeFor,
  postForm,
  redeemCode,
  refreshTokens,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  TOKEN_URL,
  tokenDetail,
  type Tokens,
  tokensFor,
  userData,
} from '../../support/oauth-flow.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { isCluster } from '../../support/database.ts'

const ENDS_OF_TOKENS = '20261124T1135_ends_of_tokens.sql'

let service: SignInService
let app: TestApp
let other: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service, { expiringTokens: true })
  other = await approvedApp(service, { expiringTokens: true })
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const tokens = (scope = 'EVMAddress') => tokensFor(service, user.browser, app, { scope })
const asClient = (client: TestApp, parameters: Record<string, string>) => ({
  client_id: client.clientId,
  client_secret: client.secret,
  ...parameters,
})
const introspect = async (client: TestApp, token: string) =>
  (await postForm(service, '/oauth/introspect', asClient(client, { token }))).json<Record<string, unknown>>()
const revoke = (client: TestApp, token: string, hint?: string) =>
  postForm(service, '/oauth/revoke', asClient(client, { token, ...(hint !== undefined && { token_type_hint: hint }) }))
const alive = async (accessToken: string) => (await tokenDetail(service, accessToken)).statusCode === 200

test('attack 43: rejects a refresh token of another app, which stays valid for its app', async () => {
  const pair = await tokens()
  refused(await refreshTokens(service, other, pair.refresh_token as string), 400, 'invalid_grant')
  expect(await alive(pair.access_token)).toBe(true)
  expect((await refreshTokens(service, app, pair.refresh_token as string)).statusCode).toBe(200)
})

test('attack 44: rejects a refresh token without the secret of its app', async () => {
  const { refresh_token } = await tokens()
  const request = { grant_type: 'refresh_token', refresh_token, client_id: app.clientId }
  refused(await postForm(service, TOKEN_URL, request), 401, 'invalid_client')
  refused(await postForm(service, TOKEN_URL, { ...request, client_id: undefined }), 400, 'invalid_request')
  expect((await refreshTokens(service, app, refresh_token as string)).statusCode).toBe(200)
})

describe('attack 45: a refresh token that was already used', () => {
  test('ends the family and adds an audit event', async () => {
    const first = await tokens()
    const second = (await refreshTokens(service, app, first.refresh_token as string)).json<Tokens>()
    service.clock.advance(10_001)
    refused(await refreshTokens(service, app, first.refresh_token as string), 400, 'invalid_grant')
    expect(await alive(second.access_token)).toBe(false)
    refused(await refreshTokens(service, app, second.refresh_token as string), 400, 'invalid_grant')
    const audit = (await user.browser.get('/api/audit')).json<{ events: { event: string }[] }>()
    expect(audit.events.map(({ event }) => event)).toContain('grant.refresh-token-replayed')
  })
  test('fails within ten seconds without ending the family', async () => {
    const first = await tokens()
    const second = (await refreshTokens(service, app, first.refresh_token as string)).json<Tokens>()
    service.clock.advance(9_999)
    refused(await refreshTokens(service, app, first.refresh_token as string), 400, 'invalid_grant')
    expect(await alive(second.access_token)).toBe(true)
    expect((await refreshTokens(service, app, second.refresh_token as string)).statusCode).toBe(200)
  })
})

test('attack 46: accepts one of eight parallel refreshes and returns 400 for the others', async () => {
  const { refresh_token } = await tokens()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => refreshTokens(service, app, refresh_token as string)),
  )
  expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
  const winner = answers.find((answer) => answer.statusCode === 200)?.json<Tokens>()
  expect(await alive(winner?.access_token as string)).toBe(true)
})

test('attack 47: rejects more scopes at a refresh without using the token; accepts fewer', async () => {
  const { refresh_token } = await tokens('EVMAddress ServiceID')
  const wider = { scope: 'EVMAddress ServiceID Discord' }
  refused(await refreshTokens(service, app, refresh_token as string, wider), 400, 'invalid_scope')
  const narrow = (await refreshTokens(service, app, refresh_token as string, { scope: 'ServiceID' })).json<Tokens>()
  expect(narrow.scope).toBe('ServiceID')
  expect((await userData(service, narrow.access_token)).json()).not.toHaveProperty('EVMAddress')
  const back = (await refreshTokens(service, app, narrow.refresh_token as string)).json<Tokens>()
  expect(back.scope).toBe('EVMAddress ServiceID')
})

test('attack 48: issues and accepts no refresh tokens while expiring tokens are off', async () => {
  const switching = await approvedApp(service, { expiringTokens: true }, user.account.id)
  const pair = await tokensFor(service, user.browser, switching)
  const off = await user.browser.call('PATCH', `/api/apps/${switching.clientId}`, { expiringTokens: false })
  expect(off.statusCode).toBe(200)
  refused(await refreshTokens(service, switching, pair.refresh_token as string), 400, 'invalid_grant')
  const plain = await tokensFor(service, user.browser, switching)
  expect(plain).not.toHaveProperty('refresh_token')
  expect(plain).not.toHaveProperty('expires_in')
  service.clock.advance(365 * 86_400_000)
  user = await signedInBrowser(service)
  expect(await alive(plain.access_token)).toBe(true)
  expect(await alive(pair.access_token)).toBe(false)
})

test('attack 48: keeps refresh tokens invalid and gives access tokens an expiry when expiring tokens are on again', async () => {
  const switching = await approvedApp(service, { expiringTokens: true }, user.account.id)
  const turn = async (expiringTokens: boolean) =>
    (await user.browser.call('PATCH', `/api/apps/${switching.clientId}`, { expiringTokens })).statusCode
  const pair = await tokensFor(service, user.browser, switching)
  const untouched = await tokensFor(service, user.browser, app)
  expect(await turn(false)).toBe(200)
  const plain = await tokensFor(service, user.browser, switching)
  expect(await turn(true)).toBe(200)
  refused(await refreshTokens(service, switching, pair.refresh_token as string), 400, 'invalid_grant')
  const ends = new Date(service.clock.now() + 86_400_000).toISOString()
  expect((await tokenDetail(service, plain.access_token)).json()).toMatchObject({ expires_at: ends })
  // A token that was redeemed before the change and stored after it.
  const late = await tokensFor(service, user.browser, switching)
  await service.database.query('UPDATE access_tokens SET expires_at = NULL WHERE token_hash = $1', [
    hashOf(late.access_token),
  ])
  expect(await alive(late.access_token)).toBe(false)
  // The migration deletes or limits earlier tokens without an expiry. It is older than distributed tables, where it fails.
  if (!isCluster()) {
    await service.database.query(await readFile(`${import.meta.dirname}/../../../migrations/${ENDS_OF_TOKENS}`, 'utf8'))
    const endless = await service.database.query(
      'SELECT FROM access_tokens WHERE expires_at IS NULL AND token_hash = $1',
      [hashOf(late.access_token)],
    )
    expect(endless).toEqual([])
  }
  // A change of another setting does not affect tokens.
  const next = await tokensFor(service, user.browser, switching)
  await user.browser.call('PATCH', `/api/apps/${switching.clientId}`, { expiringTokens: true, s256Only: false })
  expect((await refreshTokens(service, switching, next.refresh_token as string)).statusCode).toBe(200)
  expect((await refreshTokens(service, app, untouched.refresh_token as string)).statusCode).toBe(200)
  service.clock.advance(86_400_000)
  expect(await alive(plain.access_token)).toBe(false)
  user = await signedInBrowser(service)
})

test('attack 49: rejects each class of token in place of another', async () => {
  const pair = await tokens('EVMAddress openid')
  const code = await codeFor(user.browser, app)
  const serverToken = 'qbs_' + pair.access_token.slice(4)
  for (const wrong of [pair.refresh_token, pair.id_token, code, serverToken, app.secret] as string[]) {
    refused(await tokenDetail(service, wrong), 401, 'invalid_token')
    refused(await userData(service, wrong), 401, 'invalid_token')
    refused(
      await service.fastify.inject({ url: '/oauth/userinfo', headers: { access_token: wrong } }),
      401,
      'invalid_token',
    )
  }
  for (const wrong of [pair.access_token, code, pair.id_token] as string[])
    refused(await refreshTokens(service, app, wrong), 400, 'invalid_grant')
  for (const wrong of [pair.access_token, pair.refresh_token, pair.id_token] as string[])
    refused(await redeemCode(service, app, wrong), 400, 'invalid_grant')
  expect(await introspect(app, code)).toEqual({ active: false })
  expect(await alive(pair.access_token)).toBe(true)
})

test('attack 50: rejects a token that is truncated, padded or changed', async () => {
  const { access_token: token } = await tokens()
  const flipped = token.slice(0, 20) + (token[20] === 'a' ? 'b' : 'a') + token.slice(21)
  const wrong = [token.slice(0, -1), token.slice(1), `${token}0`, `${token}=`, flipped, token.toUpperCase()]
  for (const value of [...wrong, token.replace('qbu_', 'QBU_'), `${token}.`, `0${token}`])
    refused(await tokenDetail(service, value), 401, 'invalid_token')
})

test('attack 51: rejects a token in the query string, also with a valid header', async () => {
  const { access_token } = await tokens()
  for (const url of ['/oauth/api/2/token', '/oauth/api/2/user', '/oauth/userinfo'])
    for (const headers of [{}, { access_token }]) {
      const response = await service.fastify.inject({ url: `${url}?access_token=${access_token}`, headers })
      refused(response, 400, 'invalid_request')
    }
})

test('attack 52: rejects two headers with different tokens, accepts them with the same token', async () => {
  const one = await tokens()
  const two = await tokens()
  const ask = (bearer: string, plain: string) =>
    service.fastify.inject({
      url: '/oauth/api/2/token',
      headers: { authorization: bearer, access_token: plain },
    })
  refused(await ask(`Bearer ${one.access_token}`, two.access_token), 400, 'invalid_request')
  refused(await ask(`Basic ${one.access_token}`, one.access_token), 400, 'invalid_request')
  expect((await ask(`Bearer ${one.access_token}`, one.access_token)).statusCode).toBe(200)
})

test('attack 53: forbids caching of all responses with or about tokens', async () => {
  const pair = await tokens()
  const answers = [
    await redeemCode(service, app, await codeFor(user.browser, app)),
    await redeemCode(service, app, 'qbc_wrong'),
    await refreshTokens(service, app, pair.refresh_token as string),
    await tokenDetail(service, 'x'),
    await userData(service, pair.access_token),
    await revoke(app, 'x'),
    await postForm(service, '/oauth/introspect', asClient(app, { token: 'x' })),
    await postForm(service, TOKEN_URL, {}),
    await service.fastify.inject({ url: TOKEN_URL }),
  ]
  for (const answer of answers) {
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers.pragma).toBe('no-cache')
  }
})

test('attack 54: returns only tokens of the same app by introspection', async () => {
  const pair = await tokens()
  expect(await introspect(app, pair.access_token)).toMatchObject({
    active: true,
    client_id: app.clientId,
    scope: 'EVMAddress',
    iss: ISSUER,
  })
  for (const scope of ['EVMAddress ServiceID', 'EVMAddress openid'])
    expect(await introspect(app, (await tokens(scope)).access_token)).toMatchObject({ sub: user.account.id })
  for (const token of [pair.access_token, pair.refresh_token as string])
    expect(await introspect(app, token)).not.toHaveProperty('sub')
  expect(await introspect(app, pair.refresh_token as string)).toMatchObject({ active: true })
  for (const token of [pair.access_token, pair.refresh_token as string, 'x'])
    expect(await introspect(other, token)).toEqual({ active: false })
  const anonymous = await postForm(service, '/oauth/introspect', { token: pair.access_token })
  refused(anonymous, 400, 'invalid_request')
})

test('attack 55: ignores revocations of unknown tokens and tokens of other apps, and wrong hints', async () => {
  const pair = await tokens()
  for (const token of [pair.access_token, pair.refresh_token as string]) {
    const answer = await revoke(other, token)
    expect([answer.statusCode, answer.body]).toEqual([200, '{}'])
  }
  expect(await alive(pair.access_token)).toBe(true)
  expect((await refreshTokens(service, app, pair.refresh_token as string)).statusCode).toBe(200)
  const unknown = await revoke(app, 'qbu_unknown')
  expect([unknown.statusCode, unknown.body]).toEqual([200, '{}'])
  const hinted = await tokens()
  expect((await revoke(app, hinted.access_token, 'refresh_token')).statusCode).toBe(200)
  expect(await alive(hinted.access_token)).toBe(false)
})

test('attack 56: ends the access tokens of a revoked refresh token', async () => {
  const pair = await tokens()
  expect((await revoke(app, pair.refresh_token as string)).statusCode).toBe(200)
  expect(await alive(pair.access_token)).toBe(false)
  refused(await refreshTokens(service, app, pair.refresh_token as string), 400, 'invalid_grant')
})

test('attack 57: returns 500 for a revocation that cannot be stored', async () => {
  const pair = await tokens()
  await service.database.query('ALTER TABLE access_tokens RENAME TO access_tokens_away')
  const failed = await revoke(app, pair.access_token)
  await service.database.query('ALTER TABLE access_tokens_away RENAME TO access_tokens')
  refused(failed, 500, 'server_error')
  expect(failed.body).not.toMatch(/relation|access_tokens|stack/)
  expect(await alive(pair.access_token)).toBe(true)
})

describe('attack 58: rejects at the next request the tokens of', () => {
  const expectDead = async (pair: Tokens) => {
    refused(await tokenDetail(service, pair.access_token), 401, 'invalid_token')
    refused(await userData(service, pair.access_token), 401, 'invalid_token')
  }
  test('a suspended app, until it is resumed', async () => {
    const client = await approvedApp(service, { expiringTokens: true })
    const pair = await tokensFor(service, user.browser, client)
    const code = await codeFor(user.browser, client)
    await decideApp(service.services, client.clientId, 'suspend', { reason: 'under investigation' })
    await expectDead(pair)
    refused(await refreshTokens(service, client, pair.refresh_token as string), 401, 'invalid_client')
    refused(await redeemCode(service, client, code), 401, 'invalid_client')
    await decideApp(service.services, client.clientId, 'resume')
    expect(await alive(pair.access_token)).toBe(true)
  })
  test('a deleted app', async () => {
    const client = await approvedApp(service)
    const pair = await tokensFor(service, user.browser, client)
    await removeApp(service.services, await requireApp(service.services, client.clientId))
    await expectDead(pair)
  })
  test('a withdrawn grant', async () => {
    const pair = await tokens()
    const code = await codeFor(user.browser, app)
    expect((await user.browser.call('DELETE', `/api/authorized-apps/${app.clientId}`)).statusCode).toBe(204)
    await expectDead(pair)
    refused(await redeemCode(service, app, code), 400, 'invalid_grant')
    refused(await refreshTokens(service, app, pair.refresh_token as string), 400, 'invalid_grant')
  })
  test('a shared identity that was unlinked', async () => {
    const someone = await signedInBrowser(service)
    const second = testWallet()
    service.clock.advance(1_000)
    const asked = await someone.browser.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'link',
      address: second.address,
    })
    const { id, message } = asked.json<{ id: string; message: string }>()
    await someone.browser.call('POST', `/api/challenges/${id}/proof`, { signature: second.sign(message) })
    const pair = await tokensFor(service, someone.browser, app)
    const untouched = await tokensFor(service, someone.browser, other, { scope: 'ServiceID' })
    const unlinked = await someone.browser.call('DELETE', '/api/identities', {
      kind: 'EVMAddress',
      subject: someone.account.wallet.address.toLowerCase(),
    })
    expect(unlinked.statusCode).toBe(200)
    await expectDead(pair)
    expect(await alive(untouched.access_token)).toBe(true)
  })
  test('a deleted account', async () => {
    const someone = await signedInBrowser(service)
    const pair = await tokensFor(service, someone.browser, app)
    const code = await codeFor(someone.browser, app)
    expect((await someone.browser.call('DELETE', '/api/account')).statusCode).toBe(204)
    await expectDead(pair)
    refused(await redeemCode(service, app, code), 400, 'invalid_grant')
    refused(await refreshTokens(service, app, pair.refresh_token as string), 400, 'invalid_grant')
    expect((await someone.browser.get('/api/session')).json()).toMatchObject({ account: null })
  })
})

test('attack 61: a scope beyond the grant is 403 insufficient_scope when nothing that was asked is granted', async () => {
  const { access_token } = await tokens('EVMAddress')
  const response = await userData(service, access_token, '?scope=Discord%20Email')
  refused(response, 403, 'insufficient_scope')
  expect(response.headers['www-authenticate']).toContain('error="insufficient_scope"')
  expect(Object.keys((await userData(service, access_token, '?scope=Discord%20EVMAddress')).json())).toEqual([
    'EVMAddress',
  ])
  refused(
    await service.fastify.inject({ url: '/oauth/userinfo', headers: { access_token } }),
    403,
    'insufficient_scope',
  )
})
