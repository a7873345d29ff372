import { createSignIn, OAuthError, type SignIn, type SignInOptions } from '@questboard/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY } from '../../server/src/clock.ts'
import type { Browser } from '../../server/test/support/oauth-browser.ts'
import {
  approvedApp,
  CALLBACK,
  requestIdOf,
  signedInBrowser,
  type TestApp,
} from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'

let service: SignInService
let app: TestApp
let expiringApp: TestApp
let browser: Browser
let address: string
beforeAll(async () => {
  service = await startListening()
  app = await approvedApp(service)
  expiringApp = await approvedApp(service, { expiringTokens: true })
  const { browser: signedIn, account } = await signedInBrowser(service)
  browser = signedIn
  address = account.wallet.address.toLowerCase()
})
afterAll(() => service.close())

function signInOf(to: TestApp, options: Partial<SignInOptions> = {}): SignIn {
  return createSignIn({
    baseUrl: service.issuer,
    clientId: to.clientId,
    clientSecret: to.secret,
    redirectUri: to.redirectUri,
    scope: ['EVMAddress'],
    ...options,
  })
}

/** Allows or denies as the user. Returns the URL of the redirect. */
async function decide(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const { pathname, search } = new URL(url)
  const started = await browser.get(pathname + search)
  if (String(started.headers.location).startsWith(CALLBACK)) return String(started.headers.location)
  const decided = await browser.call('POST', `/api/authorizations/${requestIdOf(started)}`, { decision })
  return decided.json<{ redirect: string }>().redirect
}

async function tokensOf(signIn: SignIn) {
  const { url, attempt } = await signIn.begin()
  return signIn.finish(await decide(url), attempt)
}

test('signs a user in, and reads token detail and user data', async () => {
  const signIn = signInOf(app)
  const { url, attempt } = await signIn.begin()
  const asked = Object.fromEntries(new URL(url).searchParams)
  expect(asked).toMatchObject({ client_id: app.clientId, redirect_uri: CALLBACK, scope: 'EVMAddress' })
  expect(asked).toMatchObject({ state: attempt.state, code_challenge_method: 'S256' })
  const tokens = await signIn.finish(await decide(url), attempt)
  expect(tokens).toMatchObject({ scope: 'EVMAddress', expiresAt: null, refreshToken: null })
  expect(await signIn.tokenDetail(tokens.accessToken)).toEqual({
    clientId: app.clientId,
    scope: 'EVMAddress',
    expiresAt: null,
  })
  expect(await signIn.userData(tokens.accessToken)).toEqual({ EVMAddress: address })
  expect(await signIn.userData(tokens.accessToken, { scope: ['EVMAddress', 'Discord'] })).toEqual({
    EVMAddress: address,
  })
})

test('accepts the token in the Authorization header', async () => {
  const headers: string[] = []
  const signIn = signInOf(app, {
    tokenHeader: 'authorization',
    fetch: (url, init) => {
      headers.push(...Object.keys(init.headers))
      return fetch(url, init)
    },
  })
  expect(await signIn.userData((await tokensOf(signIn)).accessToken)).toEqual({ EVMAddress: address })
  expect(headers).toContain('authorization')
  expect(headers).not.toContain('access_token')
})

test('accepts the callback as a URL, path, query or parameters', async () => {
  const signIn = signInOf(app)
  const forms: Array<(callback: URL) => string | URL | URLSearchParams> = [
    (callback) => callback,
    (callback) => callback.pathname + callback.search,
    (callback) => callback.search,
    (callback) => callback.searchParams,
  ]
  for (const form of forms) {
    const { url, attempt } = await signIn.begin()
    const tokens = await signIn.finish(form(new URL(await decide(url))), attempt)
    expect(tokens.accessToken).toMatch(/^qbu_/)
  }
})

test('reports access_denied if the user refuses', async () => {
  const signIn = signInOf(await approvedApp(service))
  const { url, attempt } = await signIn.begin()
  const finished = signIn.finish(await decide(url, 'deny'), attempt)
  await expect(finished).rejects.toBeInstanceOf(OAuthError)
  await expect(finished).rejects.toMatchObject({ code: 'access_denied', httpStatus: undefined })
})

test('refreshes tokens before they expire, once for all callers, and stores them before use', async () => {
  let now = Date.now()
  const signIn = signInOf(expiringApp, { clock: { now: () => now, sleep: async () => {} } })
  const first = await tokensOf(signIn)
  expect(first.expiresAt).toBe(now + DAY)
  const stored: string[] = []
  const session = signIn.session(first, async (tokens) => {
    await signIn.tokenDetail(tokens.accessToken)
    stored.push(tokens.accessToken)
  })
  now += DAY - 60_001
  expect(await session.accessToken()).toBe(first.accessToken)
  now += 1
  const [one, other] = await Promise.all([session.accessToken(), session.accessToken()])
  expect(one).toBe(other)
  expect(stored).toEqual([one])
  expect(session.tokens.refreshToken).not.toBe(first.refreshToken)
  expect(await signIn.userData(one)).toEqual({ EVMAddress: address })
  await expect(signIn.tokenDetail(first.accessToken)).rejects.toMatchObject({ code: 'invalid_token', httpStatus: 401 })
  await expect(signIn.refresh(first)).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('reports code, status and request id of a rejected request', async () => {
  const wrong = signInOf({ ...app, secret: 'qbx_wrong' })
  const { url, attempt } = await wrong.begin()
  await expect(wrong.finish(await decide(url), attempt)).rejects.toMatchObject({
    name: 'OAuthError',
    code: 'invalid_client',
    httpStatus: 401,
    requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
  })
  const signIn = signInOf(app)
  const tokens = await tokensOf(signIn)
  await expect(signIn.userData(tokens.accessToken, { scope: ['Discord'] })).rejects.toMatchObject({
    code: 'insufficient_scope',
    httpStatus: 403,
  })
})

test('accepts a code once', async () => {
  const signIn = signInOf(app)
  const { url, attempt } = await signIn.begin()
  const callback = await decide(url)
  await signIn.finish(callback, attempt)
  await expect(signIn.finish(callback, attempt)).rejects.toMatchObject({ code: 'invalid_grant', httpStatus: 400 })
})

test('requires the secret in addition to PKCE', async () => {
  const { clientId, redirectUri } = app
  const signIn = createSignIn({ baseUrl: service.issuer, clientId, redirectUri })
  const { url, attempt } = await signIn.begin()
  await expect(signIn.finish(await decide(url), attempt)).rejects.toMatchObject({ code: 'invalid_client' })
})
