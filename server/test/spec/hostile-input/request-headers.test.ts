import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../../src/config.ts'
import { keepForwardedAddresses } from '../../../src/http/forwarded-for.ts'
import { startWorld } from '../../support/fixture.ts'

interface Line {
  level: number
  msg: string
  err?: { message: string }
}
const logged: Line[] = []
const world = await startWorld({
  settings: {
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1',
  },
  log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line) as Line) }),
})
afterAll(() => world.stop())

/** Sends repeated headers separately; fetch would join them. */
function send(method: string, path: string, lines: string[], body = ''): Promise<{ status: number; headers: object }> {
  return new Promise((resolve, reject) => {
    const headers = ['host', new URL(world.url).host, ...lines]
    const sent = request(`${world.url}${path}`, { method, headers })
    sent.on('error', reject)
    sent.on('response', ({ statusCode = 0, headers }) => resolve({ status: statusCode, headers }))
    sent.end(body)
  })
}

const ENDPOINTS = [
  ['POST', '/query', 'application/json', '{"query":"{ __typename }"}'],
  ['POST', '/oauth/auth/2/token', 'application/x-www-form-urlencoded', 'grant_type=authorization_code'],
  ['GET', '/oauth/api/2/token', '', ''],
  ['GET', '/oauth/api/2/user', '', ''],
  ['POST', '/oauth/introspect', 'application/x-www-form-urlencoded', 'token=x'],
  ['POST', '/ingest/v1/points', 'application/json', '[]'],
  ['GET', '/api/session', '', ''],
  ['POST', '/api/challenges', 'application/json', '{"kind":"EVMAddress","purpose":"sign-in"}'],
  ['GET', '/.well-known/openid-configuration', '', ''],
  ['GET', '/schema.graphql', '', ''],
  ['POST', '/mcp', 'application/json', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ['GET', '/live/spaces/40', '', ''],
  ['GET', '/s/meridian', '', ''],
  ['GET', '/sign-in', '', ''],
  ['GET', '/healthz', '', ''],
  ['GET', '/nothing/here', '', ''],
  ['GET', '/oauth', '', ''],
  ['GET', '/manual', '', ''],
] as const

test.each(ENDPOINTS)('%s %s refuses two Authorization headers, and sends nosniff', async (method, path, type, body) => {
  const typed = type === '' ? [] : ['content-type', type, 'content-length', String(body.length)]
  const nosniff = { 'x-content-type-options': 'nosniff' }
  const one = await send(method, path, [...typed, 'authorization', 'Bearer a'], body)
  expect(one.headers).toMatchObject(nosniff)
  for (const second of ['Bearer a', 'Basic YTpi']) {
    const two = await send(method, path, [...typed, 'authorization', 'Bearer a', 'Authorization', second], body)
    expect([two.status, two.headers]).toMatchObject([400, nosniff])
  }
})

describe('X-Forwarded-For', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['198.51.100.1, junk, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7:80', '198.51.100.1, 203.0.113.7'],
    ['203.0.113.7, junk', undefined],
    ['unknown', undefined],
    ['203.0.113.7:port', undefined],
    ['999.0.113.7', undefined],
    ['', undefined],
  ])('reads %j as %j', (value, kept) => {
    const headers = { 'x-forwarded-for': value }
    keepForwardedAddresses({ headers })
    expect(headers['x-forwarded-for']).toBe(kept)
  })

  test('never counts an invalid address as a separate network', async () => {
    await world.database.query('DELETE FROM attempt_windows')
    for (const value of ['junk-1', 'junk-2', '203.0.113.7:1', '203.0.113.7:2'])
      await send('POST', '/api/challenges', ['content-type', 'application/json', 'x-forwarded-for', value], '{}')
    await send('GET', '/oauth?client_id=x', ['x-forwarded-for', 'junk'])
    await send('GET', '/oauth?client_id=x', ['x-forwarded-for', '203.0.113.7:9'])
    const names = await world.database.query<{ name: string }>('SELECT DISTINCT name FROM attempt_windows')
    const networks = new Set(names.map(({ name }) => name.split(':').slice(1).join(':')))
    expect([...networks].sort()).toEqual(['127.0.0.1', '203.0.113.7'])
  })

  test.each(['10.0.0.300', '10.0.0.0/33', 'proxy', '10.0.0.1,,10.0.0.2', '::1/129', '10.0.0.0/8/8'])(
    'rejects the trusted proxies %j at the start',
    (proxies) => {
      expect(() => loadConfig({ QUESTBOARD_TRUSTED_PROXIES: proxies })).toThrow(ConfigError)
    },
  )
})

describe('a client that disconnects', () => {
  const bytes = ([method, path, type, body]: readonly string[], sent: number) => {
    const head = [`${method} ${path} HTTP/1.1`, 'host: a', `access-token: ${world.personas.business}`]
    if (type) head.push(`content-type: ${type}`, `content-length: ${body?.length}`)
    return `${head.join('\r\n')}\r\n\r\n${body?.slice(0, sent)}`
  }

  test.each([
    ['in the middle of its body', 3, 20],
    ['while it waits for the response', Number.MAX_SAFE_INTEGER, 2],
  ])('leaves no error in the log %s', async (_, sent, milliseconds) => {
    logged.length = 0
    const { hostname, port } = new URL(world.url)
    for (const endpoint of ENDPOINTS) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(bytes(endpoint, sent))
      await setTimeout(milliseconds)
      socket.resetAndDestroy()
    }
    await setTimeout(300)
    expect(logged.filter(({ level }) => level >= 40).map(({ msg, err }) => `${msg}: ${err?.message}`)).toEqual([])
  })
})
