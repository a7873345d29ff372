import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rotateSigningKey } from '../../../src/oauth/signing-keys.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import {
  allow,
  approvedApp,
  authorizeUrl,
  pkcePair,
  postForm,
  refreshTokens,
  requestIdOf,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  TOKEN_URL,
  type Tokens,
} from '../../support/oauth-flow.ts'
import { publicApp } from '../../support/public-client.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'

// Tests for the modules of the OpenID Connect Basic OP certification plan, with the names of the modules.
// docs/decisions/0019-follow-the-openid-basic-op-plan.md lists the modules that do not apply.
type Extra = Record<string, string | undefined>

const errorOf = (location: unknown) => new URL(String(location)).searchParams.get('error')

describe.each(['a client with a secret', 'a client without a secret'] as const)('%s', (kind) => {
  const isPublic = kind === 'a client without a secret'
  let service: SignInService
  let app: TestApp
  let user: SignedIn
  beforeAll(async () => {
    service = await startSignIn({ checkAnswers: true })
    app = isPublic
      ? { ...(await publicApp(service)), secret: '' }
      : await approvedApp(service, { expiringTokens: true })
    user = await signedInBrowser(service)
  })
  beforeEach(() => service.clock.advance(61_000))
  afterAll(() => service.close())

  // A client without a secret proves with S256 that it sent the request.
  const { verifier, challenge } = pkcePair()
  const proof = isPublic ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}
  const authorize = (extra: Extra) => authorizeUrl(app, { ...proof, ...extra })

  /** Sends a form to the token endpoint. */
  function postToken(parameters: Extra) {
    if (isPublic) return postForm(service, TOKEN_URL, { client_id: app.clientId, ...parameters })
    const authorization = `Basic ${btoa(`${app.clientId}:${app.secret}`)}`
    return postForm(service, TOKEN_URL, parameters, { authorization })
  }

  /** The code of an authentication request that the user allowed. */
  async function codeOf(extra: Extra = {}, browser = user.browser): Promise<string> {
    const url = await allow(browser, app, {
      scope: 'openid',
      response_type: 'code',
      nonce: 'n-0S6_WzA2Mj',
      ...proof,
      ...extra,
    })
    expect(url.searchParams.get('state')).toBe('state-of-the-app')
    expect(url.searchParams.get('iss')).toBe(ISSUER)
    return url.searchParams.get('code') as string
  }

  const redeem = (code: string, extra: Extra = {}) =>
    postToken({
      grant_type: 'authorization_code',
      code,
      redirect_uri: app.redirectUri,
      code_verifier: isPublic ? verifier : undefined,
      ...extra,
    })

  async function tokensOf(extra: Extra = {}): Promise<Tokens & { id_token: string }> {
    const response = await redeem(await codeOf(extra))
    expect(response.statusCode).toBe(200)
    return response.json<Tokens & { id_token: string }>()
  }

  const keysNow = async () => (await service.fastify.inject('/oauth/jwks')).json<JSONWebKeySet>()

  async function verified(idToken: string) {
    return jwtVerify(idToken, createLocalJWKSet(await keysNow()), {
      issuer: ISSUER,
      audience: app.clientId,
      currentDate: new Date(service.clock.now()),
    })
  }

  const silent = (browser: Browser, extra: Extra = {}) =>
    browser.get(authorize({ scope: 'openid', response_type: 'code', prompt: 'none', ...extra }))

  test('oidcc-server: returns all claims of the id_token and all members of the token response', async () => {
    const tokens = await tokensOf()
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid', expires_in: 86_400 })
    const { payload, protectedHeader } = await verified(tokens.id_token)
    const now = Math.floor(service.clock.now() / 1000)
    expect(payload).toMatchObject({ sub: user.account.id, nonce: 'n-0S6_WzA2Mj', iat: now, exp: now + 3600 })
    expect(payload.aud).toBe(app.clientId)
    expect(payload.azp).toBeUndefined()
    expect(payload.sub?.length).toBeLessThanOrEqual(255)
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) as string })
  })

  test('oidcc-idtoken-signature: signs with RS256 and a published key of at least 2048 bits', async () => {
    const { id_token } = await tokensOf()
    const { kid } = decodeProtectedHeader(id_token)
    const key = (await keysNow()).keys.find((candidate) => candidate.kid === kid)
    expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' })
    expect(Buffer.from(key?.n as string, 'base64url').length).toBeGreaterThanOrEqual(256)
    const [header, payload, signature] = id_token.split('.') as [string, string, string]
    await expect(verified(`${header}.${payload}.${signature.slice(0, -4)}AAAA`)).rejects.toThrow()
  })

  test.each([
    ['oidcc-userinfo-get: by header', 'GET', true, undefined],
    ['oidcc-userinfo-post-header: by header', 'POST', true, undefined],
    ['oidcc-userinfo-post-body: by form', 'POST', false, 'form'],
  ] as const)('%s', async (_name, method, byHeader, byForm) => {
    const { access_token, id_token } = await tokensOf()
    const info = await service.fastify.inject({
      method,
      url: '/oauth/userinfo',
      headers: {
        ...(byHeader && { authorization: `Bearer ${access_token}` }),
        ...(byForm && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(byForm && { payload: `access_token=${access_token}` }),
    })
    expect(info.json()).toEqual({ sub: decodeJwt(id_token).sub })
  })

  test('oidcc-userinfo-post-body: rejects a token twice, in form and header, in JSON or in the URL', async () => {
    const { access_token } = await tokensOf()
    const post = (payload: string, headers: Record<string, string> = {}, query = '') =>
      service.fastify.inject({
        method: 'POST',
        url: `/oauth/userinfo${query}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload,
      })
    const form = `access_token=${access_token}`
    refused(await post(`${form}&${form}`), 400, 'invalid_request')
    refused(await post(form, { authorization: `Bearer ${access_token}` }), 400, 'invalid_request')
    refused(await post('', {}, `?${form}`), 400, 'invalid_request')
    refused(await post(JSON.stringify({ access_token }), { 'content-type': 'application/json' }), 401, 'invalid_token')
    refused(await post('', {}), 401, 'invalid_token')
  })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { id_token } = await tokensOf({ nonce: undefined })
    expect((await verified(id_token)).payload).not.toHaveProperty('nonce')
  })

  test('oidcc-alternate-happy-flow, oidcc-ensure-other-scope-order-succeeds: accepts openid after other scopes', async () => {
    const { scope, id_token } = await tokensOf({ scope: 'ServiceID EVMAddress openid' })
    expect(scope).toBe('ServiceID EVMAddress openid')
    // Identities are user data, not claims of the id_token.
    expect(Object.keys((await verified(id_token)).payload).sort()).toEqual([
      'at_hash',
      'aud',
      'auth_time',
      'exp',
      'iat',
      'iss',
      'nonce',
      'sid',
      'sub',
    ])
  })

  test.each([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'bob@example.com' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    [
      'oidcc-claims-essential: is ignored, according to the metadata',
      { claims: '{"userinfo":{"name":{"essential":true}}}' },
    ],
  ] as [string, Extra][])('%s', async (_name, parameters) => {
    const { id_token } = await tokensOf(parameters)
    expect((await verified(id_token)).payload.sub).toBe(user.account.id)
  })

  describe('oidcc-prompt-login', () => {
    test('requires a new sign-in, which changes auth_time', async () => {
      const { browser, account } = await signedInBrowser(service)
      const first = decodeJwt((await redeem(await codeOf({}, browser))).json<Tokens>().id_token as string)
      service.clock.advance(5_000)
      const id = requestIdOf(await browser.get(authorize({ scope: 'openid', prompt: 'login' })))
      expect((await browser.get(`/api/authorizations/${id}`)).json()).toMatchObject({ account: null })
      await signInWithWallet(browser, account.wallet)
      const decided = await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })
      const code = new URL(decided.json<{ redirect: string }>().redirect).searchParams.get('code') as string
      const second = decodeJwt((await redeem(code)).json<Tokens>().id_token as string)
      expect(second.sub).toBe(first.sub)
      expect(Number(second.auth_time)).toBeGreaterThan(Number(first.auth_time))
    })
  })

  test('oidcc-prompt-none-not-logged-in', async () => {
    expect(errorOf((await silent(openBrowser(service.fastify))).headers.location)).toBe('login_required')
  })

  test('oidcc-prompt-none-logged-in: returns the same sub and auth_time without a page', async () => {
    const first = decodeJwt((await tokensOf()).id_token)
    service.clock.advance(5_000)
    const location = String((await silent(user.browser)).headers.location)
    const code = new URL(location).searchParams.get('code') as string
    const second = decodeJwt((await redeem(code)).json<Tokens>().id_token as string)
    expect([second.sub, second.auth_time]).toEqual([first.sub, first.auth_time])
  })

  test('oidcc-max-age-1: rejects an older sign-in', async () => {
    const { browser, account } = await signedInBrowser(service)
    service.clock.advance(2_000)
    const id = requestIdOf(await browser.get(authorize({ scope: 'openid', max_age: '1' })))
    expect((await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(401)
    await signInWithWallet(browser, account.wallet)
    expect((await browser.call('POST', `/api/authorizations/${id}`, { decision: 'allow' })).statusCode).toBe(200)
  })

  test('oidcc-max-age-10000: accepts a newer sign-in and returns auth_time', async () => {
    const { browser } = await signedInBrowser(service)
    const signedInAt = Math.floor(service.clock.now() / 1000)
    service.clock.advance(5_000)
    const { id_token } = (await redeem(await codeOf({ max_age: '10000' }, browser))).json<Tokens>()
    expect(decodeJwt(id_token as string).auth_time).toBe(signedInAt)
  })

  describe('oidcc-id-token-hint', () => {
    test('redirects without a page for the current user, also after the token has expired', async () => {
      const { id_token } = await tokensOf()
      service.clock.advance(86_400_000)
      const location = String((await silent(user.browser, { id_token_hint: id_token })).headers.location)
      expect(new URL(location).searchParams.get('code')).toMatch(/^qbc_/)
    })
    test('returns login_required for another user, or a page that only that user can complete', async () => {
      const { id_token } = await tokensOf()
      const other = await signedInBrowser(service)
      await allow(other.browser, app, { scope: 'openid', ...proof })
      const refusal = await silent(other.browser, { id_token_hint: id_token })
      expect(errorOf(refusal.headers.location)).toBe('login_required')
      const id = requestIdOf(await other.browser.get(authorize({ scope: 'openid', id_token_hint: id_token })))
      const path = `/api/authorizations/${id}`
      expect((await other.browser.get(path)).json()).toMatchObject({ account: null, otherAccountExpected: true })
      expect((await other.browser.call('POST', path, { decision: 'allow' })).statusCode).toBe(401)
      await signInWithWallet(other.browser, user.account.wallet)
      expect((await other.browser.get(path)).json()).toMatchObject({ otherAccountExpected: false })
      expect((await other.browser.call('POST', path, { decision: 'allow' })).statusCode).toBe(200)
    })
    test('returns login_required for an unknown key, or the page without a hint', async () => {
      const { id_token } = await tokensOf()
      service.clock.advance(1_000)
      await rotateSigningKey(service.services, { withdrawOthers: true })
      const hinted = { scope: 'openid', id_token_hint: id_token }
      expect(errorOf((await silent(user.browser, { id_token_hint: id_token })).headers.location)).toBe('login_required')
      expect(String((await user.browser.get(authorize(hinted))).headers.location)).toContain('code=qbc_')
      const stranger = openBrowser(service.fastify)
      const id = requestIdOf(await stranger.get(authorize(hinted)))
      const page = await stranger.get(`/api/authorizations/${id}`)
      expect(page.json()).toMatchObject({ account: null, otherAccountExpected: false })
    })
    test('returns invalid_request for a token that is invalid or of another app', async () => {
      const { id_token } = await tokensOf()
      const stranger = await approvedApp(service)
      const [, payload] = id_token.split('.')
      const unsigned = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${payload}.`
      for (const id_token_hint of [unsigned, id_token.slice(0, -1), 'x', `${id_token}x`])
        expect(errorOf((await silent(user.browser, { id_token_hint })).headers.location)).toBe('invalid_request')
      const foreign = authorizeUrl(stranger, { scope: 'openid', prompt: 'none', id_token_hint: id_token })
      expect(errorOf((await user.browser.get(foreign)).headers.location)).toBe('invalid_request')
    })
  })

  describe('oidcc-codereuse', () => {
    test.each([
      ['oidcc-codereuse: returns invalid_grant at once', 0],
      ['oidcc-codereuse-30seconds: returns invalid_grant and ends the access token', 30_000],
    ])('%s', async (_name, wait) => {
      const code = await codeOf()
      const { access_token } = (await redeem(code)).json<Tokens>()
      service.clock.advance(wait)
      refused(await redeem(code), 400, 'invalid_grant')
      const headers = { authorization: `Bearer ${access_token}` }
      refused(await service.fastify.inject({ url: '/oauth/userinfo', headers }), 401, 'invalid_token')
    })
  })

  test('oidcc-ensure-registered-redirect-uri: shows an error page without a redirect', async () => {
    const response = await user.browser.get(authorize({ redirect_uri: `${app.redirectUri}/unregistered` }))
    expect(response.statusCode).toBe(400)
    expect(response.headers.location).toBeUndefined()
  })

  test('oidcc-ensure-post-request-succeeds', async () => {
    const form = authorize({ scope: 'openid', response_type: 'code' }).slice('/oauth?'.length)
    const posted = await user.browser.send({
      method: 'POST',
      url: '/oauth',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    })
    const next = new URL(String(posted.headers.location))
    const answered = await user.browser.get(next.pathname + next.search)
    expect(new URL(String(answered.headers.location)).searchParams.get('code')).toMatch(/^qbc_/)
  })

  if (isPublic)
    test('oidcc-server-client-secret-post: gets 401, because the client has no secret', async () => {
      const response = await redeem(await codeOf(), { client_id: app.clientId, client_secret: 'qbx_guess' })
      refused(response, 401, 'invalid_client')
    })
  else
    test('oidcc-server-client-secret-post', async () => {
      const body = { grant_type: 'authorization_code', code: await codeOf(), redirect_uri: app.redirectUri }
      const credentials = { client_id: app.clientId, client_secret: app.secret }
      expect((await postForm(service, TOKEN_URL, { ...body, ...credentials })).statusCode).toBe(200)
    })
  test.each([
    ['oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', { state: 'inside' }],
    ['oidcc-ensure-request-object-with-redirect-uri', { redirect_uri: 'https://evil.example/' }],
  ])('%s: returns request_not_supported', async (_name, claims) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const request = `${part({ alg: 'none' })}.${part(claims)}.`
    const response = await user.browser.get(authorize({ scope: 'openid', request }))
    const url = new URL(String(response.headers.location))
    expect(url.origin + url.pathname).toBe(app.redirectUri)
    expect(url.searchParams.get('error')).toBe('request_not_supported')
    expect(url.searchParams.get('state')).toBe('state-of-the-app')
  })

  test('oidcc-refresh-token: returns new tokens for the same user', async () => {
    const first = await tokensOf()
    const refreshed = await postToken({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
    const { access_token, refresh_token } = refreshed.json<Tokens>()
    expect(refresh_token).not.toBe(first.refresh_token)
    const info = await service.fastify.inject({ url: '/oauth/userinfo', headers: { access_token } })
    expect(info.json()).toEqual({ sub: user.account.id })
    const stranger = await approvedApp(service, { expiringTokens: true })
    refused(await refreshTokens(service, stranger, refresh_token as string), 400, 'invalid_grant')
  })

  test('oidcc-ensure-request-with-valid-pkce-succeeds, and not without its verifier', async () => {
    const code = () => codeOf({ code_challenge: challenge, code_challenge_method: 'S256' })
    expect((await redeem(await code(), { code_verifier: verifier })).statusCode).toBe(200)
    const wrong = await redeem(await code(), { code_verifier: pkcePair().verifier })
    refused(wrong, 400, 'invalid_grant')
  })

  if (isPublic)
    test('oidcc-ensure-request-with-valid-pkce-succeeds: returns invalid_request without a challenge', async () => {
      const none = { code_challenge: undefined, code_challenge_method: undefined }
      expect(errorOf((await silent(user.browser, none)).headers.location)).toBe('invalid_request')
    })

  test('oidcc-server-rotate-keys: signs with a new key, and still publishes the old one', async () => {
    const before = await tokensOf()
    const old = decodeProtectedHeader(before.id_token).kid
    service.clock.advance(1_000)
    await rotateSigningKey(service.services)
    const after = await tokensOf()
    expect(decodeProtectedHeader(after.id_token).kid).not.toBe(old)
    expect((await keysNow()).keys.map(({ kid }) => kid)).toContain(old)
    await verified(before.id_token)
    await verified(after.id_token)
  })

  test('oidcc-response-type-missing: returns a code by design, never a token', async () => {
    const url = await allow(user.browser, app, { scope: 'openid', response_type: undefined, ...proof })
    expect([...url.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])
    expect(url.hash).toBe('')
  })
})
