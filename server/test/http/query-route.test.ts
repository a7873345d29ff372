import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { ask, firstError, send } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const token = world.personas.business
const headers = { 'access-token': token }
const QUESTION = JSON.stringify({ query: '{ __typename }' })
const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'

/** Sends repeated headers separately; fetch would join them. */
async function sendRaw(lines: string[], body = QUESTION): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}/query`, {
      method: 'POST',
      headers: ['host', new URL(world.url).host, 'content-type', 'application/json', ...lines],
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })
}

test.each(['/query', '/query?', '/query?operationName=x', '/query/', '/query/?', '//query', '//query/'])(
  'serves POST %s',
  async (path) => {
    const response = await fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: QUESTION,
    })
    expect(await response.text()).toBe('{"data":{"__typename":"Query"}}')
  },
)

test.each([
  'http://elsewhere.example/query',
  'HTTPS://board.example:8443//query/?x',
  'http://elsewhere.example/schema.graphql',
])('accepts the absolute-form request target %s', async (path) => {
  const post = !path.endsWith('graphql')
  const { hostname, port } = new URL(world.url)
  const sent = request({
    hostname,
    port,
    path,
    method: post ? 'POST' : 'GET',
    headers: post ? { ...headers, 'content-type': 'application/json' } : {},
  })
  sent.end(post ? QUESTION : undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  expect(await readText(response)).toMatch(post ? /^\{"data":\{"__typename":"Query"\}\}$/ : /starboard\(/)
})

test.each(['/query//', '/queryx', '///query', '/x/query'])('does not accept POST %s as the endpoint', async (path) => {
  const answer = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: QUESTION })
  expect(answer.status).toBe(404)
})

test.each(['gzip', 'br', 'GZIP', 'identity, gzip'])(
  'names the content encoding %s that it does not accept',
  async (encoding) => {
    const answer = await send(world.url, new Uint8Array(gzipSync(QUESTION)), {
      ...headers,
      'content-encoding': encoding,
    })
    expect(firstError(answer)).toBe(
      'UNSUPPORTED_MEDIA_TYPE 415 Content-Encoding is not accepted: send the body uncompressed',
    )
    expect(answer.headers.get('accept-encoding')).toBe('identity')
    expect(answer.errors?.[0]?.extensions.details?.[0]).toBe(`received: ${encoding.toLowerCase()}`)
  },
)

test('accepts the content encoding identity', async () => {
  expect((await send(world.url, QUESTION, { ...headers, 'content-encoding': 'identity' })).status).toBe(200)
})

test('accepts the token in the header access_token', async () => {
  expect((await send(world.url, QUESTION, { access_token: token })).status).toBe(200)
  expect((await send(world.url, QUESTION, { access_token: token, ...headers })).status).toBe(200)
  expect((await send(world.url, QUESTION, { access_token: '', ...headers })).status).toBe(200)
})

test('serves the SDL at GET /schema.graphql without a token', async () => {
  const response = await fetch(`${world.url}/schema.graphql`)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('starboard(')
})

test.each([
  [undefined, JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['application/graphql-response+json', GRAPHQL_TYPE],
  ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', GRAPHQL_TYPE],
  ['application/json, application/graphql-response+json', JSON_TYPE],
  ['application/json;q=0.5, application/graphql-response+json', GRAPHQL_TYPE],
  ['application/graphql-response+json;q=0.1, text/html', GRAPHQL_TYPE],
  ['text/html, application/xhtml+xml, */*;q=0.8', JSON_TYPE],
])('responds to Accept: %s with %s', async (accept, type) => {
  const lines = Object.entries(headers).flat()
  const answer = accept === undefined ? undefined : await send(world.url, QUESTION, { ...headers, accept })
  if (answer) expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  else expect((await sendRaw(lines)).status).toBe(200)
})

test.each(['text/html', 'application/xml', 'application/json;q=0', 'application/json; charset=latin1'])(
  'responds with 406 to Accept: %s',
  async (accept) => {
    expect(firstError(await send(world.url, QUESTION, { ...headers, accept }))).toMatch(/^NOT_ACCEPTABLE 406 /)
  },
)

test.each([
  'text/plain',
  'application/graphql',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
])('responds to Content-Type: %s with 415', async (type) => {
  const answer = await send(world.url, QUESTION, { ...headers, 'content-type': type })
  expect(firstError(answer)).toMatch(/^UNSUPPORTED_MEDIA_TYPE 415 /)
})

test('accepts the same token in both headers or twice', async () => {
  expect((await send(world.url, QUESTION, { ...headers, authorization: `Bearer ${token}` })).status).toBe(200)
  expect((await sendRaw(['access-token', token, 'access-token', token])).status).toBe(200)
})

test.each([
  [
    'the headers access-token and Authorization',
    ['access-token', token, 'authorization', `Bearer ${world.personas.owner}`],
  ],
  ['the headers access-token and access_token', ['access-token', token, 'access_token', world.personas.owner]],
  ['the headers access_token and Authorization', ['authorization', `Bearer ${token}`, 'access_token', 'x']],
  ['2 headers access-token', ['access-token', token, 'access-token', world.personas.owner]],
])('responds with 400 to two different tokens in %s', async (where, lines) => {
  const { status, text } = await sendRaw(lines)
  expect(status).toBe(400)
  expect(text).toContain('"code":"INVALID_ARGUMENT"')
  expect(text).toContain(`two different access tokens in ${where}`)
})

test('ignores an Authorization header with another scheme', async () => {
  const answer = await send(world.url, QUESTION, { authorization: `Basic ${btoa(`a:${token}`)}` })
  expect(firstError(answer)).toBe('TOKEN_REQUIRED 401 Access token is required')
})

test('forbids caches to store a response', async () => {
  const { headers: answered } = await ask(world.url, '{ __typename }', { token })
  expect(answered.get('cache-control')).toBe('no-store')
})

test('selects the operation by operationName, and ignores an empty or null name', async () => {
  const query = 'query A { a: __typename } query B { b: __typename }'
  expect((await ask(world.url, query, { token, operationName: 'B' })).data).toEqual({ b: 'Query' })
  for (const body of [
    '{"query":"{ __typename }","operationName":""}',
    '{"query":"{ __typename }","operationName":null}',
  ])
    expect((await send(world.url, body, headers)).status).toBe(200)
  for (const operationName of ['C', '', 'A\n'])
    expect(firstError(await ask(world.url, query, { token, operationName }))).toMatch(
      /^INVALID_ARGUMENT 400 The document has /,
    )
})

test('ignores extensions and unknown keys of the body', async () => {
  const body = '{"query":"{ __typename }","extensions":{"persistedQuery":{}},"id":7,"__proto__":{"query":"x"}}'
  expect((await send(world.url, body, headers)).text).toBe('{"data":{"__typename":"Query"}}')
})

test('accepts a body with a byte order mark, and refuses one that is not UTF-8', async () => {
  const bytes = (...parts: (string | number[])[]) =>
    new Uint8Array(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
    )
  expect((await send(world.url, bytes([0xef, 0xbb, 0xbf], QUESTION), headers)).status).toBe(200)
  const bad = await send(world.url, bytes('{"query":"{ __typename }","x":"', [0xff, 0xfe], '"}'), headers)
  expect(firstError(bad)).toBe('INVALID_ARGUMENT 400 The request body is not UTF-8')
})

test('accepts a body of 100,000 bytes, and responds with 413 to a larger one', async () => {
  const padded = (size: number) => `{"query":"{ __typename }","x":"${'x'.repeat(size - 33)}"}`
  expect(padded(100_000)).toHaveLength(100_000)
  expect((await send(world.url, padded(100_000), headers)).status).toBe(200)
  for (const size of [100_001, 5_000_000]) {
    const announced = await send(world.url, padded(size), headers)
    expect([announced.status, announced.errors?.[0]?.extensions.details]).toEqual([413, ['limit: 100000 bytes']])
    const chunked = await sendRaw(['access-token', token, 'transfer-encoding', 'chunked'], padded(size))
    expect(chunked.status).toBe(413)
  }
})

test('includes data: null in failures as application/json, and no data in the newer media type', async () => {
  const failed = await send(world.url, '{"query":"{ nothing }"}', headers)
  expect(JSON.parse(failed.text)).toHaveProperty('data', null)
  const newer = await send(world.url, '{"query":"{ nothing }"}', {
    ...headers,
    accept: 'application/graphql-response+json',
  })
  expect(Object.keys(JSON.parse(newer.text) as object)).toEqual(['errors'])
  expect([failed.status, newer.status]).toEqual([400, 400])
})

test('keeps the connection open after every kind of refusal', async () => {
  for (const body of [
    '{',
    '{}',
    QUESTION.replace('__typename', 'nothing'),
    `{"query":"${'x'.repeat(300_000)}"}`,
    QUESTION,
  ])
    await send(world.url, body, headers)
  expect((await send(world.url, QUESTION, headers)).status).toBe(200)
})

test('responds to an unknown path with JSON for programs and a page with links for browsers', async () => {
  const at = (path: string, accept: string, method = 'GET') =>
    fetch(new URL(path, world.url), { method, headers: { accept } })
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const [path, accept, method] of [
    ['/nope', '*/*'],
    ['/nope', 'application/json'],
    ['/nope', 'application/json, text/html;q=0.5'],
    ['/nope', browser, 'POST'],
  ] as const) {
    const answer = await at(path, accept, method)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    expect(await answer.text()).toContain('Not found:')
  }
  const page = await at('/nope/<script>', browser)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const html = await page.text()
  // The page repeats nothing from the path.
  expect(html).not.toMatch(/nope/i)
  for (const [, path = ''] of html.matchAll(/href="(\/[^"]*)"/g))
    expect((await at(path, browser)).status, path).not.toBe(404)
})

test.each([
  ['/nope', 'Page not found', 'Seite nicht gefunden'],
  ['/s/nope', 'Community not found', 'Community nicht gefunden'],
  ['/s/nope/quests?state=open', 'Community not found', 'Community nicht gefunden'],
  // The community may exist.
  ['/s/nope/more', 'Page not found', 'Seite nicht gefunden'],
  ['/m/nope', 'Page not found', 'Seite nicht gefunden'],
  ['/m/nope/0x12', 'Member not found', 'Mitglied nicht gefunden'],
  ['/q/nope', 'Quest not found', 'Quest nicht gefunden'],
  ['/b/nope', 'Ranking not found', 'Rangliste nicht gefunden'],
])('names what a person did not find at %s', async (path, english, german) => {
  for (const [language, title] of [
    ['en', english],
    ['de', german],
  ] as const) {
    const page = await fetch(world.url + path, { headers: { accept: 'text/html', 'accept-language': language } })
    expect(page.status).toBe(404)
    const html = await page.text()
    expect(html).toContain(`<h1>${title}</h1>`)
    expect(html).not.toMatch(/token|POST|endpoint/i)
    // Explore needs an account.
    expect(html).toMatch(/<li class="for-guests"><a href="\/sign-in\?return=\/explore">/)
    expect(html).toMatch(/<li class="for-members"><a href="\/explore">/)
  }
})

test.each(['/api/nope', '/api', '/api/tokens/a/b/c', '/identity/nope/x/y'])(
  'responds to the unknown path %s in the error format of the JSON API',
  async (path) => {
    for (const body of [undefined, '{', 'x'.repeat(300_000)]) {
      const answer = await fetch(`${world.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      })
      expect([answer.status, await answer.json()]).toEqual([
        404,
        {
          error: {
            code: 'not_found',
            message: expect.stringMatching(/^Not found: POST \/(api|identity)/) as string,
            request_id: answer.headers.get('x-request-id'),
          },
        },
      ])
    }
  },
)

