import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld } from '../../support/fixture.ts'
import { fromPage, get, PAGE, post, publishableToken } from '../../support/pages.ts'

// Everyone can read a publishable token in the pages that contain it. So each request here has a valid one.
const world = await startWorld()
const { url, deps, database } = world
let token: string
let tokenId: string
let secret: string
beforeAll(async () => {
  ;({ token, tokenId } = await publishableToken(deps, { origins: [PAGE, 'https://shop.example'] }))
  secret = world.personas.business
})
afterAll(() => world.stop())

const NAME = '{ space(id: 40) { name } }'
const DENIED = 'PERMISSION_DENIED 403 This publishable token may not be used from this origin'
const ALLOWED = 'allowed: the origins that the token lists; its owner sees them on the page Server API'
const corsOf = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('access-control-'))
const json = { 'content-type': 'application/json' }

describe('another origin', () => {
  test.each([
    ['another site', 'https://evil.example'],
    ['an opaque origin, such as a frame with sandbox', 'null'],
    ['no origin', ''],
    ['another port', 'http://localhost:5174'],
    ['another scheme', 'https://localhost:5173'],
    ['the default port', 'https://shop.example:443'],
    ['a host below', 'https://a.shop.example'],
    ['a host with the same beginning', 'https://shop.example.evil.example'],
    ['a host with the same end', 'https://evilshop.example'],
    ['a trailing slash', 'https://shop.example/'],
    ['upper case', 'https://SHOP.example'],
    ['a trailing dot', 'https://shop.example.'],
    ['two origins', `${PAGE} https://evil.example`],
    ['two origins in a list', `${PAGE}, https://evil.example`],
    ['userinfo', 'https://shop.example@evil.example'],
  ])('T11: refuses %s, and names no origin of the token', async (_, origin) => {
    const before = await database.query('SELECT * FROM quota_windows ORDER BY 1, 2, 3')
    for (const answer of [
      await post(url, token, { query: NAME }, origin),
      await get(url, { access_token: token, query: NAME }, { origin }),
    ]) {
      expect([answer.status, answer.error, answer.data]).toEqual([403, DENIED, null])
      expect(corsOf(answer.headers)).toEqual([])
      expect(answer.headers.get('vary')).toContain('origin')
      expect(answer.details[0]).toMatch(/^origin: /)
      expect(answer.details.slice(1).join()).toBe(ALLOWED)
    }
    expect(await database.query('SELECT * FROM quota_windows ORDER BY 1, 2, 3')).toEqual(before)
  })

  test('T11: allows exactly the listed origins, without credentials', async () => {
    for (const origin of [PAGE, 'https://shop.example']) {
      const { status, headers } = await post(url, token, { query: NAME }, origin)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin])
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test.each([
    '*',
    'null',
    'https://*.example',
    'http://shop.example',
    'https://shop.example/',
    'https://a.example/x',
    '',
  ])('T11: creates no token for the origin %j', async (origin) => {
    await expect(publishableToken(deps, { origins: [origin] })).rejects.toMatchObject({ field: 'origins' })
  })
})

describe('CORS', () => {
  const preflight = (headers: Record<string, string>, path = '/query') =>
    fromPage(url, path, { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST', ...headers } }, '')

  test('T11: gives every preflight the same response, whether tokens list its origin or not', async () => {
    const responses = []
    for (const origin of [PAGE, 'https://evil.example', 'null'])
      responses.push(await preflight({ origin, 'access-control-request-headers': 'access-token, content-type' }))
    for (const { status, text, headers } of responses) {
      expect([status, text]).toEqual([204, ''])
      expect(Object.fromEntries(corsOf(headers))).toEqual({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers':
          'access-token, access_token, authorization, content-type, if-none-match, last-event-id',
        'access-control-max-age': '86400',
      })
    }
  })

  test('T11: lets no page read a response to a secret token', async () => {
    for (const origin of [PAGE, 'https://evil.example']) {
      const answer = await post(url, secret, { query: NAME }, origin)
      expect([answer.status, corsOf(answer.headers), answer.headers.get('vary')]).toEqual([200, [], null])
    }
  })

  test('T11: lets no page read a response about a token that is unknown, or without a token', async () => {
    const last = token.endsWith('0') ? '1' : '0'
    for (const bad of [token.slice(0, -1) + last, `qbp_${token.slice(4).toLowerCase()}`, 'qbp_'])
      expect(corsOf((await post(url, bad, { query: NAME })).headers)).toEqual([])
    const without = await fromPage(url, '/query', { method: 'POST', headers: json, body: '{}' })
    expect([without.status, corsOf(without.headers)]).toEqual([401, []])
  })

  test('T11: treats OPTIONS that is no preflight, and other methods, as before', async () => {
    for (const [method, headers] of [
      ['OPTIONS', {}],
      ['OPTIONS', { origin: PAGE }],
      ['PUT', { 'access-token': token, origin: PAGE }],
      ['DELETE', { 'access-token': token, origin: PAGE }],
    ] as const) {
      const answer = await fromPage(url, '/query', { method, headers }, '')
      expect([answer.status, corsOf(answer.headers)]).toEqual([405, []])
      expect(answer.headers.get('allow')).toBe('POST')
    }
  })
})

describe('the token in the wrong place', () => {
  test('T11: reads no secret token from a URL, and no GET with one', async () => {
    for (const answer of [
      await get(url, { access_token: secret, query: NAME }),
      await get(url, { query: NAME }, { headers: { 'access-token': secret } }),
      await get(url, { query: NAME }),
    ]) {
      expect([answer.status, answer.error]).toEqual([405, 'METHOD_NOT_ALLOWED 405 Queries are sent with POST'])
      expect(corsOf(answer.headers)).toEqual([])
    }
    const posted = await fromPage(url, `/query?access_token=${token}`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query: NAME }),
    })
    expect([posted.status, posted.error]).toEqual([401, 'TOKEN_REQUIRED 401 Access token is required'])
  })

  test('T11: refuses two tokens, in two headers, in header and URL, or twice in the URL', async () => {
    const { token: second } = await publishableToken(deps)
    for (const answer of [
      await get(url, { access_token: token, query: NAME }, { headers: { 'access-token': secret } }),
      await get(url, { access_token: token, query: NAME }, { headers: { 'access-token': second } }),
      await fromPage(url, `/query?access_token=${token}&access_token=${second}&query=${encodeURI(NAME)}`),
      await fromPage(url, '/query', {
        method: 'POST',
        headers: { ...json, 'access-token': secret, authorization: `Bearer ${token}` },
        body: JSON.stringify({ query: NAME }),
      }),
    ])
      expect([answer.status, answer.error]).toEqual([
        400,
        expect.stringMatching(/^INVALID_ARGUMENT 400 The request contains two different access tokens/),
      ])
  })

  test.each([
    ['POST', '/ingest/v1/spaces', 'authorization'],
    ['GET', '/oauth/api/2/token', 'access_token'],
    ['GET', '/oauth/api/2/user', 'access_token'],
    ['GET', '/api/tokens', 'access-token'],
  ])('T11: rejects a publishable token at %s %s', async (method, path, header) => {
    const value = header === 'authorization' ? `Bearer ${token}` : token
    const body = method === 'POST' ? { body: '[]' } : {}
    const response = await fetch(url + path, { method, headers: { ...json, [header]: value, origin: PAGE }, ...body })
    expect(response.status).toBe(401)
  })

  test('T11: takes the secret part of a publishable token with another prefix for unknown', async () => {
    const answer = await post(url, `qbs_${token.slice(4)}`, { query: NAME })
    expect(answer.status).toBe(401)
  })
})

