import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decideApp, requireApp } from '../../../src/oauth/apps.ts'
import {
  approvedApp,
  authorizeUrl,
  pkcePair,
  postForm,
  signedInBrowser,
  type SignedIn,
  tokenDetail,
} from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import {
  codeWithVerifier,
  postAsPublic,
  PUBLIC_CALLBACK,
  type PublicApp,
  publicApp,
  publicTokens,
} from '../../support/public-client.ts'

let service: SignInService
let app: PublicApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await publicApp(service)
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const refresh = (refresh_token: string | undefined, more: Record<string, string> = {}) =>
  postAsPublic(service, app, { grant_type: 'refresh_token', refresh_token, ...more })

test('redeems a code with its verifier, refreshes and revokes without a secret', async () => {
  const tokens = await publicTokens(service, user.browser, app)
  expect(tokens).toMatchObject({ expires_in: 86_400, refresh_token: expect.stringMatching(/^qbr_/) as string })
  expect((await tokenDetail(service, tokens.access_token)).statusCode).toBe(200)
  const refreshed = await refresh(tokens.refresh_token)
  expect(refreshed.statusCode).toBe(200)
  const { access_token, refresh_token } = refreshed.json<{ access_token: string; refresh_token: string }>()
  expect((await tokenDetail(service, tokens.access_token)).statusCode).toBe(401)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(200)
  const revoked = await postAsPublic(service, app, { token: refresh_token }, { url: '/oauth/revoke' })
  expect(revoked.statusCode).toBe(200)
  expect((await tokenDetail(service, access_token)).statusCode).toBe(401)
})

test('explains that an app without a server has no secret', async () => {
  const sent = { ...(await codeWithVerifier(user.browser, app)), client_secret: 'qbx_guess' }
  const refused = await postAsPublic(service, app, sent)
  expect(refused.statusCode).toBe(401)
  expect(refused.json()).toEqual({
    error: 'invalid_client',
    error_description: 'This app has no secret; send its client_id only',
  })
})

test('accepts HTTP Basic with an empty secret', async () => {
  const authorization = `Basic ${Buffer.from(`${app.clientId}:`).toString('base64')}`
  const sent = await codeWithVerifier(user.browser, app)
  expect((await postForm(service, '/oauth/auth/2/token', sent, { authorization })).statusCode).toBe(200)
})

test('refuses introspection', async () => {
  const { access_token } = await publicTokens(service, user.browser, app)
  const answer = await postAsPublic(service, app, { token: access_token }, { url: '/oauth/introspect' })
  expect(answer.statusCode).toBe(401)
  expect(answer.json()).toMatchObject({ error: 'invalid_client' })
})

test('publishes the method none for the token and revocation endpoints only', async () => {
  const document = (await service.fastify.inject('/.well-known/openid-configuration')).json<Record<string, string[]>>()
  expect(document.token_endpoint_auth_methods_supported).toContain('none')
  expect(document.revocation_endpoint_auth_methods_supported).toContain('none')
  expect(document.introspection_endpoint_auth_methods_supported).not.toContain('none')
})

