import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { ingestToken } from '../../server/test/ingest-api/arrange.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { createPersonas } from '../../server/test/support/personas.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { findNginx, type RunningNginx, startNginx } from './nginx.ts'

const nginx = findNginx()
if (nginx === undefined)
  process.stderr.write('deploy/nginx.conf is not run: this machine has no nginx (apt-get install nginx).\n')

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The loopback address of the client. */
  from?: string
}

describe.skipIf(nginx === undefined)('nginx in front of the service', () => {
  let service: TestService
  let front: RunningNginx
  let token: string
  let writer: string

  beforeAll(async () => {
    service = await startService({
      settings: {
        QUESTBOARD_PUBLIC_URL: 'https://quests.example.org',
        QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1',
        QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      },
    })
    token = (await createPersonas(service.deps)).business
    writer = await ingestToken(service)
    // The first of the two instances is stopped, as in a rolling restart.
    const gone = createTcpServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const gonePort = (gone.address() as AddressInfo).port
    gone.close()
    front = await startNginx(nginx as string, [gonePort, Number(new URL(service.url).port)])
  })
  afterAll(async () => {
    await front?.stop()
    await service?.stop()
  })

  async function send(path: string, { method = 'GET', headers = {}, body, from }: Sent = {}) {
    const outgoing = request({
      ...{ host: '127.0.0.1', port: front.httpsPort, ca: front.certificate, servername: 'quests.example.org' },
      ...{ path, method, localAddress: from ?? '127.0.0.1', agent: false },
      headers: { host: 'quests.example.org', ...headers },
    })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }

  const json = { 'content-type': 'application/json' }
  const query = (body: string, headers: Record<string, string> = { 'access-token': token }) =>
    send('/query', { method: 'POST', headers: { ...json, ...headers }, body })

  test('serves a query over TLS with Strict-Transport-Security', async () => {
    const answer = await query('{"query":"{ __typename }"}')
    expect(answer).toMatchObject({ status: 200, body: '{"data":{"__typename":"Query"}}' })
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
  })

  test('sends every request to a running instance', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => query('{"query":"{ __typename }"}')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('redirects from http to https', async () => {
    const answer = await fetch(`http://127.0.0.1:${front.httpPort}/docs?a=b`, { redirect: 'manual' })
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe('https://127.0.0.1/docs?a=b')
  })

  test('passes the header access_token, with its underscore', async () => {
    const unknown = await send('/oauth/api/2/token', { headers: { access_token: 'qbu_unknown' } })
    const missing = await send('/oauth/api/2/token')
    expect(unknown.headers['www-authenticate']).toContain('error="invalid_token"')
    expect(missing.headers['www-authenticate']).not.toContain('error="invalid_token"')
  })

  test('sends the real client address to the service', async () => {
    const body = 'client_id=nobody&client_secret=nothing&code=none'
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '203.0.113.9' }
    await send('/oauth/auth/2/token', { method: 'POST', headers, body, from: '127.0.0.7' })
    const rows = await service.database.query<{ name: string }>('SELECT name FROM attempt_windows')
    expect(rows.map(({ name }) => name).join()).toContain('127.0.0.7')
    expect(rows.map(({ name }) => name).join()).not.toContain('203.0.113.9')
  })

  test('limits concurrent requests of one address without affecting others', async () => {
    const from = '127.0.0.9'
    const open: ClientRequest[] = []
    const held = { host: '127.0.0.1', port: front.httpsPort, ca: front.certificate, servername: 'quests.example.org' }
    const headers = { host: 'quests.example.org', ...json, 'content-length': 100 }
    for (let n = 0; n < 200; n++) {
      const one = request({ ...held, path: '/query', method: 'POST', localAddress: from, agent: false, headers })
      one.on('error', () => {})
      one.write('{')
      open.push(one)
    }
    await expect.poll(async () => (await send('/schema.graphql', { from })).status).toBe(429)
    expect((await send('/schema.graphql')).status).toBe(200)
    for (const one of open) one.destroy()
    await expect.poll(async () => (await send('/schema.graphql', { from })).status).toBe(200)
  })

  test('rejects bodies that are too large with the error format of the service', async () => {
    const answer = await query(`{"query":"${' '.repeat(200_000)}"}`)
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] })
    const headers = { ...json, authorization: `Bearer ${writer}` }
    const batch = await send('/ingest/v1/awards', { method: 'POST', headers, body: ' '.repeat(8_500_000) })
    expect({ status: batch.status, body: JSON.parse(batch.body) as unknown }).toMatchObject({
      status: 413,
      body: { error: { message: 'The body is too large; allowed: 8388608 bytes' } },
    })
  })

  test('passes a whole holder list, which is larger than any other body', async () => {
    const body = Buffer.alloc(12_000_000, '\n')
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${writer}` }
    const answer = await send('/ingest/v1/holders/replace?credentialId=1', { method: 'POST', headers, body })
    expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toMatchObject({
      status: 404,
      body: { error: { message: 'Credential 1 is not known; create it first' } },
    })
  })

  test('passes an import file of the same size', async () => {
    const { browser, account } = await signedInBrowser(service.app)
    await setOperator(service.database.kysely, account.id, new Date(service.clock.now()))
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'x-csrf-token': await browser.csrfToken(), cookie }
    const body = `spaceId,name\n${`7,${'long '.repeat(200_000)}\n`.repeat(12)}`
    const answer = await send('/api/operator/imports', { method: 'POST', headers, body })
    expect({
      status: answer.status,
      last: JSON.parse(answer.body.trim().split('\n').at(-1) ?? '') as unknown,
    }).toMatchObject({ status: 200, last: { result: 'refused', count: 12 } })
  })

  test.each(['/metrics', '/healthz', '/readyz'])('does not publish %s', async (path) => {
    expect(await send(path)).toMatchObject({ status: 404 })
  })

  test('serves the manual and the schema', async () => {
    expect((await send('/docs')).body).toContain('Questboard')
    expect((await send('/schema.graphql')).body).toContain('type Query')
  })
})
