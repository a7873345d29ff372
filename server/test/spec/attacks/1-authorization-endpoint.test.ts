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

test('attack 1: shows an error page for an unregistered redirect_uri, without redirecting or storing anything', async () => {
  const before = await countRows(service)
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: 'https://evil.example/callback' })))
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: undefined })))
  expect(await countRows(service)).toEqual(before)
})

test('attack 1: the error page names a parameter only if it is one of the protocol', async () => {
  for (const [name, shown] of [
    ['call.0800-555', 'A parameter'],
    ['state', 'The parameter state'],
  ] as const) {
    const posted = await service.fastify.inject({
      ...{ method: 'POST', url: `/oauth?${name}=1`, payload: `${name}=2` },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    for (const page of [await ask(`/oauth?${name}=1&${name}=2`), posted]) {
      expectErrorPage(page)
      expect(page.body).toContain(`${shown} occurs more than once.`)
      expect(page.body).not.toContain('0800')
    }
  }
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
  test.each(confusions)('rejects %j after the registered URI', async (suffix) => {
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
])('attack 3: rejects the variant %j of host or scheme', async (uri) => {
  expectErrorPage(await ask(authorizeUrl(app, { redirect_uri: uri })))
})

test('attack 3: distinguishes localhost and 127.0.0.1', async () => {
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
])('attack 4: rejects the registration of %j', async (uri) => {
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
])('attack 4: accepts the registration of %j', async (uri) => {
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
  'attack 5: rejects a duplicate %s, also if both are equal or one is percent-encoded',
  async (name) => {
    const url = authorizeUrl(app, { code_challenge: 'a'.repeat(43), response_type: 'code' })
    const value = new URLSearchParams(url.slice('/oauth?'.length)).get(name) as string
    expectErrorPage(await ask(`${url}&${name}=${encodeURIComponent(value)}`))
    expectErrorPage(await ask(`${url}&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=other`))
  },
)

test('attack 6: replaces code, state and iss in the registered URI', async () => {
  const polluted = `${CALLBACK}?code=evil&c%6Fde=evil&state=evil&iss=evil&tenant=5%2B&error=no`
  const polluting = await approvedApp(service, { redirectUris: [polluted] })
  const { browser } = await signedInBrowser(service)
  const url = await allow(browser, polluting)
  expect(url.searchParams.getAll('code')).toEqual([expect.stringMatching(/^qbc_/)])
  expect(url.searchParams.getAll('state')).toEqual(['state-of-the-app'])
  expect(url.searchParams.getAll('iss')).toEqual([ISSUER])
  expect(url.search).toContain('tenant=5%2B&')
  expect(url.searchParams.has('error')).toBe(false)
})

test('attack 7: shows an error page for an unknown client_id', async () => {
  expectErrorPage(await ask(authorizeUrl(app, { client_id: 'nobodyknowsme' })))
  expectErrorPage(await ask(authorizeUrl(app, { client_id: undefined })))
  expectErrorPage(await ask(authorizeUrl(app, { client_id: app.clientId.toLowerCase() + 'x' })))
})

test.each(['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', 'code code'])(
  'attack 8: rejects response_type %j, also after consent',
  async (type) => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    const url = redirectOf(await browser.get(authorizeUrl(app, { response_type: type })))
    expect(url.searchParams.get('error')).toBe('unsupported_response_type')
    expect(url.href).not.toMatch(/qb[ucr]_/)
  },
)

test.each(['fragment', 'web_message', 'jwt', 'form_post', 'query.jwt', 'QUERY'])(
  'attack 9: rejects response_mode %j',
  async (mode) => {
    const { browser } = await signedInBrowser(service)
    await allow(browser, app)
    const url = redirectOf(await browser.get(authorizeUrl(app, { response_mode: mode })))
    expect(url.searchParams.get('error')).toBe('invalid_request')
  },
)

describe('attack 10: state', () => {
  test('rejects a missing or empty state', async () => {
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
  ])('returns %j unchanged, with a code and with an error', async (state) => {
    const { browser } = await signedInBrowser(service)
    expect((await allow(browser, app, { state })).searchParams.get('state')).toBe(state)
    const refused = redirectOf(await browser.get(authorizeUrl(app, { state, scope: 'nonsense' })))
    expect(refused.searchParams.get('state')).toBe(state)
  })
  test('stores at most 60 long values per network and minute', async () => {
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

test('attack 11: returns the issuer of both metadata documents as iss, with a code and with an error', async () => {
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

test('attack 12: redirects with 303, and without a code after a POST', async () => {
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
  'attack 13: does not reflect %j in a page or a header',
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

test('attack 14: rejects request objects without fetching them', async () => {
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
  ])('rejects %j with invalid_scope', async (scope) => {
    const url = redirectOf(await ask(authorizeUrl(app, { scope })))
    expect(url.searchParams.get('error')).toBe('invalid_scope')
  })
  test('grants exactly the requested scopes', async () => {
    const { browser } = await signedInBrowser(service)
    const id = requestIdOf(await browser.get(authorizeUrl(app, { scope: 'ServiceID  ServiceID EVMAddress' })))
    const shown = (await browser.get(`/api/authorizations/${id}`)).json<{ scopes: { scope: string }[] }>()
    expect(shown.scopes.map(({ scope }) => scope)).toEqual(['ServiceID', 'EVMAddress'])
  })
})

test('attack 16: ignores Host and forwarding headers in metadata and redirects', async () => {
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
  'attack 17: does not redirect to an app that is %s',
  async (status) => {
    const unverified = await withStatus(service, await approvedApp(service), status)
    for (const parameters of [{}, { prompt: 'none' }, { scope: 'nonsense' }, { response_type: 'token' }])
      expectErrorPage(await ask(authorizeUrl(unverified, parameters)))
  },
)

test('attack 18: sends no referrer from sign-in pages, and loads nothing from other sites', async () => {
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