test.each([
  ['PUT', '/api/tokens', 'GET, HEAD, POST'],
  ['GET', '/api/tokens/7/regenerate', 'POST'],
  ['DELETE', '/api/identity-kinds?x=1', 'GET, HEAD'],
])('refuses %s at %s and lists the allowed methods', async (method, path, allow) => {
  const answer = await fetch(`${world.url}${path}`, { method })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  expect(await answer.json()).toMatchObject({
    error: { code: 'method_not_allowed', request_id: answer.headers.get('x-request-id') },
  })
})

test('treats an empty body of any media type as absent, and reports a missing required body', async () => {
  const session = await fetch(`${world.url}/api/session`)
  const { csrfToken } = (await session.json()) as { csrfToken: string }
  const cookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const json = { 'content-type': 'application/json; charset=utf-8', 'x-csrf-token': csrfToken, cookie }
  expect((await fetch(`${world.url}/api/session`, { method: 'DELETE', headers: json })).status).toBe(204)
  for (const [body, message] of [
    ['', 'The body must be a JSON object'],
    [' ', 'The request cannot be read: its body is malformed'],
    ['{"__proto__":{}}', 'The request cannot be read: its body is malformed'],
  ]) {
    const answer = await fetch(`${world.url}/api/challenges`, { method: 'POST', headers: json, body: body as string })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_argument', message } }])
  }
})
