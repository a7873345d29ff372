import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/oauth-browser.ts'
import { approvedApp, signedInBrowser, type SignedIn, type TestApp, tokensFor } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

const BACK = 'https://app.example.com/signed-out'

let service: SignInService
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service, { postLogoutRedirectUris: [BACK] })
})
beforeEach(async () => {
  user = await signedInBrowser(service)
})
afterAll(() => service.close())

const logout = (parameters: Record<string, string>, { browser } = user) =>
  browser.get(`/oauth/logout?${new URLSearchParams(parameters).toString()}`)
const idTokenOf = async ({ browser } = user) =>
  (await tokensFor(service, browser, app, { scope: 'openid' })).id_token as string
const isSignedIn = async ({ browser } = user) =>
  (await browser.get('/api/session')).json<{ account: object | null }>().account !== null

describe('logout CSRF', () => {
  test('a link without the id_token of the user ends no session, but asks', async () => {
    const stranger = await signedInBrowser(service)
    const foreign = await idTokenOf(stranger)
    const asked = { client_id: app.clientId, post_logout_redirect_uri: BACK, state: 'x' }
    for (const parameters of [{}, asked, { ...asked, id_token_hint: foreign }] as Record<string, string>[]) {
      const answer = await logout(parameters)
      expect(answer.statusCode).toBe(303)
      expect(String(answer.headers.location)).toMatch(new RegExp(`^${service.issuer}/sign-out(\\?|$)`))
      expect(String(answer.headers.location)).not.toContain('id_token_hint')
      expect(await isSignedIn()).toBe(true)
    }
  })

  test('a form of a foreign site carries no session and ends none', async () => {
    const hint = await idTokenOf()
    const posted = await service.fastify.inject({
      method: 'POST',
      url: '/oauth/logout',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ id_token_hint: hint }).toString(),
    })
    expect(posted.statusCode).toBe(303)
    expect(posted.headers.location).toContain('/oauth/logout?id_token_hint=')
    expect(await isSignedIn()).toBe(true)
  })

  test('the page signs out only with the CSRF token', async () => {
    const forged = await service.fastify.inject({
      method: 'DELETE',
      url: '/api/session',
      headers: {
        cookie: [...user.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-csrf-token': 'forged',
      },
    })
    expect(forged.statusCode).toBe(403)
    expect(await isSignedIn()).toBe(true)
  })
})

describe('open redirect after logout', () => {
  const foreign = [
    'https://evil.example/',
    `${BACK}/`,
    `${BACK}?x=1`,
    `${BACK}#x`,
    'https://app.example.com.evil.example/signed-out',
    'https://app.example.com@evil.example/signed-out',
    'HTTPS://app.example.com/signed-out',
    'https://app.example.com/callback',
    '//evil.example/',
    'javascript:alert(1)',
  ]
  test.each(foreign)('never leads to %s', async (post_logout_redirect_uri) => {
    const id_token_hint = await idTokenOf()
    for (const parameters of [{ client_id: app.clientId }, { id_token_hint }] as Record<string, string>[]) {
      for (const visitor of [user, { ...user, browser: openBrowser(service.fastify) }]) {
        const answer = await logout({ ...parameters, post_logout_redirect_uri }, visitor)
        expect(answer.statusCode).toBe(400)
        expect(answer.headers.location).toBeUndefined()
      }
    }
    expect(await isSignedIn()).toBe(true)
    const query = new URLSearchParams({ client_id: app.clientId, post_logout_redirect_uri })
    expect((await user.browser.get(`/api/sign-out?${query.toString()}`)).statusCode).toBe(400)
  })

  test('needs an app, and one that is approved', async () => {
    expect((await logout({ post_logout_redirect_uri: BACK })).statusCode).toBe(400)
    expect((await logout({ post_logout_redirect_uri: BACK, client_id: 'nobodyknowsme' })).statusCode).toBe(400)
    const suspended = await approvedApp(service, { postLogoutRedirectUris: [BACK] })
    await service.database.query(`UPDATE apps SET status = 'suspended' WHERE client_id = $1`, [suspended.clientId])
    const parameters = { post_logout_redirect_uri: BACK, client_id: suspended.clientId }
    expect((await logout(parameters)).statusCode).toBe(400)
  })

  test('ends with the approval of the redirect URI of the same origin', async () => {
    const moved = await approvedApp(service, { postLogoutRedirectUris: [BACK] })
    const parameters = { post_logout_redirect_uri: BACK, client_id: moved.clientId }
    expect((await logout(parameters)).statusCode).toBe(303)
    await service.database.query(`UPDATE apps SET redirect_uris = '{https://new.example/cb}' WHERE client_id = $1`, [
      moved.clientId,
    ])
    expect((await logout(parameters)).statusCode).toBe(400)
  })

  test('registration rejects an origin that no operator has approved', async () => {
    const { browser } = user
    const form = { name: 'App', purpose: 'Tests', redirectUris: ['https://a.example/cb'], scopes: [] }
    for (const uri of [
      'https://evil.example/',
      'http://a.example/',
      'https://a.example:8443/',
      'https://a.example/#x',
    ]) {
      const refused = await browser.call('POST', '/api/apps', { ...form, postLogoutRedirectUris: [uri] })
      expect(refused.json()).toMatchObject({ error: { field: 'postLogoutRedirectUris.0' } })
    }
    const applied = await browser.call('POST', '/api/apps', { ...form, postLogoutRedirectUris: ['https://a.example/'] })
    expect(applied.json()).toMatchObject({ postLogoutRedirectUris: ['https://a.example/'] })
    const { clientId } = applied.json<{ clientId: string }>()
    const changed = await browser.call('PATCH', `/api/apps/${clientId}`, {
      postLogoutRedirectUris: ['https://evil.example/'],
    })
    expect(changed.statusCode).toBe(400)
  })
})

test('rejects a forged or foreign id_token_hint', async () => {
  const hint = await idTokenOf()
  const [head = '', body = '', signature = ''] = hint.split('.')
  const flipped = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
  const other = await approvedApp(service)
  for (const parameters of [
    { id_token_hint: flipped },
    { id_token_hint: none },
    { id_token_hint: 'x' },
    { id_token_hint: hint, client_id: other.clientId },
  ] as Record<string, string>[])
    expect((await logout(parameters)).statusCode).toBe(400)
  expect(await isSignedIn()).toBe(true)
})
