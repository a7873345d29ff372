import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBasic } from '../../../src/oauth/client-credentials.ts'
import { OauthError } from '../../../src/oauth/errors.ts'
import { readFlatJson } from '../../../src/oauth/flat-json.ts'
import { readBody, readQuery } from '../../../src/oauth/parameters.ts'
import { readCredential } from '../../../src/secrets/oauth-token-format.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import {
  approvedApp,
  authorizeUrl,
  redeemCode,
  signedInBrowser,
  type TestApp,
  TOKEN_URL,
} from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'

let service: SignInService
let app: TestApp
beforeAll(async () => {
  service = await startSignIn()
  app = await approvedApp(service)
})
beforeEach(() => service.clock.advance(61_000))
afterAll(() => service.close())

const post = (payload: string | Buffer, contentType = 'application/x-www-form-urlencoded', url = TOKEN_URL) =>
  service.fastify.inject({ method: 'POST', url, headers: { 'content-type': contentType }, payload })

function expect4xx(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBeGreaterThanOrEqual(400)
  expect(response.statusCode).toBeLessThan(500)
}

describe('attack 63: returns 4xx for malformed input:', () => {
  const credentials = () => `client_id=${app.clientId}&client_secret=${app.secret}`
  test.each([
    'code=%00',
    'code=a%00b',
    `code=${'x'.repeat(10_000)}`,
    'code=%ED%A0%80',
    'code=%zz',
    'code=%',
    'code=\xff',
    'scope[]=EVMAddress&code=x',
    '__proto__[admin]=1&code=x',
    '__proto__=1',
    'constructor=1',
    'grant_type=constructor&code=x',
    'grant_type=__proto__&code=x',
    'grant_type=toString&code=x',
    'grant_type=client_credentials',
    'grant_type=password&username=a&password=b',
    '',
    '&&&&',
    '=',
    Array.from({ length: 60 }, (_, n) => `p${n}=1`).join('&'),
  ])('form %j', async (extra) => {
    expect4xx(await post(`${credentials()}&${extra}`))
    expect4xx(await post(extra))
  })
  test.each([
    '{',
    '[]',
    'null',
    '"text"',
    '{}',
    '{"code":{"$ne":null}}',
    '{"code":["a"]}',
    '{"code":5}',
    '{"code":"a","code":"b"}',
    '{"code":"a","co\\u0064e":"b"}',
    '{"code":"\\ud800"}',
    '{"code":"\\u0000"}',
    '{"__proto__":{"admin":true}}',
    '{"code":"a"}{}',
    '{"code":"a",}',
    `${'['.repeat(20_000)}`,
    `{"a":${'['.repeat(20_000)}`,
  ])('JSON %j', async (body) => {
    expect4xx(await post(body, 'application/json'))
  })
  test.each([
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', '--b\r\ngarbage'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="code"; filename="f"\r\n\r\nx\r\n--b--',
    ],
    [
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="code"\r\n\r\nx\r\n--b\r\ncontent-disposition: form-data; name="code"\r\n\r\ny\r\n--b--',
    ],
    ['text/plain', 'code=x'],
    ['application/xml', '<code/>'],
    ['application/x-www-form-urlencoded; charset=utf-7', 'code=+AGE-'],
    ['nonsense', 'x'],
    [';', 'x'],
  ])('media type %j', async (contentType, body) => {
    expect4xx(await post(body, contentType))
  })
  test('a body of 2 MB, with 413 before it is read', async () => {
    for (const url of [TOKEN_URL, '/oauth/introspect', '/oauth/revoke', '/api/challenges'])
      expect((await post(Buffer.alloc(2_000_000, 97), 'application/json', url)).statusCode).toBe(413)
  })
  test('at the authorization endpoint', async () => {
    const browser = openBrowser(service.fastify)
    for (const query of [
      '%00',
      'client_id=%00',
      'client_id=%ED%A0%80',
      `client_id=${'x'.repeat(5000)}`,
      `client_id=${app.clientId}&redirect_uri=%00`,
      '__proto__[x]=1',
      '?&=&?',
    ])
      expect4xx(await browser.get(`/oauth?${query}`))
    const state = await browser.get(authorizeUrl(app, { state: 'a\0b' }))
    expect4xx(state)
    for (const path of ['/api/authorizations/%00', '/api/authorizations/..%2f', '/api/challenges/%ED%A0%80/proof'])
      expect4xx(await browser.get(path))
  })
  test('at the JSON API', async () => {
    const { browser } = await signedInBrowser(service)
    for (const body of [
      [],
      null,
      { kind: 5 },
      { kind: 'EVMAddress', purpose: 'sign-in', address: '\0' },
      { kind: 'EVMAddress', purpose: 'sign-in', address: '\ud800' },
      { kind: 'EVMAddress', purpose: 'sign-in', address: 'x'.repeat(500) },
      { kind: 'EVMAddress', purpose: 'sign-in', address: `0x${'1'.repeat(40)}`, chainId: -1 },
      { kind: '__proto__', purpose: 'sign-in' },
      JSON.parse(`{"kind":${'{"a":'.repeat(50)}1${'}'.repeat(50)}}`),
    ])
      expect4xx(await browser.call('POST', '/api/challenges', body ?? 'null'))
    for (const path of [
      '/api/apps/%00',
      '/api/audit?before=x',
      '/api/audit?first=0',
      '/api/audit?before=99999999-01-01',
      '/api/apps/x/secrets',
    ])
      expect4xx(await browser.get(path))
    for (const path of ['/api/sessions/%00', '/api/sessions/1', '/api/authorized-apps/%00', '/api/apps/%00'])
      expect4xx(await browser.call('DELETE', path))
  })
})

