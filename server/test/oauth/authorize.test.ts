import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  clientId as upstreamClientId,
  type OauthUpstream,
  startOauthUpstream,
  upstreamSettings,
} from '../identity/upstreams/oauth-upstream.ts'
import { type Browser, openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  redeemCode,
  requestIdOf,
  signedInBrowser,
  type TestApp,
  type Tokens,
  userData,
} from '../support/oauth-flow.ts'
import { ISSUER, type SignInService, startSignIn } from '../support/oauth-service.ts'
import { testWallet } from '../support/oauth-wallet.ts'

let upstream: OauthUpstream
let service: SignInService
let app: TestApp
beforeAll(async () => {
  upstream = await startOauthUpstream()
  service = await startSignIn({ checkAnswers: true, settings: upstreamSettings(upstream.url) })
  app = await approvedApp(service)
})
beforeEach(() => service.clock.advance(61_000))
afterAll(async () => {
  await Promise.all([service.close(), upstream.close()])
})

const FORM = 'application/x-www-form-urlencoded'
const post = (browser: Browser, form: string, query = '', contentType = FORM) =>
  browser.send({ method: 'POST', url: `/oauth${query}`, headers: { 'content-type': contentType }, body: form })

describe('POST /oauth (RFC 6749 3.1, OpenID Connect Core 3.1.2.1)', () => {
  const formOf = (parameters: Record<string, string> = {}) => authorizeUrl(app, parameters).slice('/oauth?'.length)

  test('treats a form like the same request by GET, with any values', async () => {
    const browser = openBrowser(service.fastify)
    const state = 'line\r\nLocation: https://evil.example & ünïcødé +%2B'
    const posted = await post(browser, formOf({ state }))
    expect(posted.statusCode).toBe(303)
    expect(posted.headers['set-cookie']).toBeUndefined()
    const next = new URL(String(posted.headers.location))
    expect(next.origin + next.pathname).toBe(`${ISSUER}/oauth`)
    expect(next.searchParams.get('state')).toBe(state)
    requestIdOf(await browser.get(next.pathname + next.search))
  })
  test('accepts parameters in the URL and in the form, each once', async () => {
    const browser = openBrowser(service.fastify)
    const both = await post(browser, `client_id=${app.clientId}`, '?scope=EVMAddress')
    expect(String(both.headers.location)).toBe(`${ISSUER}/oauth?scope=EVMAddress&client_id=${app.clientId}`)
    const twice = await post(browser, formOf(), '?state=other')
    expect(twice.statusCode).toBe(400)
    expect(twice.headers.location).toBeUndefined()
    expect((await post(browser, `${formOf()}&state=other`)).statusCode).toBe(400)
  })
  test.each([
    [415, '{}', 'application/json'],
    [415, 'x', 'text/plain'],
    [400, 'a=%zz', FORM],
    [400, 'a=%00', FORM],
    [400, 'a[]=1', FORM],
    [413, `state=${'%01'.repeat(4000)}`, FORM],
    [413, 'x'.repeat(20_000), FORM],
  ])('responds with %i to %j as %s', async (status, body, contentType) => {
    const response = await post(openBrowser(service.fastify), body, '', contentType)
    expect(response.statusCode).toBe(status)
    expect(response.headers.location).toBeUndefined()
  })
  test.each(['HEAD', 'PUT', 'PATCH', 'DELETE'] as const)('responds with 405 to %s', async (method) => {
    const response = await service.fastify.inject({ method, url: authorizeUrl(app) })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('GET, POST')
  })
})

