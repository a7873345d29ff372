import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStatus } from '../../support/oauth-apps.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import {
  allow,
  approvedApp,
  authorizeUrl,
  CALLBACK,
  countRows,
  requestIdOf,
  signedInBrowser,
  type TestApp,
} from '../../support/oauth-flow.ts'
import { ISSUER, type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service)
})
afterAll(() => service.close())

const ask = (url: string) => openBrowser(service.fastify).get(url)

function expectErrorPage(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(400)
  expect(response.headers.location).toBeUndefined()
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
}

function redirectOf(response: LightMyRequestResponse): URL {
  expect(response.statusCode).toBe(303)
  const url = new URL(String(response.headers.location))
  expect(url.origin + url.pathname).toBe(CALLBACK)
  expect(url.searchParams.has('code')).toBe(false)
  expect(url.hash).toBe('')
  return url
}

test('attack 1: an unregistered redirect_uri gets a page, no Location, and leaves nothing behind', async () => {
  const before = await countRows(service)
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: 'https://evil.example/callback' })))
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: undefined })))
  expect(await countRows(service)).toEqual(before)
})

describe('attack 2: path confusion', () => {
  const confusions = [
    '/..%2F',
    '%252F',
    ';/../',
    '%0A%0D',
    '/',
    '?x=1',
    '#frag',
    '#',
    '?',
    '%00',
    '/../callback',
    '/./',
    '//',
    '%2e%2e',
    '\\',
    ' ',
    '%20',
    '.',
    '@evil.example',
    '.evil.example',
    '/%2e%2e/callback',
    '\t',
    '*',
    '%E2%80%AE',
  ]
  test.each(confusions)('%j after the registered URI', async (suffix) => {
    expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: `${CALLBACK}${suffix}` })))
  })
  test.each(['https://app.example.com\\@evil.example/callback', 'https://app.example.com.evil.example/callback'])(
    'host %j',
    async (uri) => {
      expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: uri })))
    },
  )
})

test.each([
  'https://APP.example.com/callback',
  'HTTPS://app.example.com/callback',
  'https://app.example.com:443/callback',
  'https://app.example.com:09/callback',
  'http://app.example.com/callback',
  'https://user@app.example.com/callback',
  'https://app.example.com@evil.example/callback',
  'https://3232235777/callback',
  'https://[::ffff:192.0.2.1]/callback',
  'https://localhost/callback',
  'https://127.0.0.1/callback',
  'javascript:alert(1)//app.example.com/callback',
  'data:text/html,https://app.example.com/callback',
  '//app.example.com/callback',
  'https://app.example.com./callback',
  'https://app.example.com/CALLBACK',
])('attack 3: host and scheme variant %j is not the registered URI', async (uri) => {
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: uri })))
})

test('attack 3: localhost and 127.0.0.1 are two different registrations', async () => {
  const local = await approvedApp(service, { redirectUris: ['http://127.0.0.1:8080/callback'] })
  expectErrorPage(await ask(authorizeUrl(local, { redirect_uri: 'http://localhost:8080/callback' })))
  expectErrorPage(await ask(authorizeUrl(local, { redirect_uri: 'http://127.0.0.1:8081/callback' })))
})

test.each([
  'http://app.example.com/callback',
  'https://app.example.com/callback#fragment',
  'https://user:secret@app.example.com/callback',
  'https://user@app.example.com/callback',
  'https://*.example.com/callback',
  'https://app.example.com/*',
  'https://app.example.com/../callback',
  'https://app.example.com/%2e%2e/callback',
  'https://app.example.com/a%0d%0ab',
  'https://APP.example.com/callback',
  'https://app.example.com:443/callback',
  'javascript:alert(1)',
  'data:text/html,hello',
  'file:///etc/passwd',
  'myapp:/callback',
  'vbscript:x.y',
  '/callback',
  'app.example.com/callback',
  'https://app.example.com/call back',
  'https://app.example.com\\callback',
  'https://[::ffff:127.0.0.1/callback',
  `https://app.example.com/${'a'.repeat(1000)}`,
  'https://аpp.example.com/callback',
])('attack 4: the dashboard refuses to register %j', async (uri) => {
  const { browser } = await signedInBrowser(service)
  const before = await service.database.query('SELECT client_id FROM apps')
  const response = await browser.call('POST', '/api/apps', {
    name: 'App',
    purpose: 'Tests',
    redirectUris: [CALLBACK, uri],
    scopes: [],
  })
  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ error: { code: 'invalid_argument', field: 'redirectUris.1' } })
  expect(await service.database.query('SELECT client_id FROM apps')).toEqual(before)
})

test.each([
  'https://app.example.com/callback',
  'https://app.example.com',
  'https://app.example.com/callback?tenant=5',
  'https://app.example.com:8443/callback',
  'http://localhost:3000/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:3000/callback',
  'com.example.app:/callback',
])('attack 4: while %j can be registered', async (uri) => {
  const { browser } = await signedInBrowser(service)
  const response = await browser.call('POST', '/api/apps', {
    name: 'App',
    purpose: 'Tests',
    redirectUris: [uri],
    scopes: [],
  })
  expect(response.statusCode).toBe(201)
})

