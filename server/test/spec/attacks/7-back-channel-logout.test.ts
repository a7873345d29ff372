import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { sendDue } from '../../support/send-due.ts'
import { logoutQueue } from '../../../src/oauth/back-channel/deliver.ts'
import { createOutgoing } from '../../../src/outgoing/outgoing.ts'
import { allowInsecureRequests, discovery } from 'openid-client'
import { type LogoutClient, startLogoutClient } from '../../support/logout-client.ts'
import { approvedApp, signedInBrowser, type SignedIn, type TestApp, tokensFor } from '../../support/oauth-flow.ts'
import { type SignInService, startListening } from '../../support/oauth-service.ts'
import { startUpstream } from '../../support/upstream.ts'

let service: SignInService
let client: LogoutClient
let app: TestApp
beforeAll(async () => {
  client = await startLogoutClient(systemClock)
  service = await startListening({ QUESTBOARD_WEBHOOK_HOSTS: client.upstream.host })
  app = await approvedApp(service, { backchannelLogoutUri: `${client.upstream.url}/logout` })
  const options = { execute: [allowInsecureRequests] }
  client.trust(await discovery(new URL(service.issuer), app.clientId, app.secret, undefined, options), app.clientId)
})
afterAll(() => Promise.all([service.close(), client.close()]))

const idTokenOf = async ({ browser }: SignedIn, of = app) =>
  (await tokensFor(service, browser, of, { scope: 'openid' })).id_token as string

/** Sends the logout tokens that are due. @param hosts that the operator allows */
async function sendTokens(hosts = service.services.config.webhookHosts): Promise<void> {
  const outgoing = createOutgoing({ hosts })
  await sendDue(logoutQueue({ ...service.services, outgoing }), service.services)
  await outgoing.close()
}

async function logoutTokenOf(user: SignedIn): Promise<string> {
  await idTokenOf(user)
  client.received.length = 0
  await user.browser.call('DELETE', '/api/session')
  await sendTokens()
  return client.received[0]?.token as string
}

const post = async (token: string) =>
  (await fetch(`${client.upstream.url}/logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) }))
    .status

describe('requests to foreign machines (SSRF)', () => {
  const form = { name: 'App', purpose: 'Tests', redirectUris: ['https://a.example/cb'], scopes: [] }
  test.each([
    'http://a.example/logout',
    'https://127.0.0.1/logout',
    'https://[::1]/logout',
    'https://10.0.0.5/logout',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/logout',
    'https://x.localhost/logout',
    'https://0x7f000001/logout',
    'https://user:word@a.example/logout',
    'https://a.example/logout#x',
    'HTTPS://A.example/logout',
    'ftp://a.example/logout',
    'file:///etc/passwd',
    'com.example.app:/logout',
    'logout',
  ])('registration rejects %s', async (backchannelLogoutUri) => {
    const { browser } = await signedInBrowser(service)
    const refused = await browser.call('POST', '/api/apps', { ...form, backchannelLogoutUri })
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({ error: { field: 'backchannelLogoutUri' } })
    const { clientId } = (await browser.call('POST', '/api/apps', form)).json<{ clientId: string }>()
    const changed = await browser.call('PATCH', `/api/apps/${clientId}`, { backchannelLogoutUri })
    expect(changed.json()).toMatchObject({ error: { field: 'backchannelLogoutUri' } })
  })

  test('an address that is no longer allowed, or leads to a private one, receives nothing', async () => {
    const user = await signedInBrowser(service)
    await idTokenOf(user)
    const before = client.upstream.connections()
    await user.browser.call('DELETE', '/api/session')
    await sendTokens([])
    expect(client.upstream.connections()).toBe(before)
    expect(await service.database.query('SELECT tries FROM logout_notices')).toEqual([{ tries: 1 }])
    await service.database.query('DELETE FROM logout_notices')
  })

  test('a delivery does not follow a redirect', async () => {
    const target = await startUpstream((_, response) => void response.end())
    const redirecting = await startUpstream(
      (_, response) => void response.writeHead(307, { location: target.url }).end(),
    )
    const other = await approvedApp(service)
    const uri = `${redirecting.url}/logout`
    await service.database.query('UPDATE apps SET backchannel_logout_uri = $2 WHERE client_id = $1', [
      other.clientId,
      uri,
    ])
    const user = await signedInBrowser(service)
    await idTokenOf(user, other)
    await user.browser.call('DELETE', '/api/session')
    await sendTokens([redirecting, target].map(({ port }) => ({ hostname: '127.0.0.1', port })))
    expect(redirecting.requests).toHaveLength(1)
    expect(target.connections()).toBe(0)
    await service.database.query('DELETE FROM logout_notices')
    await Promise.all([redirecting.close(), target.close()])
  })

  test('an app without a server has no address, and no owner approves a new one', async () => {
    const { browser } = await signedInBrowser(service)
    const backchannelLogoutUri = 'https://a.example/logout'
    const without = { ...form, publicClient: true, expiringTokens: true, backchannelLogoutUri }
    const refused = await browser.call('POST', '/api/apps', without)
    expect(refused.json()).toMatchObject({ error: { field: 'backchannelLogoutUri' } })
    const { clientId } = (await browser.call('POST', '/api/apps', form)).json<{ clientId: string }>()
    await service.database.query(`UPDATE apps SET status = 'approved' WHERE client_id = $1`, [clientId])
    const changed = await browser.call('PATCH', `/api/apps/${clientId}`, { backchannelLogoutUri })
    expect(changed.json()).toMatchObject({
      backchannelLogoutUri: null,
      proposedBackchannelLogoutUri: backchannelLogoutUri,
    })
  })
})

describe('a logout token', () => {
  test('a client that follows the rules rejects one that is sent twice, changed, or meant for another client', async () => {
    const token = await logoutTokenOf(await signedInBrowser(service))
    expect(client.received).toMatchObject([{ fault: undefined }])
    expect(await post(token)).toBe(400)
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...claims, jti: 'new' })).toString('base64url')
    expect(await post(`${head}.${forged}.${signature}`)).toBe(400)
    expect(await post(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${forged}.`)).toBe(400)
  })

  test('the service rejects it as id_token_hint, and signs no user out', async () => {
    const user = await signedInBrowser(service)
    const again = await signedInBrowser(service)
    const token = await logoutTokenOf({ ...user, browser: user.browser })
    for (const path of ['/oauth/logout', '/api/sign-out'])
      expect((await again.browser.get(`${path}?id_token_hint=${token}`)).statusCode).not.toBe(303)
    const silent = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: app.redirectUri,
      scope: 'openid',
      state: 's',
      prompt: 'none',
      id_token_hint: token,
    })
    const answer = await again.browser.get(`/oauth?${silent.toString()}`)
    expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('invalid_request')
  })

  test('the client does not accept an id_token in its place', async () => {
    expect(await post(await idTokenOf(await signedInBrowser(service)))).toBe(400)
  })
})

test('logout CSRF: a link of another site queues no notice', async () => {
  const user = await signedInBrowser(service)
  await idTokenOf(user)
  for (const query of ['', `?client_id=${app.clientId}`])
    await user.browser.get(`/oauth/logout${query}`, { 'sec-fetch-site': 'cross-site' })
  expect(await service.database.query('SELECT FROM logout_notices')).toEqual([])
})
