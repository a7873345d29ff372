import { randomBytes } from 'node:crypto'
import { CodeChallengeMethod, OAuth2Client } from 'arctic'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { AuthorizationCode } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvedApp, CALLBACK, signedInBrowser, type SignedIn, type TestApp } from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { visit } from '../../support/visit.ts'

// Published client libraries, unmodified, on a real port.
let service: SignInService
let issuer: string
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startListening()
  issuer = service.issuer
  app = await approvedApp(service, { expiringTokens: true })
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const token = expect.stringMatching(/^qbu_[0-9A-Za-z]{49}$/) as string

describe('openid-client', () => {
  test.each([
    ['client_secret_post', openid.ClientSecretPost],
    ['client_secret_basic', openid.ClientSecretBasic],
  ])(
    'supports discovery, sign-in with PKCE and nonce, userinfo, refresh, introspection and revocation with %s',
    async (_, method) => {
      const options = { execute: [openid.allowInsecureRequests] }
      const config = await openid.discovery(new URL(issuer), app.clientId, undefined, method(app.secret), options)
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid EVMAddress',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      })
      const callback = await visit(service, user.browser, url)
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      const tokens = await openid.authorizationCodeGrant(config, callback, checks)
      expect(tokens.claims()?.sub).toBe(user.account.id)
      const info = await openid.fetchUserInfo(config, tokens.access_token, user.account.id)
      expect(info.EVMAddress).toBe(user.account.wallet.address.toLowerCase())
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string)
      expect(refreshed.access_token).toEqual(token)
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true })
      await openid.tokenRevocation(config, refreshed.refresh_token as string)
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false })
    },
  )
})

test('oauth4webapi: supports discovery (RFC 8414), passes all checks of responses and verifies the JWT', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const discovered = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered)
  const client = { client_id: app.clientId }
  const authentication = oauth.ClientSecretBasic(app.secret)
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ]
  const url = new URL(server.authorization_endpoint as string)
  url.search = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }).toString()
  const parameters = oauth.validateAuthResponse(server, client, await visit(service, user.browser, url), state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    CALLBACK,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, insecure)
  expect(tokens.access_token).toEqual(token)
  const replayed = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    CALLBACK,
    verifier,
    insecure,
  )
  await expect(oauth.processAuthorizationCodeResponse(server, client, replayed)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

test('arctic: supports raw Basic, PKCE with S256 and plain, refresh and revocation', async () => {
  const client = new OAuth2Client(app.clientId, app.secret, CALLBACK)
  for (const method of [CodeChallengeMethod.S256, CodeChallengeMethod.Plain]) {
    const verifier = randomBytes(32).toString('base64url')
    const url = client.createAuthorizationURLWithPKCE(`${issuer}/oauth`, 'state', method, verifier, ['EVMAddress'])
    const callback = await visit(service, user.browser, url)
    const code = callback.searchParams.get('code') as string
    const tokens = await client.validateAuthorizationCode(`${issuer}/oauth/auth/2/token`, code, verifier)
    expect(tokens.accessToken()).toEqual(token)
    expect(tokens.accessTokenExpiresInSeconds()).toBe(86_400)
    const refreshed = await client.refreshAccessToken(`${issuer}/oauth/auth/2/token`, tokens.refreshToken(), [])
    await client.revokeToken(`${issuer}/oauth/revoke`, refreshed.refreshToken())
    await expect(
      client.refreshAccessToken(`${issuer}/oauth/auth/2/token`, refreshed.refreshToken(), []),
    ).rejects.toThrow()
  }
})

test.each(['header', 'body'] as const)('simple-oauth2: supports credentials in the %s', async (authorizationMethod) => {
  const client = new AuthorizationCode({
    client: { id: app.clientId, secret: app.secret },
    auth: { tokenHost: issuer, tokenPath: '/oauth/auth/2/token', authorizePath: '/oauth', revokePath: '/oauth/revoke' },
    options: { authorizationMethod },
  })
  const url = new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope: 'EVMAddress', state: 'state' }))
  const callback = await visit(service, user.browser, url)
  const tokens = await client.getToken({ code: callback.searchParams.get('code') as string, redirect_uri: CALLBACK })
  expect(tokens.token.access_token).toEqual(token)
  const refreshed = await tokens.refresh()
  expect(refreshed.token.access_token).not.toBe(tokens.token.access_token)
  await refreshed.revokeAll()
})

test('supports existing integrations: no response_type, no grant_type, header access_token', async () => {
  const url = new URL(`${issuer}/oauth`)
  url.search = new URLSearchParams({
    client_id: app.clientId,
    scope: 'EVMAddress Discord Twitter Email',
    redirect_uri: CALLBACK,
    state: 'abc',
  }).toString()
  const callback = await visit(service, user.browser, url)
  const form = { client_id: app.clientId, client_secret: app.secret, code: callback.searchParams.get('code') as string }
  const response = await fetch(`${issuer}/oauth/auth/2/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await response.json()) as { access_token: string }
  const asked = encodeURIComponent('EVMAddress Discord Twitter Email')
  const data = await fetch(`${issuer}/oauth/api/2/user?scope=${asked}`, { headers: { access_token } })
  expect(await data.json()).toEqual({ EVMAddress: user.account.wallet.address.toLowerCase() })
})