describe('persisted documents', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const named = (sha256Hash: unknown) => ({ persistedQuery: { version: 1, sha256Hash } })
  const stored = async () =>
    (await database.query('SELECT FROM persisted_documents WHERE token_id = $1', [tokenId])).length

  test('T11: stores no document under the hash of another', async () => {
    const wanted = 'query Wanted { space(id: 40) { name } }'
    const poison = 'query Poison { space(id: 40) { name: id } }'
    const before = await stored()
    const answer = await post(url, token, { query: poison, extensions: named(sha256(wanted)) })
    expect([answer.status, answer.error]).toEqual([
      400,
      'INVALID_ARGUMENT 400 The hash is not the SHA-256 of the document',
    ])
    expect(await stored()).toBe(before)
    const asked = await get(url, { access_token: token, extensions: named(sha256(wanted)) })
    expect(asked.error).toBe('PERSISTED_QUERY_NOT_FOUND 404 PersistedQueryNotFound')
  })

  test.each([
    ['asks for another area', '{ starboard(id: "1") { basicInfo { name } } }'],
    [
      'asks for data of persons',
      '{ space(id: 40) { addressLoyaltyPointsHistory(address: "0x") { list { amount } } } }',
    ],
    ['is invalid', '{ nope }'],
    ['is a mutation', 'mutation { space(id: 40) { name } }'],
    ['is too expensive', `{ ${Array.from({ length: 101 }, (_, n) => `a${n}: space(id: 40) { name }`).join(' ')} }`],
  ])('T11: stores no document that %s', async (_, query) => {
    const before = await stored()
    const answer = await post(url, token, { query, extensions: named(sha256(query)) })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(await stored()).toBe(before)
  })

  test('T11: checks the permissions of a stored document again', async () => {
    const document = 'query Foreign { starboard(id: "1") { basicInfo { name } } }'
    await database.query('INSERT INTO persisted_documents VALUES ($1, $2, $3, now(), now())', [
      tokenId,
      Buffer.from(sha256(document), 'hex'),
      document,
    ])
    const answer = await get(url, { access_token: token, extensions: named(sha256(document)) })
    expect([answer.status, answer.data]).toEqual([403, null])
  })

  test.each([7, null, ['a'], { a: 1 }, 'A'.repeat(64), 'a'.repeat(63), "' OR true --"])(
    'T11: refuses the hash %j',
    async (hash) => {
      const answer = await post(url, token, { extensions: named(hash) })
      expect([answer.status, answer.error]).toEqual([400, 'INVALID_ARGUMENT 400 Invalid hash of a persisted document'])
    },
  )

  test('T11: ignores hashes in requests with a secret token, as before', async () => {
    const query = '{ __typename }'
    expect((await post(url, secret, { query, extensions: named('x') })).status).toBe(200)
    const answer = await post(url, secret, { extensions: named(sha256(query)) })
    expect([answer.status, answer.error]).toEqual([400, 'INVALID_ARGUMENT 400 The request body has no "query"'])
  })
})

test('T11: shares no cached response between tokens', async () => {
  const { token: other } = await publishableToken(deps, { spaces: [41] })
  const body = { query: '{ space(id: 41) { id name } }' }
  for (let n = 0; n < 3; n++) {
    expect((await post(url, other, body)).data).toEqual({ space: { id: '41', name: 'Beacon' } })
    expect((await post(url, secret, body)).data).toEqual({ space: { id: '41', name: 'Beacon' } })
  }
  expect((await post(url, token, body)).error).toMatch(/^PERMISSION_DENIED 403 .*this space$/)
})