describe('concurrent requests', () => {
  test('completes the requests of two tabs in a new browser', async () => {
    const [first, second] = await Promise.all([
      openBrowser(service.fastify).get(authorizeUrl(app, { state: 'first' })),
      openBrowser(service.fastify).get(authorizeUrl(app, { state: 'second' })),
    ])
    // The browser keeps the cookies of the later response.
    const browser = openBrowser(service.fastify)
    for (const { cookies } of [first, second]) for (const { name, value } of cookies) browser.cookies.set(name, value)
    await signInWithWallet(browser)
    for (const [tab, state] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      const path = `/api/authorizations/${requestIdOf(tab)}`
      expect((await browser.get(path)).json()).toMatchObject({ scopes: [{ scope: 'EVMAddress', missing: false }] })
      const { redirect } = (await browser.call('POST', path, { decision: 'allow' })).json<{ redirect: string }>()
      expect(new URL(redirect).searchParams.get('state')).toBe(state)
    }
  })
  test('does not open another request with the cookie of one tab', async () => {
    const [first, second] = await Promise.all([
      openBrowser(service.fastify).get(authorizeUrl(app)),
      openBrowser(service.fastify).get(authorizeUrl(app)),
    ])
    const browser = openBrowser(service.fastify)
    for (const { name, value } of first.cookies) browser.cookies.set(name, value)
    expect((await browser.get(`/api/authorizations/${requestIdOf(second)}`)).statusCode).toBe(404)
  })
  test('keeps a request when the user signs out and in to another account', async () => {
    const { browser } = await signedInBrowser(service)
    const path = `/api/authorizations/${requestIdOf(await browser.get(authorizeUrl(app)))}`
    await browser.call('DELETE', '/api/session')
    expect((await browser.get(path)).json()).toMatchObject({ account: null })
    const { id } = await signInWithWallet(browser)
    expect((await browser.get(path)).json()).toMatchObject({ account: { id } })
  })
})

describe('a missing identity', () => {
  const asked = () => authorizeUrl(app, { scope: 'Discord EVMAddress' })
  interface View {
    scopes: { scope: string; identities: { subject: string }[]; missing: boolean; link: { start?: string }[] }[]
  }
  const viewOf = async (browser: Browser, id: string) =>
    (await browser.get(`/api/authorizations/${id}`)).json<View>().scopes[0]

  test('links Discord, returns to the same request and includes the identity in the user data', async () => {
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(asked()))
    const before = await viewOf(browser, id)
    expect(before).toMatchObject({ scope: 'Discord', identities: [], missing: true, link: [{ way: 'redirect' }] })
    const leaving = await browser.get(before?.link[0]?.start as string)
    expect(String(leaving.headers.location)).toContain(`client_id=${upstreamClientId}`)
    const user = { id: '80351110224678912', username: 'nelly', global_name: 'Nelly' }
    const answer = upstream.consent(String(leaving.headers.location), user)
    const back = await browser.get(`/identity/Discord/callback?${answer.toString()}`)
    expect(back.headers.location).toBe(`/authorize/${id}`)
    expect(await viewOf(browser, id)).toMatchObject({ identities: [{ subject: user.id }], missing: false, link: [] })
    const decided = await browser.call('POST', `/api/authorizations/${id}`, {
      decision: 'allow',
      identities: { Discord: user.id },
    })
    const code = new URL(decided.json<{ redirect: string }>().redirect).searchParams.get('code') as string
    const tokens = (await redeemCode(service, app, code)).json<Tokens>()
    expect((await userData(service, tokens.access_token, '?scope=Discord')).json()).toEqual({
      DiscordUsername: 'nelly',
      DiscordUserID: user.id,
    })
  })
  test('links a wallet by a challenge, and offers only enabled kinds', async () => {
    const browser = openBrowser(service.fastify)
    const account = await signInWithWallet(browser)
    service.clock.advance(1000)
    const id = requestIdOf(await browser.get(authorizeUrl(app, { scope: 'Email EVMAddress' })))
    expect(await viewOf(browser, id)).toMatchObject({ scope: 'Email', missing: true, link: [] })
    const wallet = testWallet()
    const challenge = await browser.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'link',
      address: wallet.address,
    })
    const { id: challengeId, message } = challenge.json<{ id: string; message: string }>()
    await browser.call('POST', `/api/challenges/${challengeId}/proof`, { signature: wallet.sign(message) })
    const shown = (await browser.get(`/api/authorizations/${id}`)).json<View>().scopes[1]
    expect(shown?.identities.map(({ subject }) => subject)).toEqual(
      [account.wallet, wallet].map(({ address }) => address.toLowerCase()),
    )
  })
  test('reports on the page that the sign-in is too old for linking, and keeps the request', async () => {
    const { browser } = await signedInBrowser(service)
    service.clock.advance(59 * 60_000)
    const id = requestIdOf(await browser.get(asked()))
    service.clock.advance(2 * 60_000)
    const refused = await browser.get((await viewOf(browser, id))?.link[0]?.start as string)
    expect(refused.headers.location).toBe(
      `/authorize/${id}?identity_error=fresh_sign_in_required&identity_kind=Discord`,
    )
    expect(await viewOf(browser, id)).toMatchObject({ missing: true })
  })
})
