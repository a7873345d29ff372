import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { send } from '../support/ask.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
afterAll(() => world.stop())

const token = world.personas.business
const headers = { 'access-token': token }
const QUESTION = JSON.stringify({ query: '{ __typename }' })

/** Writes bytes as they are, and reads until the service ends the connection. */
async function sendBytes(bytes: string): Promise<{ status: number; headers: Headers; text: string }> {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const [head = '', ...texts] = (await readText(socket)).split('\r\n\r\n')
  const text = texts.join('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  return { status: Number(start.split(' ')[1]), headers, text }
}

const REQUEST_ID = /^[0-9a-f]{32}$/
const GOOD = `POST /query HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\naccess-token: ${token}`
const WHOLE = `${GOOD}\r\ncontent-length: ${QUESTION.length}\r\n\r\n${QUESTION}`

test.each([
  ['a header line that is none', 'POST /query HTTP/1.1\r\nhost: a\r\nnone\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['an unknown method', 'FETCH /query HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['no HTTP at all', '\x16\x03\x01 hello', 400, 'INVALID_ARGUMENT'],
  ['no Host', 'POST /query HTTP/1.1\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['two Host headers', 'POST /query HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['a Host with a path', 'POST /query HTTP/1.1\r\nhost: a/b\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['a Host that is a list', 'POST /query HTTP/1.1\r\nhost: a, b\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['a Host with user info', 'POST /query HTTP/1.0\r\nhost: b@a\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['an empty Host', 'POST /query HTTP/1.1\r\nhost:\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['a Host with a port alone', 'POST /query HTTP/1.1\r\nhost: :80\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['a Host with a port above 65535', 'POST /query HTTP/1.1\r\nhost: a:65536\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  ['an expectation', `${GOOD}\r\nexpect: foo\r\ncontent-length: 9\r\n\r\n`, 417, 'EXPECTATION_FAILED'],
  [
    'an expectation at another path',
    'GET /api/session HTTP/1.1\r\nhost: a\r\nexpect: foo\r\n\r\n',
    417,
    'EXPECTATION_FAILED',
  ],
  ['too long a header', `${GOOD}\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ['a body in bad chunks', `${GOOD}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`, 400, 'INVALID_ARGUMENT'],
  ['a path that is none', 'GET /%zz HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'INVALID_ARGUMENT'],
  [
    'a path too long for any',
    `GET /api/authorizations/${'x'.repeat(400)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    404,
    'NOT_FOUND',
  ],
])('responds to %s with the common error shape', async (_, bytes, status, code) => {
  const answer = await sendBytes(bytes)
  const requestId = answer.headers.get('x-request-id')
  expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close'])
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(requestId).toMatch(REQUEST_ID)
  if (bytes.includes(' /api/'))
    return expect(JSON.parse(answer.text)).toMatchObject({ error: { code: code.toLowerCase(), request_id: requestId } })
  expect(JSON.parse(answer.text)).toMatchObject({
    data: null,
    errors: [{ extensions: { code, category: 'VALIDATION', http_status: status, request_id: requestId } }],
  })
})

test('responds to a complete request before malformed data, then closes the connection', async () => {
  const { status, headers, text } = await sendBytes(`${WHOLE}}}}}\r\n`)
  expect([status, headers.get('connection')]).toEqual([200, 'close'])
  expect(JSON.parse(text)).not.toHaveProperty('errors')
})

test.each(['a', 'a:', 'a:0', 'a:65535', '[::1]:4000', '127.0.0.1:1'])('accepts the Host %s', async (host) => {
  expect((await sendBytes(WHOLE.replace('host: a', `host: ${host}\r\nconnection: close`))).status).toBe(200)
})

test('responds to an expectation after the requests before it', async () => {
  const { status, text } = await sendBytes(`${WHOLE}${GOOD}\r\nexpect: foo\r\ncontent-length: 9\r\n\r\n`)
  expect(status).toBe(200)
  expect(text).toContain('HTTP/1.1 417 Expectation Failed')
})

test.each([
  ['/ingest/v1/points', 'INVALID_ARGUMENT'],
  ['/api/tokens', 'invalid_argument'],
  ['/identity/github/start', 'invalid_argument'],
])('responds to malformed input at %s in the error format of that part', async (path, code) => {
  for (const bytes of [`FETCH ${path} HTTP/1.1\r\n\r\n`, `GET ${path}/%zz HTTP/1.1\r\nhost: a\r\n\r\n`]) {
    const { status, headers, text } = await sendBytes(bytes)
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { error: { code, request_id: headers.get('x-request-id') } },
    ])
  }
  expect(JSON.parse((await sendBytes('GET /oauth/%zz HTTP/1.1\r\nhost: a\r\n\r\n')).text)).toMatchObject({
    error: 'invalid_request',
  })
})

test('does not use an error as the response to another request of the connection', async () => {
  const { status, text } = await sendBytes(`${WHOLE}${WHOLE}nonsense\r\n\r\n`)
  expect([status, text]).not.toContain('INVALID_ARGUMENT')
  expect((await send(world.url, QUESTION, headers)).status).toBe(200)
})
