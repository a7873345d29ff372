import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { issueSecret, requireApp } from '../../../src/oauth/apps.ts'
import { networkOf } from '../../../src/rate-limits/ip-network.ts'
import {
  approvedApp,
  codeFor,
  postForm,
  redeemCode,
  signedInBrowser,
  type SignedIn,
  type TestApp,
  TOKEN_URL,
  tokensFor,
} from '../../support/oauth-flow.ts'
import { refused } from '../../support/oauth-refusals.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
let user: SignedIn
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service, { allowedOrigins: ['https://app.example.com'] })
  user = await signedInBrowser(service)
})
beforeEach(() => service.clock.advance(61_000)) // starts a new window of the failure limit
afterAll(() => service.close())

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

test('attack 35: returns the same 401 for wrong secrets and unknown apps', async () => {
  const swapped = app.secret.replace(/[a-z]/, (letter) => letter.toUpperCase())
  const attempts: [string, string][] = [
    [app.clientId, 'qbx_wrong'],
    [app.clientId, 'x'],
    [app.clientId, `${app.secret} `],
    [app.clientId, ` ${app.secret}`],
    [app.clientId, `${app.secret}=`],
    [app.clientId, app.secret.slice(0, -1)],
    [app.clientId, swapped],
    [app.clientId, (await approvedApp(service)).secret],
    ['nobodyknowsme', app.secret],
    [app.clientId.toLowerCase() + 'x', app.secret],
  ]
  const answers: LightMyRequestResponse[] = []
  for (const [client_id, client_secret] of attempts)
    answers.push(await postForm(service, TOKEN_URL, { client_id, client_secret, code: 'x' }))
  answers.push(await postForm(service, TOKEN_URL, { client_id: app.clientId, client_secret: '', code: 'x' }))
  for (const answer of answers) {
    refused(answer, 401, 'invalid_client')
    expect(answer.body).toBe(answers[0]?.body)
    expect(answer.headers['www-authenticate']).toBe('Basic realm="oauth", charset="UTF-8"')
  }
})

test('attack 35: no failure is fast enough to show whether an app, a code or a token exists', async () => {
  const { clientId: client_id, secret: client_secret } = app
  const forms = [
    { client_id, client_secret: 'qbx_x', code: 'x' },
    { client_id: 'nobodyknowsme', client_secret, code: 'x' },
    { client_id, client_secret, code: 'x' },
    { client_id, client_secret, grant_type: 'refresh_token', refresh_token: 'x' },
  ]
  for (const form of forms) {
    const started = performance.now()
    expect((await postForm(service, TOKEN_URL, form)).statusCode).toBeGreaterThanOrEqual(400)
    expect(performance.now() - started).toBeGreaterThan(19)
  }
})

test('attack 36: rejects credentials in the URL, also with valid ones in the body', async () => {
  const code = await codeFor(user.browser, app)
  const body = { client_id: app.clientId, client_secret: app.secret, code }
  for (const query of [
    `client_id=${app.clientId}&client_secret=${app.secret}`,
    `client_secret=${app.secret}`,
    `client%5Fsecret=${app.secret}`,
    `code=${code}`,
  ])
    refused(await postForm(service, `${TOKEN_URL}?${query}`, body), 400, 'invalid_request')
  expect((await redeemCode(service, app, code)).statusCode).toBe(200)
})

test('attack 37: rejects two authentication methods and two client ids in one request', async () => {
  const header = { authorization: basic(app.clientId, app.secret) }
  const both = await postForm(service, TOKEN_URL, { client_secret: app.secret, code: 'x' }, header)
  refused(both, 400, 'invalid_request')
  refused(await postForm(service, TOKEN_URL, { client_id: 'another', code: 'x' }, header), 400, 'invalid_request')
  const twice = await service.fastify.inject({
    method: 'POST',
    url: TOKEN_URL,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `client_id=${app.clientId}&client_secret=${app.secret}&client_secret=${app.secret}&code=x`,
  })
  refused(twice, 400, 'invalid_request')
})

describe('attack 38: Basic', () => {
  const formEncoded = (text: string) => text.replaceAll('_', '%5F')
  test('accepts raw and form-encoded credentials', async () => {
    for (const authorization of [basic(app.clientId, app.secret), basic(app.clientId, formEncoded(app.secret))]) {
      const code = await codeFor(user.browser, app)
      const answer = await postForm(service, TOKEN_URL, { code }, { authorization })
      expect(answer.statusCode).toBe(200)
    }
  })
  test.each([
    'Basic',
    'Basic !!!',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    `Basic ${Buffer.from('a\0b:c').toString('base64')}`,
    `Basic ${Buffer.from('%zz:c').toString('base64')}`,
    `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0x80]).toString('base64')}`,
    'Bearer abc',
    'Digest username="x"',
    `Basic ${'A'.repeat(9000)}`,
  ])('returns 4xx for %s', async (authorization) => {
    refused(await postForm(service, TOKEN_URL, { code: 'x' }, { authorization }), 401, 'invalid_client')
  })
})

