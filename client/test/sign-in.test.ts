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

/** What the user does on the pages: allows or denies. Answers the URL that the browser is sent back to. */
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

test('a user signs in, and the app reads token detail and user data', async () => {
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

test('the token can travel in the Authorization header instead', async () => {
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

test('the callback may be a URL, a path, a query or its parameters', async () => {
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

test('a user who refuses is access_denied', async () => {
  const signIn = signInOf(await approvedApp(service))
  const { url, attempt } = await signIn.begin()
  const finished = signIn.finish(await decide(url, 'deny'), attempt)
  await expect(finished).rejects.toBeInstanceOf(OAuthError)
  await expect(finished).rejects.toMatchObject({ code: 'access_denied', httpStatus: undefined })
})

test('tokens are refreshed before they expire, once for all who ask, and stored before they are used', async () => {
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

test('a refused request has the code, the status and the request id of the service', async () => {
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

test('a code works once', async () => {
  const signIn = signInOf(app)
  const { url, attempt } = await signIn.begin()
  const callback = await decide(url)
  await signIn.finish(callback, attempt)
  await expect(signIn.finish(callback, attempt)).rejects.toMatchObject({ code: 'invalid_grant', httpStatus: 400 })
})

test('without the secret PKCE alone is not enough', async () => {
  const { clientId, redirectUri } = app
  const signIn = createSignIn({ baseUrl: service.issuer, clientId, redirectUri })
  const { url, attempt } = await signIn.begin()
  await expect(signIn.finish(await decide(url), attempt)).rejects.toMatchObject({ code: 'invalid_client' })
})
