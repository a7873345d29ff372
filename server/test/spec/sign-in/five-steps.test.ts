import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePlans } from '../../../src/access/plans.ts'
import { REFRESH_GRACE } from '../../../src/lifetimes.ts'
import { logOptions } from '../../../src/logging/log.ts'
import { readCredential } from '../../../src/secrets/oauth-token-format.ts'
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
  type TestApp,
  tokenDetail,
  type Tokens,
  tokensFor,
  userData,
} from '../../support/oauth-flow.ts'
import { holdLocks } from '../../support/held.ts'
import { openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'

const familyOf = (kind: 'code' | 'refresh', value: string) => readCredential(kind, value)?.family

let service: SignInService
let app: TestApp
let expiring: TestApp
beforeAll(async () => {
  service = await startSignIn({ checkAnswers: true })
  app = await approvedApp(service)
  expiring = await approvedApp(service, { expiringTokens: true })
})
afterAll(() => service.close())

describe('the five steps of the specification', () => {
  test('lets a new user sign in with a wallet and allow the app to read the address', async () => {
    const browser = openBrowser(service.fastify)
    const started = await browser.get(authorizeUrl(app))
    expect(started.statusCode).toBe(303)
    expect(started.headers.location).toMatch(new RegExp(`^${ISSUER}/authorize/[A-Za-z0-9]{32}$`))
    const id = requestIdOf(started)
    const before = await browser.get(`/api/authorizations/${id}`)
    expect(before.json()).toMatchObject({ app: { name: 'Example App', returnsTo: 'app.example.com' }, account: null })

    const { wallet } = await signInWithWallet(browser)
    const address = wallet.address.toLowerCase()
    const shown = await browser.get(`/api/authorizations/${id}`)
    expect(shown.json()).toMatchObject({
      scopes: [{ scope: 'EVMAddress', identities: [{ subject: address }], picked: address, missing: false }],
      account: { identities: [{ kind: 'EVMAddress', subject: address }] },
    })
    const decided = await browser.call('POST', `/api/authorizations/${id}`, {
      decision: 'allow',
      identities: { EVMAddress: address },
    })
    const callback = new URL(decided.json<{ redirect: string }>().redirect)
    expect(callback.origin + callback.pathname).toBe('https://app.example.com/callback')
    expect(callback.searchParams.get('state')).toBe('state-of-the-app')
    expect(callback.searchParams.get('iss')).toBe(ISSUER)

    const redeemed = await redeemCode(service, app, callback.searchParams.get('code') as string)
    expect(redeemed.statusCode).toBe(200)
    expect(redeemed.headers['cache-control']).toBe('no-store')
    const tokens = redeemed.json<Tokens>()
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'scope', 'token_type'])
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'EVMAddress' })

    const detail = await tokenDetail(service, tokens.access_token)
    expect(detail.json()).toEqual({ client_id: app.clientId, scope: 'EVMAddress', expires_at: null })
    const data = await userData(service, tokens.access_token, '?scope=EVMAddress')
    expect(data.json()).toEqual({ EVMAddress: address })
  })

  test('accepts requests without grant_type and redirect_uri, and JSON, multipart and Basic', async () => {
    const { browser } = await signedInBrowser(service)
    const url = '/oauth/auth/2/token'
    const body = async () => ({
      client_id: app.clientId,
      client_secret: app.secret,
      code: await codeFor(browser, app),
    })
    const bare = await redeemCode(service, app, await codeFor(browser, app), { grant_type: undefined })
    expect(bare.statusCode).toBe(200)
    const json = await service.fastify.inject({ method: 'POST', url, payload: await body() })
    expect(json.statusCode).toBe(200)
    const form = new FormData()
    for (const [name, value] of Object.entries(await body())) form.set(name, value)
    const encoded = new Response(form)
    const multipart = await service.fastify.inject({
      method: 'POST',
      url,
      headers: { 'content-type': encoded.headers.get('content-type') as string },
      payload: Buffer.from(await encoded.arrayBuffer()),
    })
    expect(multipart.statusCode).toBe(200)
    const basic = await service.fastify.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}`,
      },
      payload: `code=${await codeFor(browser, app)}&redirect_uri=${encodeURIComponent(app.redirectUri)}`,
    })
    expect(basic.statusCode).toBe(200)
  })

  test('issues tokens for a day to an app with expiring tokens, and replaces both at a refresh', async () => {
    const { browser } = await signedInBrowser(service)
    const first = await tokensFor(service, browser, expiring)
    expect(first.expires_in).toBe(86_400)
    const detail = await tokenDetail(service, first.access_token)
    expect(detail.json<{ expires_at: string }>().expires_at).toBe(
      new Date(service.clock.now() + 86_400_000).toISOString(),
    )
    const refreshed = await refreshTokens(service, expiring, first.refresh_token as string)
    expect(refreshed.statusCode).toBe(200)
    const second = refreshed.json<Tokens>()
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await tokenDetail(service, first.access_token)).statusCode).toBe(401)
    expect((await tokenDetail(service, second.access_token)).statusCode).toBe(200)
  })

  test('keeps codes and refresh tokens valid, and creates no token, after 503', async () => {
    await ensurePlans(service.database, service.services.config)
    const logged: string[] = []
    const { database, clock } = service
    const log = pino(logOptions('info'), { write: (line) => void logged.push(line) })
    const hurried = await startSignIn({ database, clock, log, answerDeadline: 1_000 })
    const patient = await startSignIn({ database, clock, log })
    const { browser, account } = await signedInBrowser(service)
    const stolen = await tokensFor(service, browser, expiring)
    const renewed = (await refreshTokens(service, expiring, stolen.refresh_token as string)).json<Tokens>()
    service.clock.advance(REFRESH_GRACE + 1)
    const spent = await codeFor(browser, app)
    const redeemed = (await redeemCode(service, app, spent)).json<Tokens>()
    const pair = await tokensFor(service, browser, expiring)
    const code = await codeFor(browser, app)
    const ask = (asked: SignInService) => {
      const there = openBrowser(asked.fastify)
      for (const [name, value] of browser.cookies) there.cookies.set(name, value)
      return Promise.all([
        refreshTokens(asked, expiring, pair.refresh_token as string),
        redeemCode(asked, app, code),
        there.call('POST', '/api/tokens', { name: 'only one', areas: ['space'] }),
      ])
    }
    const grant = 'SELECT FROM grants WHERE family = $1 FOR UPDATE'
    // Rows and no tables, so that only requests that lock or change these rows wait. One by one, for clusters.
    const held = await holdLocks(
      service.database.pool,
      [grant, [familyOf('refresh', stolen.refresh_token as string)]],
      [grant, [familyOf('refresh', pair.refresh_token as string)]],
      [grant, [familyOf('code', spent)]],
      ['SELECT FROM authorization_codes WHERE family = $1 FOR UPDATE', [familyOf('code', code)]],
      ['SELECT FROM accounts WHERE account_id = $1 FOR UPDATE', [account.id]],
    )
    const replays = [refreshTokens(hurried, expiring, stolen.refresh_token as string), redeemCode(hurried, app, spent)]
    const answers = await Promise.all([...replays, ask(hurried)])
    expect(answers.flat().map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 503, 503])
    await held.release()
    await expect
      .poll(() =>
        service.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
             AND state <> 'idle'`,
        ),
      )
      .toEqual([])
    // The replayed grants are revoked without a retry, because a thief does not retry.
    for (const { access_token } of [renewed, redeemed])
      expect((await tokenDetail(service, access_token)).statusCode).toBe(401)
    expect(logged.join('')).not.toContain('token.created')
    service.clock.advance(15_000)
    expect((await ask(patient)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 201])
    expect(logged.join('')).toContain('token.created')
    const tokens = await service.database.query(`SELECT FROM server_tokens WHERE name = 'only one'`)
    expect(tokens).toHaveLength(1)
    await Promise.all([hurried.close(), patient.close()])
  })

  test('does not redeem a code when the id_token cannot be created', async () => {
    const { browser } = await signedInBrowser(service)
    const code = await codeFor(browser, app, { scope: 'openid' })
    await service.database.query('ALTER TABLE signing_keys RENAME TO elsewhere')
    expect((await redeemCode(service, app, code)).statusCode).toBe(500)
    await service.database.query('ALTER TABLE elsewhere RENAME TO signing_keys')
    expect((await redeemCode(service, app, code)).json()).toMatchObject({
      scope: 'openid',
      id_token: expect.any(String) as string,
    })
  })

  test('supports PKCE with S256, plain and no method', async () => {
    const { browser } = await signedInBrowser(service)
    const { verifier, challenge } = pkcePair()
    for (const parameters of [
      { code_challenge: challenge, code_challenge_method: 'S256' },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: verifier },
    ]) {
      const redeemed = await redeemCode(service, app, await codeFor(browser, app, parameters), {
        code_verifier: verifier,
      })
      expect(redeemed.statusCode).toBe(200)
    }
  })
})

