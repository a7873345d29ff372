import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allow,
  approvedApp,
  authorizeUrl,
  codeFor,
  pkcePair,
  redeemCode,
  refreshTokens,
  requestIdOf,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokenDetail,
  type Tokens,
  userData,
} from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
let other: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service, { expiringTokens: true })
  other = await approvedApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

test('attack 19: rejects a code that was already redeemed, and revokes its tokens', async () => {
  const code = await codeFor(user.browser, app)
  const tokens = (await redeemCode(service, app, code)).json<Tokens>()
  const refreshed = (await refreshTokens(service, app, tokens.refresh_token as string)).json<Tokens>()
  service.clock.advance(30_000)
  refused(await redeemCode(service, app, code), 400, 'invalid_grant')
  expect((await tokenDetail(service, refreshed.access_token)).statusCode).toBe(401)
  refused(await refreshTokens(service, app, refreshed.refresh_token as string), 400, 'invalid_grant')
  const [event] = await service.database.query<{ event: string; client_id: string }>(
    `SELECT event, client_id FROM security_events WHERE account_id = $1 AND event = 'grant.code-replayed'`,
    [user.account.id],
  )
  expect(event).toMatchObject({ client_id: app.clientId })
})

test('attack 20: accepts one of eight parallel redemptions', async () => {
  const code = await codeFor(user.browser, app)
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeemCode(service, app, code)))
  const statuses = answers.map((answer) => answer.statusCode).sort()
  expect(statuses).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
  const winners = await service.database.query('SELECT 1 FROM grants WHERE account_id = $1 AND revoked_at IS NULL', [
    user.account.id,
  ])
  expect(winners).toEqual([])
})

test('attack 21: rejects the correct verifier after a failed PKCE attempt', async () => {
  const { verifier, challenge } = pkcePair()
  const code = await codeFor(user.browser, app, { code_challenge: challenge, code_challenge_method: 'S256' })
  refused(await redeemCode(service, app, code, { code_verifier: pkcePair().verifier }), 400, 'invalid_grant')
  refused(await redeemCode(service, app, code, { code_verifier: verifier }), 400, 'invalid_grant')
})

test('attack 22: rejects the code of another app, which stays valid for its app', async () => {
  const code = await codeFor(user.browser, app)
  refused(await redeemCode(service, other, code), 400, 'invalid_grant')
  expect((await redeemCode(service, app, code)).statusCode).toBe(200)
  refused(await redeemCode(service, other, code), 400, 'invalid_grant')
})

test('attack 23: rejects another redirect_uri than that of the request; it is optional', async () => {
  const twoUris = await approvedApp(service, {
    redirectUris: ['https://app.example.com/one', 'https://app.example.com/two'],
  })
  const code = await codeFor(user.browser, twoUris)
  refused(
    await redeemCode(service, twoUris, code, { redirect_uri: 'https://app.example.com/two' }),
    400,
    'invalid_grant',
  )
  const matching = await codeFor(user.browser, twoUris)
  const redeemed = await redeemCode(service, twoUris, matching, { redirect_uri: 'https://app.example.com/one' })
  expect(redeemed.statusCode).toBe(200)
  expect((await redeemCode(service, twoUris, await codeFor(user.browser, twoUris))).statusCode).toBe(200)
})

test('attack 24: accepts a code after 599 seconds and rejects it after 601', async () => {
  const early = await codeFor(user.browser, app)
  service.clock.advance(599_000)
  expect((await redeemCode(service, app, early)).statusCode).toBe(200)
  const late = await codeFor(user.browser, app)
  service.clock.advance(601_000)
  refused(await redeemCode(service, app, late), 400, 'invalid_grant')
})

test('attack 25: rejects a code as bearer token or refresh token, without using it up', async () => {
  const code = await codeFor(user.browser, app)
  refused(await userData(service, code), 401, 'invalid_token')
  refused(await tokenDetail(service, code), 401, 'invalid_token')
  refused(await refreshTokens(service, app, code), 400, 'invalid_grant')
  expect((await redeemCode(service, app, code)).statusCode).toBe(200)
})

test('attack 26: creates unique codes with 192 random bits and stores no plain text', async () => {
  const codes = await Promise.all(Array.from({ length: 20 }, () => codeFor(user.browser, app)))
  expect(new Set(codes).size).toBe(20)
  for (const code of codes) expect(code).toMatch(/^qbc_[0-9A-Za-z]{49}$/)
  const rows = await service.database.query<{ text: string }>('SELECT c::text AS text FROM authorization_codes c')
  const stored = rows.map(({ text }) => text).join('\n')
  for (const code of codes) expect(stored).not.toContain(code.slice(4, 40))
})

describe('attack 27: consent swap', () => {
  test('grants the scopes that the page showed, regardless of the query of the submission', async () => {
    const browser = openBrowser(service.fastify)
    browser.cookies.clear()
    for (const [name, value] of user.browser.cookies) browser.cookies.set(name, value)
    const fresh = await approvedApp(service)
    const id = requestIdOf(await browser.get(authorizeUrl(fresh, { scope: 'ServiceID' })))
    const decided = await browser.call('POST', `/api/authorizations/${id}?scope=EVMAddress`, {
      decision: 'allow',
      identities: {},
    })
    const code = new URL(decided.json<{ redirect: string }>().redirect).searchParams.get('code') as string
    const tokens = (await redeemCode(service, fresh, code)).json<Tokens>()
    expect(tokens.scope).toBe('ServiceID')
    expect((await userData(service, tokens.access_token)).json()).not.toHaveProperty('EVMAddress')
  })
  test('rejects an identity of another user or of a scope that was not requested', async () => {
    const fresh = await approvedApp(service)
    const stranger = await signedInBrowser(service)
    for (const identities of [
      { EVMAddress: user.account.wallet.address.toLowerCase() },
      { ServiceID: stranger.account.id },
      { toString: 'x' },
    ]) {
      const id = requestIdOf(await user.browser.get(authorizeUrl(fresh, { scope: 'ServiceID' })))
      const decided = await user.browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow', identities })
      expect(decided.statusCode).toBe(400)
    }
    expect((await allow(user.browser, fresh, { scope: 'ServiceID' })).searchParams.has('code')).toBe(true)
  })
})