test.each(['redirect_uri', 'client_id', 'state', 'scope', 'code_challenge', 'response_type'])(
  'attack 5: a duplicate %s is refused, also when both are equal or one is percent-encoded',
  async (name) => {
    const url = authorizeUrl(app, { code_challenge: 'a'.repeat(43), response_type: 'code' })
    const value = new URLSearchParams(url.slice('/oauth?'.length)).get(name) as string
    expectErrorPage(await ask(`${url}&${name}=${encodeURIComponent(value)}`))
    expectErrorPage(await ask(`${url}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=other`))
  },
)

test('attack 6: our code, state and iss take the place of those in the registered URI', async () => {
  const polluted = `${CALLBACK}?code=evil&c%6Fde=evil&state=evil&iss=evil&tenant=5%2B&error=no`
  const sly = await approvedApp(service, { redirectUris: [polluted] })
  const { browser } = await signedInBrowser(service)
  const url = await allow(browser, sly)
  expect(url.searchParams.getAll('code')).toEqual([expect.stringMatching(/^qbc_/)])
  expect(url.searchParams.getAll('state')).toEqual(['state-of-the-app'])
  expect(url.searchParams.getAll('iss')).toEqual([ISSUER])
  expect(url.search).toContain('tenant=5%2B&')
  expect(url.searchParams.has('error')).toBe(false)
})

test('attack 7: an unknown client_id gets a page', async () => {
  expectErrorPage(await ask(authorizeUrl(app, { client_id: 'nobodyknowsme' })))
  expectErrorPage(await ask(authorizeUrl(app, { client_id: undefined })))
  expectErrorPage(await ask(authorizeUrl(app, { client_id: app.clientId.toLowerCase() + 'x' })))
})

test.each(['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', 'code code'])(
  'attack 8: response_type %j gives no token and no code, for a user who has consented too',
  async (type) => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    const url = redirectOf(await browser.get(authorizeUrl(app, { response_type: type })))
    expect(url.searchParams.get('error')).toBe('unsupported_response_type')
    expect(url.href).not.toMatch(/qb[ucr]_/)
  },
)

test.each(['fragment', 'web_message', 'jwt', 'form_post', 'query.jwt', 'QUERY'])(
  'attack 9: response_mode %j is refused and never moves the code',
  async (mode) => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    const url = redirectOf(await browser.get(authorizeUrl(app, { response_mode: mode })))
    expect(url.searchParams.get('error')).toBe('invalid_request')
  },
)

describe('attack 10: state', () => {
  test('a missing or empty state is refused', async () => {
    for (const state of [undefined, '']) {
      const url = redirectOf(await ask(authorizeUrl(app, { state })))
      expect(url.searchParams.get('error')).toBe('invalid_request')
      expect(url.searchParams.has('state')).toBe(false)
    }
  })
  test.each([
    'a"b\'c<d>&e=f?g#h',
    'line\r\nLocation: https://evil.example',
    'x'.repeat(2048),
    'ünïcødé 🦊',
    '%2B+ %',
    '__proto__',
  ])('%j comes back byte for byte, on success and on refusal', async (state) => {
    const { browser } = await signedInBrowser(service)
    expect((await allow(browser, app, { state })).searchParams.get('state')).toBe(state)
    const refused = redirectOf(await browser.get(authorizeUrl(app, { state, scope: 'nonsense' })))
    expect(refused.searchParams.get('state')).toBe(state)
  })
  test('one network has at most 60 long ones kept in a minute, and as many short ones as it may ask for', async () => {
    service.clock.advance(61_000)
    const browser = openBrowser(service.fastify, '203.0.113.9')
    const long = authorizeUrl(app, { state: 'x'.repeat(1501) })
    for (let n = 0; n < 60; n++) expect((await browser.get(long)).statusCode).toBe(303)
    const kept = await countRows(service)
    expect((await browser.get(long)).statusCode).toBe(429)
    expect(await countRows(service)).toEqual(kept)
    expect((await browser.get(authorizeUrl(app, { state: 'x'.repeat(1500) }))).statusCode).toBe(303)
    expect((await openBrowser(service.fastify, '203.0.113.10').get(long)).statusCode).toBe(303)
  })
})

test('attack 11: iss in success and refusal is the issuer of both metadata documents', async () => {
  const { browser } = await signedInBrowser(service)
  const success = await allow(browser, app)
  const refusal = redirectOf(await browser.get(authorizeUrl(app, { scope: 'nonsense' })))
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    const document = (await browser.get(path)).json<Record<string, unknown>>()
    expect(document.authorization_response_iss_parameter_supported).toBe(true)
    expect(success.searchParams.get('iss')).toBe(document.issuer)
    expect(refusal.searchParams.get('iss')).toBe(document.issuer)
  }
})