describe('attack 64: for any input', () => {
  const orRefusal = <T>(read: () => T): T | OauthError => {
    try {
      return read()
    } catch (error) {
      if (error instanceof OauthError) return error
      throw error
    }
  }
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(fc.constantFrom('a', '=', '&', '%', '+', '[', ']', '%00', '%61', 'code', '"', '\\', '{', '}', ':', ','), {
        maxLength: 20,
      })
      .map((parts) => parts.join('')),
  )

  test('rejects a query string or parses it like URLSearchParams', () => {
    fc.assert(
      fc.property(text, (query) => {
        const read = orRefusal(() => readQuery(query))
        if (read instanceof OauthError) return
        const reference = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
        expect([...read]).toEqual(reference)
      }),
      { numRuns: 3000 },
    )
  })
  test('rejects a JSON body or parses it like JSON.parse', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.json(),
          fc.dictionary(fc.string(), fc.string()).map((object) => JSON.stringify(object)),
        ),
        (body) => {
          const read = orRefusal(() => readFlatJson(body))
          if (read instanceof OauthError) return
          const reference = JSON.parse(body) as Record<string, string | null>
          const last = new Map(read)
          expect(last.size).toBe(Object.keys(reference).length)
          for (const [name, value] of last) expect(value).toBe(reference[name] ?? '')
        },
      ),
      { numRuns: 3000 },
    )
  })
  test('parses the same parameters from each of the three media types', async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/).filter((key) => key !== '__proto__')
    const value = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((each) => each.isWellFormed() && !/[\0\r\n]/.test(each))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 5, minKeys: 1 }), async (parameters) => {
        const entries = Object.entries(parameters)
        const form = new FormData()
        for (const [key, each] of entries) form.append(key, each)
        const multipart = new Response(form)
        const bodies: [string, Buffer][] = [
          ['application/x-www-form-urlencoded', Buffer.from(new URLSearchParams(entries).toString())],
          ['application/json', Buffer.from(JSON.stringify(parameters))],
          [multipart.headers.get('content-type') as string, Buffer.from(await multipart.arrayBuffer())],
        ]
        for (const [contentType, body] of bodies)
          expect(Object.fromEntries(await readBody(contentType, body))).toEqual(parameters)
      }),
      { numRuns: 200 },
    )
  })
  test('rejects or parses a multipart body without unexpected errors', async () => {
    const fragment = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\n',
      'content-disposition: form-data; name="code"',
      'name=',
      '"',
      ';',
      'x',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fragment, fc.string()), { maxLength: 15 }), async (parts) => {
        const read = await readBody('multipart/form-data; boundary=b', Buffer.from(parts.join(''))).catch(
          (error: unknown) => error,
        )
        expect(read instanceof Map || read instanceof OauthError).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
  test('rejects a Basic header or returns an id and a secret without form-encoding', () => {
    const header = fc.oneof(
      text.map((inner) => `Basic ${Buffer.from(inner).toString('base64')}`),
      text.map((inner) => `Basic ${inner}`),
      text,
    )
    fc.assert(
      fc.property(header, (authorization) => {
        const read = orRefusal(() => readBasic(authorization))
        if (read instanceof OauthError) return
        for (const part of [read.clientId, read.secret]) {
          expect(part).toMatch(/^[A-Za-z0-9_-]*$/)
          expect(decodeURIComponent(part)).toBe(part)
        }
      }),
      { numRuns: 3000 },
    )
  })
  test('returns no 5xx for any body, query and header', async () => {
    const mediaType = fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'multipart/form-data; boundary=b',
      'text/plain',
    )
    await fc.assert(
      fc.asyncProperty(mediaType, text, fc.stringMatching(/^[\x20-\x7e]{0,40}$/), async (contentType, body, header) => {
        service.clock.advance(61_000)
        const answer = await service.fastify.inject({
          method: 'POST',
          url: TOKEN_URL,
          headers: { 'content-type': contentType, ...(header.trim() !== '' && { authorization: header }) },
          payload: body,
        })
        expect(answer.statusCode).toBeGreaterThanOrEqual(400)
        expect(answer.statusCode).toBeLessThan(500)
        const page = await service.fastify.inject({ url: `/oauth?${encodeURI(body.toWellFormed())}` })
        expect(page.statusCode).toBe(400)
      }),
      { numRuns: 300 },
    )
  })
  test('accepts a credential only as the whole text, with the correct class', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('access', 'refresh', 'code', 'secret'), (value, kind) => {
        expect(readCredential(kind, value)).toBeUndefined()
      }),
    )
  })
})

describe('attack 65: the service limits load', () => {
  test('rejects a thousand parallel unknown codes without writing a row', async () => {
    const before = await service.database.query<{ n: number }>('SELECT count(*)::int AS n FROM security_events')
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => redeemCode(service, app, `qbc_${String(n).padStart(49, '0')}`)),
    )
    expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([400]))
    expect(await service.database.query('SELECT count(*)::int AS n FROM security_events')).toEqual(before)
  })
  test('rejects thousands of different keys at the limit', async () => {
    const many = Array.from({ length: 8000 }, (_, n) => `k${n}=1`).join('&')
    expect4xx(await post(many))
    expect4xx(await post(`{${Array.from({ length: 4000 }, (_, n) => `"k${n}":"1"`).join(',')}}`, 'application/json'))
    expect4xx(await post(`{"a":"${'\\\\'.repeat(30_000)}`, 'application/json'))
  })
  test('serves other requests while a body arrives slowly', async () => {
    await service.fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.fastify.server.address() as AddressInfo
    const slow = Array.from({ length: 50 }, () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `POST ${TOKEN_URL} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
      )
      return socket
    })
    const answer = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)
    expect(answer.status).toBe(200)
    for (const socket of slow) socket.destroy()
  })
})