describe('attack 39: guessing secrets', () => {
  const guess = (address: string, clientId = app.clientId, client_secret = 'qbx_guess') =>
    postForm(service, TOKEN_URL, { client_id: clientId, client_secret, code: 'x' }, {}, address)

  test('limits an address to 30 failures a minute for all apps; correct secrets still work', async () => {
    for (let n = 0; n < 30; n++) expect((await guess('203.0.113.5', `app${n}`)).statusCode).toBe(401)
    const stopped = await guess('203.0.113.5')
    refused(stopped, 429, 'invalid_request')
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0)
    const code = await codeFor(user.browser, app)
    const { clientId: client_id, secret: client_secret } = app
    const redeemed = await postForm(service, TOKEN_URL, { client_id, client_secret, code }, {}, '203.0.113.5')
    expect(redeemed.statusCode).toBe(200)
    refused(await guess('203.0.113.5', 'app1'), 429, 'invalid_request')
    refused(await guess('203.0.113.6'), 401, 'invalid_client')
    service.clock.advance(61_000)
    refused(await guess('203.0.113.5'), 401, 'invalid_client')
  })
  test('treats addresses of one IPv6 /64, and all spellings of an address, as one', async () => {
    for (let n = 0; n < 30; n++) expect((await guess(`2001:db8:0:1:${n.toString(16)}::1`)).statusCode).toBe(401)
    expect((await guess('2001:0db8:0000:0001:ffff:ffff:ffff:ffff')).statusCode).toBe(429)
    expect((await guess('2001:db8:0:2::1')).statusCode).toBe(401)
    expect(networkOf('::ffff:203.0.113.5')).toBe('203.0.113.5')
    expect(networkOf('2001:DB8::1')).toBe(networkOf('2001:db8:0:0:5::9'))
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  })
  test('limits failures per app for all addresses; correct secrets still work', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 101; n++) statuses.push((await guess(`198.18.0.${n}`)).statusCode)
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true)
    expect(statuses[100]).toBe(429)
    refused(await guess('198.18.1.1', app.clientId, app.secret), 400, 'invalid_grant')
  })
})

test('attack 40: accepts two secrets during a rotation until the old one expires, and stores only hashes', async () => {
  const rotating = await approvedApp(service)
  const works = async (secret: string) =>
    (await redeemCode(service, { ...rotating, secret }, await codeFor(user.browser, rotating))).statusCode
  const second = await issueSecret(service.services, await requireApp(service.services, rotating.clientId))
  expect(await works(rotating.secret)).toBe(200)
  expect(await works(second.secret)).toBe(200)
  const third = await issueSecret(service.services, await requireApp(service.services, rotating.clientId))
  expect(await works(rotating.secret)).toBe(401)
  expect(await works(second.secret)).toBe(200)
  service.clock.advance(86_400_000 + 1)
  expect(await works(second.secret)).toBe(401)
  expect(await works(third.secret)).toBe(200)
  const rows = await service.database.query<{ text: string }>('SELECT s::text AS text FROM app_secrets s')
  expect(rows.map(({ text }) => text).join()).not.toContain(third.secret.slice(4, 40))
})

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const)(
  'attack 41: %s on the endpoints for apps is 405 and names POST',
  async (method) => {
    for (const url of [TOKEN_URL, '/oauth/introspect', '/oauth/revoke']) {
      const response = await service.fastify.inject({ method, url })
      expect(response.statusCode).toBe(405)
      expect(response.headers.allow).toBe('POST')
    }
  },
)

describe('attack 42: other origins', () => {
  const listed = { origin: 'https://app.example.com' }
  const foreign = { origin: 'https://evil.example' }
  const preflight = (url: string, headers: Record<string, string>) =>
    service.fastify.inject({ method: 'OPTIONS', url, headers: { ...headers, 'access-control-request-method': 'POST' } })

  test('cannot call introspection and revocation', async () => {
    for (const url of ['/oauth/introspect', '/oauth/revoke']) {
      expect((await preflight(url, listed)).headers['access-control-allow-origin']).toBeUndefined()
      const answer = await postForm(
        service,
        url,
        { client_id: app.clientId, client_secret: app.secret, token: 'x' },
        listed,
      )
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
  test('can call the token endpoint and read its errors if the app lists them', async () => {
    expect((await preflight(TOKEN_URL, listed)).headers['access-control-allow-origin']).toBe(listed.origin)
    expect((await preflight(TOKEN_URL, foreign)).headers['access-control-allow-origin']).toBeUndefined()
    const request = async () => ({
      client_id: app.clientId,
      client_secret: app.secret,
      code: await codeFor(user.browser, app),
    })
    const allowed = await postForm(service, TOKEN_URL, await request(), listed)
    expect(allowed.headers['access-control-allow-origin']).toBe(listed.origin)
    expect(allowed.headers['access-control-allow-credentials']).toBeUndefined()
    const used = await postForm(service, TOKEN_URL, { ...(await request()), code: 'used' }, listed)
    expect(used.json()).toMatchObject({ error: 'invalid_grant' })
    expect(used.headers['access-control-allow-origin']).toBe(listed.origin)
    const closed = await postForm(service, TOKEN_URL, await request(), foreign)
    expect(closed.headers['access-control-allow-origin']).toBeUndefined()
    const stranger = await approvedApp(service)
    const tried = await redeemCode(service, stranger, await codeFor(user.browser, stranger))
    expect(tried.headers['access-control-allow-origin']).toBeUndefined()
  })
  test('can call token detail, user data, metadata and keys without credentials', async () => {
    const { access_token } = await tokensFor(service, user.browser, app)
    const paths = ['/oauth/api/2/token', '/oauth/api/2/user', '/oauth/jwks', '/.well-known/openid-configuration']
    for (const url of paths) {
      const answer = await service.fastify.inject({ url, headers: { ...foreign, access_token } })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      const asked = await preflight(url, foreign)
      expect(asked.headers['access-control-allow-origin']).toBe('*')
      expect(asked.headers['access-control-allow-headers']).toContain('access_token')
    }
  })
  test('cannot call the JSON API, which uses cookies', async () => {
    for (const url of ['/api/session', '/api/apps', '/api/challenges'])
      expect((await preflight(url, listed)).headers['access-control-allow-origin']).toBeUndefined()
    const session = await user.browser.get('/api/session', foreign)
    expect(session.headers['access-control-allow-origin']).toBeUndefined()
  })
})
