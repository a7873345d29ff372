import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendDue } from '../../support/send-due.ts'
import { logoutQueue } from '../../../src/oauth/back-channel/deliver.ts'
import { createOutgoing, type Outgoing } from '../../../src/outgoing/outgoing.ts'
import { systemClock } from '../../../src/clock.ts'
import { type LogoutClient, startLogoutClient } from '../../support/logout-client.ts'
import {
  approvedApp,
  authorizeUrl,
  CALLBACK,
  signedInBrowser,
  type SignedIn,
  type TestApp,
} from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { visit } from '../../support/visit.ts'

// Tests for the modules of the OpenID Connect Back-Channel Logout OP certification plan, with the names of the modules.
const BACK = 'https://app.example.com/post_logout_redirect'

let service: SignInService
let client: LogoutClient
let outgoing: Outgoing
let app: TestApp
let config: openid.Configuration
let user: SignedIn
beforeAll(async () => {
  client = await startLogoutClient(systemClock)
  service = await startListening({ QUESTBOARD_WEBHOOK_HOSTS: client.upstream.host })
  outgoing = createOutgoing({ hosts: service.services.config.webhookHosts })
  const backchannelLogoutUri = `${client.upstream.url}/backchannel_logout`
  app = await approvedApp(service, { postLogoutRedirectUris: [BACK], backchannelLogoutUri })
  const options = { execute: [openid.allowInsecureRequests] }
  const authentication = openid.ClientSecretBasic(app.secret)
  config = await openid.discovery(new URL(service.issuer), app.clientId, undefined, authentication, options)
  client.trust(config, app.clientId)
})
beforeEach(async () => {
  user = await signedInBrowser(service)
  Object.assign(client, { sessions: [], received: [] })
})
afterAll(async () => {
  await Promise.all([service.close(), outgoing.close(), client.close()])
})

const sendTokens = () => sendDue(logoutQueue({ ...service.services, outgoing }), service.services)

/** Signs the user in to the client, which keeps a session. */
async function signIn({ browser } = user): Promise<{ idToken: string; claims: openid.IDToken }> {
  const expectedState = openid.randomState()
  const url = openid.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', state: expectedState })
  const callback = await visit(service, browser, url)
  const tokens = await openid.authorizationCodeGrant(config, callback, { expectedState, idTokenExpected: true })
  const claims = tokens.claims() as openid.IDToken
  client.sessions.push({ sub: claims.sub, sid: claims.sid as string })
  return { idToken: tokens.id_token as string, claims }
}

test('oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const answer = await oauth.discoveryRequest(new URL(service.issuer), insecure)
  const server = await oauth.processDiscoveryResponse(new URL(service.issuer), answer)
  expect(server).toMatchObject({
    end_session_endpoint: `${service.issuer}/oauth/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
  expect(server.claims_supported).toContain('sid')
})

test('oidcc-backchannel-rp-initiated-logout', async () => {
  const { idToken, claims } = await signIn()
  const state = openid.randomState()
  const url = openid.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: BACK, state })
  const answer = await user.browser.get(url.pathname + url.search)
  expect(answer.headers.location).toBe(`${BACK}?state=${state}`)

  expect(await sendTokens()).toBe(1)
  expect(client.received).toEqual([{ token: expect.any(String) as string, fault: undefined }])
  expect(client.sessions).toEqual([])
  const { token } = client.received[0] as { token: string }
  expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'logout+jwt', alg: 'RS256' })
  const { iat = 0, ...logout } = decodeJwt(token)
  expect(logout).toEqual({
    iss: service.issuer,
    sub: claims.sub,
    aud: app.clientId,
    exp: iat + 120,
    jti: expect.any(String) as string,
    sid: claims.sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })

  const silent = await user.browser.get(authorizeUrl(app, { scope: 'openid', prompt: 'none' }))
  expect(new URL(String(silent.headers.location)).searchParams.get('error')).toBe('login_required')
})

test('ends only the session of the browser that signs out', async () => {
  const { claims } = await signIn()
  const elsewhere = await signedInBrowser(service)
  const other = await signIn(elsewhere)
  expect(other.claims.sid).not.toBe(claims.sid)
  await user.browser.call('DELETE', '/api/session')
  expect(await sendTokens()).toBe(1)
  expect(client.sessions).toEqual([{ sub: other.claims.sub, sid: other.claims.sid }])
})
