import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInBrowser, type SignedIn } from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { PUBLIC_CALLBACK, type PublicApp, publicApp } from '../../support/public-client.ts'
import { visit } from '../../support/visit.ts'

// Published client libraries, unmodified, on a real port, as an app without a server.
let service: SignInService
let app: PublicApp
let user: SignedIn
beforeAll(async () => {
  service = await startListening()
  app = await publicApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

test('openid-client: supports sign-in, userinfo, refresh and revocation with the method none', async () => {
  const options = { execute: [openid.allowInsecureRequests] }
  const config = await openid.discovery(new URL(service.issuer), app.clientId, undefined, openid.None(), options)
  expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain('none')
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: PUBLIC_CALLBACK,
    scope: 'openid EVMAddress',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(config, await visit(service, user.browser, url), checks)
  expect(await openid.fetchUserInfo(config, tokens.access_token, user.account.id)).toMatchObject({
    EVMAddress: user.account.wallet.address.toLowerCase(),
  })
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string)
  await openid.tokenRevocation(config, refreshed.refresh_token as string)
  await expect(openid.fetchUserInfo(config, refreshed.access_token, user.account.id)).rejects.toThrow()
  await expect(openid.refreshTokenGrant(config, refreshed.refresh_token as string)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

test('oauth4webapi: supports sign-in and revocation with the method none', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(service.issuer)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const client = { client_id: app.clientId }
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(server.authorization_endpoint as string)
  url.search = new URLSearchParams({
    client_id: app.clientId,
    redirect_uri: PUBLIC_CALLBACK,
    response_type: 'code',
    scope: 'EVMAddress',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).toString()
  const parameters = oauth.validateAuthResponse(server, client, await visit(service, user.browser, url), state)
  const redeem = () =>
    oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, PUBLIC_CALLBACK, verifier, insecure)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, await redeem())
  const revoked = await oauth.revocationRequest(server, client, oauth.None(), tokens.access_token, insecure)
  await oauth.processRevocationResponse(revoked)
  await expect(oauth.processAuthorizationCodeResponse(server, client, await redeem())).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})