describe('origins', () => {
  const own = { origin: 'https://spa.example.com' }
  const urls = ['/oauth/auth/2/token', '/oauth/revoke']
  const preflight = (url: string, origin: string) =>
    service.fastify.inject({ method: 'OPTIONS', url, headers: { origin, 'access-control-request-method': 'POST' } })

  test.each(urls)('%s accepts the origin of a redirect URI', async (url) => {
    const asked = await preflight(url, own.origin)
    expect(asked.headers['access-control-allow-origin']).toBe(own.origin)
    const { access_token } = await publicTokens(service, user.browser, app)
    const answer = await postAsPublic(service, app, { token: access_token, code: 'x' }, { url, headers: own })
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': own.origin, vary: 'origin' })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    const withSecret = { token: 'x', code: 'x', client_secret: 'qbx_x' }
    const refused = await postAsPublic(service, app, withSecret, { url, headers: own })
    expect(refused.headers['access-control-allow-origin']).toBe(own.origin)
  })

  test.each(urls)('%s rejects other origins', async (url) => {
    const others = ['https://evil.example', 'https://spa.example.com.evil.example', 'https://spa.example.co', 'null']
    for (const origin of [...others, 'http://spa.example.com', 'https://spa.example.com:8443', '']) {
      expect((await preflight(url, origin)).headers['access-control-allow-origin']).toBeUndefined()
      const answer = await postAsPublic(service, app, { token: 'x', code: 'x' }, { url, headers: { origin } })
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('of a redirect URI that an operator has not accepted cannot call', async () => {
    await service.database.query(
      `UPDATE apps SET proposed_redirect_uris = '{https://proposed.example/cb}' WHERE client_id = $1`,
      [app.clientId],
    )
    expect((await preflight(urls[0] as string, 'https://proposed.example')).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
  })
})

describe('redirect URIs on the device', () => {
  const pkce = () => ({ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' })
  const start = (on: PublicApp, redirect_uri: string) =>
    user.browser.get(authorizeUrl({ ...on, secret: '' }, { ...pkce(), redirect_uri }))

  test.each(['http://127.0.0.1/cb', 'http://[::1]/cb?kept=1', 'http://127.0.0.1:8080/cb'])(
    '%s may have any port, at each request',
    async (registered) => {
      const native = await publicApp(service, { redirectUris: [registered] })
      for (const port of [':1', ':49152', ':65535', '']) {
        const redirect_uri = registered.replace(/(127\.0\.0\.1|\[::1\])(:\d+)?/, `$1${port}`)
        const sent = await codeWithVerifier(user.browser, native, { redirect_uri })
        const answer = await postAsPublic(service, native, { ...sent, redirect_uri })
        expect([port, answer.statusCode]).toEqual([port, 200])
      }
    },
  )

  test('differ in nothing but the port', async () => {
    const native = await publicApp(service, { redirectUris: ['http://127.0.0.1/cb', 'http://localhost:3000/cb'] })
    for (const uri of [
      'http://127.0.0.1:8080/cb/',
      'http://127.0.0.1:8080/CB',
      'http://127.0.0.1:8080/cb?x=1',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:080/cb',
      'http://127.0.0.1:80/cb',
      'http://127.0.0.1:8080@evil.example/cb',
      'http://127.0.0.1:/cb',
      'http://127.0.0.2:8080/cb',
      'http://[::1]:8080/cb',
      'http://localhost/cb',
      'http://localhost:3001/cb',
      'https://127.0.0.1:8080/cb',
    ])
      expect([uri, (await start(native, uri)).statusCode]).toEqual([uri, 400])
    expect((await start(native, 'http://localhost:3000/cb')).statusCode).toBe(303)
  })

  test('of an app with a server have a fixed port', async () => {
    const confidential = await approvedApp(service, { redirectUris: ['http://127.0.0.1:8080/cb'] })
    expect((await start(confidential, 'http://127.0.0.1:8081/cb')).statusCode).toBe(400)
  })

  test.each(['http://127.0.0.1/cb', 'http://localhost:5/cb', 'com.example.app:/cb'])(
    'always show the consent page: %s',
    async (redirectUri) => {
      const native = await publicApp(service, { redirectUris: [redirectUri] })
      await publicTokens(service, user.browser, native)
      expect(String((await start(native, redirectUri)).headers.location)).toMatch(/\/authorize\/[A-Za-z0-9]+$/)
      const silent = authorizeUrl({ ...native, secret: '' }, { ...pkce(), prompt: 'none' })
      expect((await user.browser.get(silent)).headers.location).toContain('error=consent_required')
    },
  )

  test('at https sign in silently after a consent', async () => {
    await publicTokens(service, user.browser, app)
    expect((await start(app, PUBLIC_CALLBACK)).headers.location).toContain('code=')
  })
})

describe('the kind of an app', () => {
  const form = { name: 'App', purpose: 'Tests', redirectUris: [PUBLIC_CALLBACK], scopes: [] }
  const expiring = { ...form, expiringTokens: true }

  test('without a server needs PKCE and expiring tokens', async () => {
    for (const [body, field] of [
      [{ ...form, publicClient: true }, 'expiringTokens'],
      [{ ...expiring, publicClient: true, s256Only: false }, 's256Only'],
    ] as const) {
      const refused = await user.browser.call('POST', '/api/apps', body)
      expect(refused.statusCode).toBe(400)
      expect(refused.json()).toMatchObject({ error: { code: 'invalid_argument', field } })
    }
    const applied = await user.browser.call('POST', '/api/apps', { ...expiring, publicClient: true })
    expect(applied.json()).toMatchObject({ publicClient: true, s256Only: true, status: 'pending' })
    const { clientId } = applied.json<{ clientId: string }>()
    const changed = await user.browser.call('PATCH', `/api/apps/${clientId}`, { expiringTokens: false })
    expect(changed.json()).toMatchObject({ error: { field: 'expiringTokens' } })
  })

  test('changes only before the approval, and ends secrets', async () => {
    const { clientId } = (await user.browser.call('POST', '/api/apps', expiring)).json<{ clientId: string }>()
    const decide = async (decision: 'approve' | 'refuse') =>
      decideApp(service.services, clientId, decision, await requireApp(service.services, clientId))
    await decide('approve')
    expect((await user.browser.call('POST', `/api/apps/${clientId}/secrets`)).statusCode).toBe(201)
    const early = await user.browser.call('PATCH', `/api/apps/${clientId}`, { publicClient: true })
    expect(early.json()).toMatchObject({ error: { code: 'app_decided' } })
    await decide('refuse')
    const changed = await user.browser.call('PATCH', `/api/apps/${clientId}`, { publicClient: true })
    expect(changed.json()).toMatchObject({ publicClient: true, status: 'pending' })
    expect((await user.browser.get(`/api/apps/${clientId}`)).json()).toMatchObject({ secrets: [] })
    await decide('approve')
    const refused = await user.browser.call('POST', `/api/apps/${clientId}/secrets`)
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ error: { code: 'app_without_server' } })
  })
})

test('runs the revocation of docs/guides/sign-in-without-a-server.md', async () => {
  const guide = readFileSync(new URL('../../../../docs/guides/sign-in-without-a-server.md', import.meta.url), 'utf8')
  const command = /^curl https:\/\/questboard\.example(\/\S+) (-d .*)$/m.exec(guide)
  const { access_token, refresh_token = '' } = await publicTokens(service, user.browser, app)
  const sent = [...(command?.[2] ?? '').matchAll(/-d '(\w+)=(\S+)'/g)].map(([, name = '', value = '']) => [
    name,
    value.replace('CLIENT_ID', app.clientId).replace('qbr_…', refresh_token),
  ])
  const answer = await postForm(service, command?.[1] ?? '', Object.fromEntries(sent) as Record<string, string>)
  expect([answer.statusCode, answer.body]).toEqual([200, '{}'])
  expect((await tokenDetail(service, access_token)).statusCode).toBe(401)
})