test('attack 12: every redirect is a 303, and that of a POST carries no code', async () => {
  const { browser } = await signedInBrowser(service)
  const page = await browser.get(authorizeUrl(app))
  expect(page.statusCode).toBe(303)
  await allow(browser, app)
  expect((await browser.get(authorizeUrl(app))).statusCode).toBe(303)
  expect((await browser.get(authorizeUrl(app, { scope: 'nonsense' }))).statusCode).toBe(303)
  const posted = await browser.send({
    method: 'POST',
    url: '/oauth',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: authorizeUrl(app).slice('/oauth?'.length),
  })
  expect(posted.statusCode).toBe(303)
  expect(posted.headers.location).toMatch(new RegExp(`^${ISSUER}/oauth\\?`))
})

test.each(['"><script>alert(1)</script>', '\r\nSet-Cookie: a=b', "'onload=x", '\u202Eevil', '\u2028'])(
  'attack 13: %j is nowhere reflected, neither in a page nor in a header',
  async (payload) => {
    for (const parameters of [{ client_id: payload }, { redirect_uri: payload }]) {
      const response = await ask(authorizeUrl(app, parameters))
      expectErrorPage(response)
      expect(response.body).not.toContain(payload)
    }
    const url = redirectOf(await ask(authorizeUrl(app, { scope: `EVMAddress ${payload}` })))
    const response = await ask(authorizeUrl(app, { scope: `EVMAddress ${payload}` }))
    expect(response.headers['set-cookie']).toBeUndefined()
    expect(url.searchParams.get('error')).toBe('invalid_scope')
    expect(url.searchParams.get('error_description')).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  },
)

test('attack 14: request objects are refused, and no request leaves the server', async () => {
  const visits: string[] = []
  const canary = createServer((request, response) => {
    visits.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  const internal = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/request.jwt`
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(`{"redirect_uri":"${internal}"}`).toString('base64url')}.`
  const byValue = redirectOf(await ask(authorizeUrl(app, { request: unsigned })))
  expect(byValue.searchParams.get('error')).toBe('request_not_supported')
  const byReference = redirectOf(await ask(authorizeUrl(app, { request_uri: internal })))
  expect(byReference.searchParams.get('error')).toBe('request_uri_not_supported')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await new Promise((resolve) => canary.close(resolve))
  expect(visits).toEqual([])
})

describe('attack 15: scopes', () => {
  test.each([
    'nonsense',
    'EVMAddress nonsense',
    'evmaddresses',
    'EVMAddress,ServiceID',
    'EVMAddress\tServiceID',
    'Telegram',
  ])('%j is invalid_scope, not a narrower or wider grant', async (scope) => {
    const url = redirectOf(await ask(authorizeUrl(app, { scope })))
    expect(url.searchParams.get('error')).toBe('invalid_scope')
  })
  test('the granted scopes are exactly those asked for', async () => {
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(authorizeUrl(app, { scope: 'ServiceID  ServiceID EVMAddress' })))
    const shown = (await browser.get(`/api/authorizations/${id}`)).json<{ scopes: { scope: string }[] }>()
    expect(shown.scopes.map(({ scope }) => scope)).toEqual(['ServiceID', 'EVMAddress'])
  })
})

test('attack 16: Host and forwarding headers change neither metadata nor redirects', async () => {
  const poison = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  }
  const browser = openBrowser(service.fastify)
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
    expect((await browser.get(path, poison)).body).not.toContain('evil.example')
  const response = await browser.get(authorizeUrl(app), poison)
  expect(response.headers.location).toMatch(new RegExp(`^${ISSUER}/authorize/`))
  expect(JSON.stringify(response.headers)).not.toContain('evil.example')
})

test.each(['pending', 'refused', 'suspended'] as const)(
  'attack 17: an app that is %s redirects nobody, neither on errors nor silently',
  async (status) => {
    const unverified = await withStatus(service, await approvedApp(service), status)
    for (const parameters of [{}, { prompt: 'none' }, { scope: 'nonsense' }, { response_type: 'token' }])
      expectErrorPage(await ask(authorizeUrl(unverified, parameters)))
  },
)

test('attack 18: no page of the sign-in sends a referrer or asks a third party for anything', async () => {
  const browser = openBrowser(service.fastify)
  const started = await browser.get(authorizeUrl(app))
  const page = await browser.get(new URL(String(started.headers.location)).pathname)
  const error = await browser.get('/oauth')
  for (const response of [started, page, error]) expect(response.headers['referrer-policy']).toBe('no-referrer')
  for (const response of [page, error]) {
    const policy = String(response.headers['content-security-policy'])
    expect(policy).toMatch(
      /^default-src 'none'; (?:script-src 'self'; )?style-src (?:'self'(?: 'nonce-[^']+')?|'sha256-[^']+');/,
    )
    expect(policy).not.toMatch(/https?:|unsafe|\*/)
    const links = [...response.body.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1])
    expect(links.length).toBeGreaterThan(0)
    expect(links.every((link) => /^(?:\/(?!\/)|#)/.test(link ?? ''))).toBe(true)
  }
})