describe('scopes', () => {
  test('omits the keys of scopes that are not granted or have no identity', async () => {
    const { browser, account } = await signedInBrowser(service)
    const tokens = await tokensFor(service, browser, app, { scope: 'EVMAddress Discord ServiceID' })
    const data = await userData(service, tokens.access_token, '?scope=EVMAddress%20Discord%20Email%20ServiceID')
    expect(data.json()).toEqual({
      EVMAddress: account.wallet.address.toLowerCase(),
      ServiceID: account.username,
      ServiceUserID: account.id,
      GalxeID: account.username,
      GalxeUserID: account.id,
    })
  })

  test('uses the scopes of the previous grant without a scope parameter', async () => {
    const { browser } = await signedInBrowser(service)
    const empty = await tokensFor(service, browser, app, { scope: undefined })
    expect(empty.scope).toBe('')
    expect((await userData(service, empty.access_token)).json()).toEqual({})
    await tokensFor(service, browser, app, { scope: 'EVMAddress' })
    await tokensFor(service, browser, app, { scope: 'ServiceID' })
    const union = await tokensFor(service, browser, app, { scope: '' })
    expect(union.scope.split(' ').sort()).toEqual(['EVMAddress', 'ServiceID'])
  })

  test('returns the selected identity', async () => {
    const { browser } = await signedInBrowser(service)
    const second = testWallet()
    const asked = await browser.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'link',
      address: second.address,
    })
    const { id, message } = asked.json<{ id: string; message: string }>()
    expect(message).toContain('Link this EVM wallet to your Questboard account')
    const linked = await browser.call('POST', `/api/challenges/${id}/proof`, { signature: second.sign(message) })
    expect(linked.statusCode).toBe(200)
    const callback = await allow(browser, app, {}, { EVMAddress: second.address.toLowerCase() })
    const redeemed = await redeemCode(service, app, callback.searchParams.get('code') as string)
    const data = await userData(service, redeemed.json<Tokens>().access_token)
    expect(data.json()).toEqual({ EVMAddress: second.address.toLowerCase() })
  })
})

test('redirects a user who refuses to the app with access_denied, also before the sign-in', async () => {
  const browser = openBrowser(service.fastify)
  const id = requestIdOf(await browser.get(authorizeUrl(app)))
  const decided = await browser.call('POST', `/api/authorizations/${id}`, { decision: 'deny' })
  const back = new URL(decided.json<{ redirect: string }>().redirect)
  expect(Object.fromEntries(back.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'state-of-the-app',
    iss: ISSUER,
  })
})
