import { randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  pkcePair,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { publicApp, publicTokens } from '../../support/public-client.ts'

// Tests for the modules of the OpenID Connect RP-Initiated Logout OP certification plan, with the names of the modules.
const BACK = 'https://app.example.com/post_logout_redirect'
const ISSUED = { scope: 'openid' }

describe.each(['a client with a secret', 'a client without a secret'] as const)('%s', (kind) => {
  const isPublic = kind === 'a client without a secret'
  let service: SignInService
  let config: openid.Configuration
  let app: TestApp
  let user: SignedIn
  let idToken: string
  let state: string
  beforeAll(async () => {
    service = await startListening()
    const form = { redirectUris: [CALLBACK], postLogoutRedirectUris: [BACK] }
    app = isPublic ? { ...(await publicApp(service, form)), secret: '' } : await approvedApp(service, form)
    const authentication = isPublic ? openid.None() : openid.ClientSecretPost(app.secret)
    const options = { execute: [openid.allowInsecureRequests] }
    config = await openid.discovery(new URL(service.issuer), app.clientId, undefined, authentication, options)
  })
  beforeEach(async () => {
    user = await signedInBrowser(service)
    const tokens = await (isPublic ? publicTokens : tokensFor)(service, user.browser, app, ISSUED)
    idToken = tokens.id_token as string
    state = randomBytes(64).toString('hex')
  })
  afterAll(() => service.close())

  const { challenge } = pkcePair()
  const proof = isPublic ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}

  const open = (url: URL) => user.browser.get(url.pathname + url.search)
  /** The request of openid-client, with the parameters of a module. */
  const endSession = (parameters: Record<string, string>) => open(openid.buildEndSessionUrl(config, parameters))
  /** The request of a client that sends only these parameters. */
  const bare = (parameters: Record<string, string>) =>
    user.browser.get(`/oauth/logout?${new URLSearchParams(parameters).toString()}`)

  /** The plan ends with a request with prompt=none, which must fail after a sign-out. */
  async function expectSignedOut(): Promise<void> {
    const silent = await user.browser.get(authorizeUrl(app, { ...ISSUED, ...proof, prompt: 'none' }))
    expect(new URL(String(silent.headers.location)).searchParams.get('error')).toBe('login_required')
  }

  async function expectSignedIn(): Promise<void> {
    const silent = await user.browser.get(authorizeUrl(app, { ...ISSUED, ...proof, prompt: 'none' }))
    expect(new URL(String(silent.headers.location)).searchParams.get('code')).toMatch(/^qbc_/)
  }

  test('oidcc-rp-initiated-logout-discovery-endpoint-verification', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const answer = await oauth.discoveryRequest(new URL(service.issuer), insecure)
    const server = await oauth.processDiscoveryResponse(new URL(service.issuer), answer)
    expect(server.end_session_endpoint).toBe(`${service.issuer}/oauth/logout`)
  })

  test('oidcc-rp-initiated-logout: returns with the state, and ends the session', async () => {
    const answer = await endSession({ id_token_hint: idToken, post_logout_redirect_uri: BACK, state })
    expect(answer.statusCode).toBe(303)
    expect(answer.headers.location).toBe(`${BACK}?state=${state}`)
    await expectSignedOut()
  })

  test('oidcc-rp-initiated-logout: oauth4webapi finds the endpoint, and a posted form does the same', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const discovered = await oauth.discoveryRequest(new URL(service.issuer), { algorithm: 'oauth2', ...insecure })
    const server = await oauth.processDiscoveryResponse(new URL(service.issuer), discovered)
    const posted = await user.browser.send({
      method: 'POST',
      url: new URL(server.end_session_endpoint as string).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: BACK, state }).toString(),
    })
    expect(posted.statusCode).toBe(303)
    const answer = await open(new URL(String(posted.headers.location)))
    expect(answer.headers.location).toBe(`${BACK}?state=${state}`)
    await expectSignedOut()
  })

  test('oidcc-rp-initiated-logout-no-state: returns without a state', async () => {
    const answer = await endSession({ id_token_hint: idToken, post_logout_redirect_uri: BACK })
    expect(answer.headers.location).toBe(BACK)
    await expectSignedOut()
  })

  test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: signs out, and shows the page', async () => {
    const answer = await endSession({ id_token_hint: idToken, state })
    expect(answer.headers.location).toBe(`${service.issuer}/sign-out`)
    await expectSignedOut()
  })

  describe.each([
    ['oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', () => ({ post_logout_redirect_uri: `${BACK}/bad` })],
    [
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
      () => ({ post_logout_redirect_uri: `${BACK}?foo=bar` }),
    ],
    ['oidcc-rp-initiated-logout-modified-id-token-hint', () => ({ id_token_hint: withoutSignature(idToken) })],
    ['oidcc-rp-initiated-logout-bad-id-token-hint', () => ({ id_token_hint: 'a-bad-hint' })],
  ])('%s', (_module, change) => {
    test('shows an error page without a redirect, and the session goes on', async () => {
      const answer = await endSession({ id_token_hint: idToken, post_logout_redirect_uri: BACK, state, ...change() })
      expect(answer.statusCode).toBe(400)
      expect(answer.headers['content-type']).toContain('text/html')
      expect(answer.headers.location).toBeUndefined()
      await expectSignedIn()
    })
  })

  test('oidcc-rp-initiated-logout-no-id-token-hint: asks instead of returning', async () => {
    const asked = await endSession({ post_logout_redirect_uri: BACK, state })
    expect(new URL(String(asked.headers.location)).origin).toBe(service.issuer)
    await expectSignedIn()
    // A client that names itself neither by a hint nor by its ID gets an error page.
    const unnamed = await bare({ post_logout_redirect_uri: BACK, state })
    expect(unnamed.statusCode).toBe(400)
    expect(unnamed.headers.location).toBeUndefined()
  })

  test.each([
    ['oidcc-rp-initiated-logout-no-params', () => ({})],
    ['oidcc-rp-initiated-logout-only-state', () => ({ state })],
  ])('%s: asks the user, who signs out on the page and stays there', async (_module, parameters) => {
    const answer = await bare(parameters())
    const page = new URL(String(answer.headers.location))
    expect(page.origin + page.pathname).toBe(`${service.issuer}/sign-out`)
    const view = await user.browser.get(`/api/sign-out${page.search}`)
    expect(view.json()).toMatchObject({ app: null, account: { id: user.account.id }, redirect: null })
    expect((await user.browser.call('DELETE', '/api/session')).statusCode).toBeLessThan(300)
    await expectSignedOut()
  })
})

function withoutSignature(token: string): string {
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  return `${header}.${token.split('.')[1]}.`
}
