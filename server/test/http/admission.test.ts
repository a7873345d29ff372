import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import Fastify from 'fastify'
import { TOKEN_LENGTH } from '../../src/secrets/token-format.ts'
import { systemClock } from '../../src/clock.ts'
import { admit, type AdmissionLimits, ADMITTED } from '../../src/http/admission.ts'
import { LISTENER } from '../../src/http/connections.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { limitOtherRequests } from '../../src/http/other-requests.ts'
import { createRefusal } from '../../src/http/refuse-request.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { failureOf } from '../../src/mcp/message.ts'
import { systemRandom } from '../../src/random.ts'
import { ask, firstError, type QueryAnswer } from '../support/ask.ts'
import { ended, untilTheTestEnds } from '../support/connections.ts'
import { startWorld } from '../support/fixture.ts'

const world = await startWorld()
const PATIENCE = { interval: 10 }
const { cleanUp, listening, connected } = untilTheTestEnds()
afterAll(() => world.stop())

const OVERLOADED = 'UNAVAILABLE 503 The service is overloaded; retry later'

/** The admission control of `/query`, with work that the test ends. */
async function front(limits: AdmissionLimits) {
  const begun: string[] = []
  const open: ((status?: number) => void)[] = []
  let atOnce = false
  const work = (request: IncomingMessage, response: ServerResponse) =>
    new Promise<void>((resolve) => {
      begun.push(String(request.headers['access-token']).replace(/\.+$/, ''))
      const end = (status = 200): void => {
        response.writeHead(status).end('{}')
        resolve()
      }
      if (atOnce) end()
      else open.push(end)
    })
  const refuse = createRefusal({
    ...{ clock: systemClock, random: systemRandom, log: silentLog, metrics: createMetrics() },
    mcpFailure: failureOf,
  })
  const server = createServer(admit(work, refuse, systemClock, limits))
  const url = await listening(server)
  const asked = async (name: string, rest = ''): Promise<QueryAnswer<unknown>> =>
    ask<unknown>(url, '{ a }', { token: name.padEnd(TOKEN_LENGTH, '.') + rest })
  const until = (count: number) => expect.poll(() => begun.length, PATIENCE).toBe(count)
  let arrivals = 0
  server.on('request', () => arrivals++)
  /** Waits until `count` requests have arrived since the last introduction. */
  const arrived = (count: number) => expect.poll(() => arrivals, PATIENCE).toBe(count)
  const finish = async (count: number, status?: number) => {
    for (let left = count; left > 0; left--) {
      await expect.poll(() => open.length, PATIENCE).toBeGreaterThan(0)
      open.shift()?.(status)
    }
  }
  /** Ends the running work; new work ends immediately. */
  const finishAll = (): void => {
    atOnce = true
    for (const end of open.splice(0)) end()
  }
  /** Lets each token do some work once. */
  const introduce = async (...tokens: string[]) => {
    for (const token of tokens) {
      const answer = asked(token)
      await finish(1)
      await answer
    }
    begun.length = arrivals = 0
  }
  return { url, begun, asked, until, arrived, finish, finishAll, introduce }
}

test('refuses a message of the Model Context Protocol with an error of JSON-RPC', async () => {
  const { url, asked, until, finishAll } = await front({ running: 1, waiting: 0, maxWait: 60_000 })
  const running = asked('a')
  await until(1)
  const accept = 'application/json, text/event-stream'
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { accept }, body: '{}' })
  expect([response.status, response.headers.get('retry-after'), response.headers.get('content-type')]).toEqual([
    ...[503, '1', 'application/json'],
  ])
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32_000,
      message: 'The service is overloaded; retry later',
      data: { code: 'UNAVAILABLE', http_status: 503, request_id: response.headers.get('x-request-id') },
    },
  })
  finishAll()
  await running
})

test('responds with 503 and Retry-After at once, and starts no work, when the queue is full', async () => {
  const { begun, asked, until, finish } = await front({ running: 2, waiting: 3, maxWait: 60_000 })
  const running = [asked('a'), asked('a')]
  await until(2)
  const refusals: QueryAnswer<unknown>[] = []
  const many = Array.from({ length: 10 }, async () => {
    const answer = await asked('a')
    if (answer.status === 503) refusals.push(answer)
    return answer
  })
  await expect.poll(() => refusals.length, PATIENCE).toBe(7)
  const [refused] = refusals as [QueryAnswer<unknown>]
  expect([firstError(refused), refused.headers.get('retry-after')]).toEqual([OVERLOADED, '1'])
  expect(refused.errors?.[0]?.extensions.request_id).toBe(refused.headers.get('x-request-id'))
  await finish(5)
  const statuses = (await Promise.all([...running, ...many])).map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array<number>(5).fill(200), ...Array<number>(7).fill(503)])
  expect(begun).toHaveLength(5)
})

test('lets pages read the refusal of a publishable token, whatever their origin', async () => {
  const { url, asked, until, finish } = await front({ running: 1, waiting: 0, maxWait: 60_000 })
  const running = asked('a')
  await until(1)
  const refusalOf = async (headers: Record<string, string>, path = '/query') => {
    const { status, headers: sent } = await fetch(url + path, { headers: { origin: 'https://a.example', ...headers } })
    return [status, sent.get('access-control-allow-origin'), sent.get('access-control-expose-headers')]
  }
  const readable = [503, '*', expect.stringContaining('retry-after')]
  expect(await refusalOf({ 'access-token': 'qbp_a' })).toEqual(readable)
  expect(await refusalOf({}, '/query?access_token=qbp_a')).toEqual(readable)
  expect(await refusalOf({ 'access-token': 'qbs_a' })).toEqual([503, null, null])
  await finish(1)
  await running
})

test('serves another token during a flood of requests with one token', async () => {
  const { begun, asked, arrived, finish, introduce } = await front({ running: 1, waiting: 10, maxWait: 60_000 })
  await introduce('flood', 'other')
  const flood = Array.from({ length: 12 }, () => asked('flood'))
  await arrived(12)
  const others = [asked('other'), asked('other')]
  await arrived(14)
  // One runs, ten wait: eight of the flood and both of the others.
  await finish(11)
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200])
  expect(begun.indexOf('other')).toBeLessThanOrEqual(2)
  const refused = (await Promise.all(flood)).filter(({ status }) => status === 503)
  expect(refused).toHaveLength(3)
})

test('queues all unverified tokens together, so invented tokens gain no advantage', async () => {
  const { begun, asked, arrived, finish, introduce } = await front({ running: 1, waiting: 20, maxWait: 60_000 })
  await introduce('good')
  const invented = Array.from({ length: 9 }, (_, n) => asked(`invented-${n}`))
  await arrived(9)
  const good = [asked('good'), asked('good'), asked('good')]
  await arrived(12)
  await finish(12, 401)
  await Promise.all([...invented, ...good])
  expect(begun.lastIndexOf('good')).toBeLessThanOrEqual(6)
})

test('uses one queue for all spellings of a token', async () => {
  const { begun, asked, arrived, finish, introduce } = await front({ running: 1, waiting: 20, maxWait: 60_000 })
  const spellings = Array.from({ length: 9 }, (_, n) => '\u00a0'.repeat(n + 1))
  for (const spelling of spellings) {
    const answer = asked('good', spelling)
    await finish(1)
    await answer
  }
  await introduce('good')
  const spelt = spellings.map((spelling) => asked('good', spelling))
  await arrived(9)
  const good = [asked('good'), asked('good'), asked('good')]
  await arrived(12)
  await finish(12)
  await Promise.all([...spelt, ...good])
  expect(begun.lastIndexOf('good')).toBeLessThanOrEqual(6)
})

test('refuses a request that has waited too long, and does not start one whose client has disconnected', async () => {
  const { url, begun, asked, until, arrived, finish } = await front({ running: 1, waiting: 10, maxWait: 300 })
  const running = asked('a')
  await until(1)
  const leaving = new AbortController()
  const gone = fetch(`${url}/query`, { method: 'POST', body: '{}', signal: leaving.signal }).catch(() => undefined)
  await arrived(2)
  leaving.abort()
  expect(firstError(await asked('a'))).toBe(OVERLOADED)
  await finish(1)
  await Promise.all([running, gone])
  expect(begun).toHaveLength(1)
})

test('refuses new requests when the queue takes too long, and keeps the queued requests', async () => {
  const { asked, until, arrived, finishAll } = await front({ running: 1, waiting: 1_000, maxWait: 60_000 })
  const running = asked('a')
  await until(1)
  const waiting = Array.from({ length: 30 }, () => asked('a'))
  await arrived(31)
  // No query ends, so soon the thousand that may wait are more than the process can serve.
  const late: QueryAnswer<unknown>[] = []
  const refused = (): QueryAnswer<unknown> | undefined => late.find(({ status }) => status === 503)
  const trying = setInterval(() => void asked('a').then((answer) => late.push(answer)), 50)
  await expect.poll(refused, PATIENCE).toBeDefined()
  clearInterval(trying)
  expect(firstError(refused() as QueryAnswer<unknown>)).toBe(OVERLOADED)
  finishAll()
  const statuses = (await Promise.all([running, ...waiting])).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('limits concurrent queries, and responds with 503 after half a second in the queue', async () => {
  const blocker = await world.database.pool.connect()
  await blocker.query('BEGIN; LOCK TABLE spaces IN ACCESS EXCLUSIVE MODE')
  const count = ADMITTED.running + 20
  let refused = 0
  const asking = Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await ask(world.url, '{ space(id: 40) { name } }', { token: world.personas.business })
      if (answer.status === 503) refused++
      return answer.status === 200 ? 'answered' : firstError(answer)
    }),
  )
  asking.catch(() => {}) // A failed connection is reported below.
  try {
    await expect.poll(() => refused, PATIENCE).toBe(20)
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  const outcomes = Map.groupBy(await asking, (outcome) => outcome)
  expect([...outcomes.keys()].toSorted()).toEqual([OVERLOADED, 'answered'])
  expect(outcomes.get('answered')).toHaveLength(ADMITTED.running)
})

// Connections

test('responds with 408 to silent and slow clients, and serves other requests at the same time', async () => {
  const { server } = world.app
  const usual = [server.headersTimeout, server.requestTimeout]
  expect(usual).toEqual([LISTENER.headersTimeout, LISTENER.requestTimeout])
  ;[server.headersTimeout, server.requestTimeout] = [300, 600]
  cleanUp.push(() => ([server.headersTimeout, server.requestTimeout] = usual as [number, number]))
  const [silent, head, body] = await Promise.all([connected(world.url), connected(world.url), connected(world.url)])
  const token = world.personas.business
  head.write('POST /query HTTP/1.1\r\nhost: a\r\n')
  body.write(`POST /query HTTP/1.1\r\nhost: a\r\naccess-token: ${token}\r\ncontent-type: application/json\r\n`)
  body.write('content-length: 1000\r\n\r\n')
  const dripping = setInterval(() => {
    head.write('x-a: b\r\n')
    body.write(' ')
  }, 100)
  cleanUp.push(() => clearInterval(dripping))
  let told = ''
  for (const socket of [silent, head, body]) socket.on('data', (bytes) => (told += String(bytes)))
  const closing = Promise.all([silent, head, body].map(ended))
  expect((await ask(world.url, '{ __typename }', { token: world.personas.business })).status).toBe(200)
  await closing
  expect(told.match(/HTTP.1.1 408 /g)).toHaveLength(3)
  expect(
    told.match(/"code":"TIMEOUT","category":"VALIDATION","http_status":408,"request_id":"[0-9a-f]{32}"/g),
  ).toHaveLength(3)
})

test('serves queries while the bodies of others do not arrive', async () => {
  const token = world.personas.business
  const head = `POST /query HTTP/1.1\r\nhost: a\r\naccess-token: ${token}\r\ncontent-type: application/json\r\n`
  const body = '{"query":"{__typename}"}'
  const stalled = await Promise.all(Array.from({ length: 200 }, () => connected(world.url)))
  let arrivals = 0
  const count = () => arrivals++
  world.app.server.on('request', count)
  cleanUp.push(() => world.app.server.off('request', count))
  for (const socket of stalled) socket.resume().write(`${head}content-length: ${body.length}\r\n\r\n`)
  await expect.poll(() => arrivals, PATIENCE).toBe(200)
  for (let round = 0; round < 5; round++) {
    expect((await ask(world.url, '{ __typename }', { token: world.personas.owner })).status).toBe(200)
  }
  const [late] = stalled as [Socket]
  const answer = once(late, 'data')
  late.write(body)
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200/)
  for (const socket of stalled) socket.destroy()
})

test('limits other requests, and serves them while the bodies of others do not arrive', async () => {
  const fastify = Fastify()
  limitOtherRequests(fastify, 2)
  const open: (() => void)[] = []
  fastify.post('/', () => 'here')
  fastify.get('/', () => new Promise<string>((resolve) => open.push(() => resolve('here'))))
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
  cleanUp.push(() => fastify.close())
  const stalled = await Promise.all(Array.from({ length: 3 }, () => connected(url)))
  let arrivals = 0
  fastify.server.on('request', () => arrivals++)
  for (const socket of stalled)
    socket.resume().write('POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n')
  await expect.poll(() => arrivals, PATIENCE).toBe(3)
  const answers = [fetch(url), fetch(url)]
  await expect.poll(() => open.length, PATIENCE).toBe(2)
  expect((await fetch(url)).status).toBe(503)
  for (const finish of open) finish()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  // The limit is two, so the oldest request was closed.
  await expect
    .poll(() => stalled.map((socket) => socket.closed || socket.readableEnded), PATIENCE)
    .toEqual([true, false, false])
  for (const socket of stalled) socket.destroy()
})

test('processes one query of a connection at a time, and counts unread response bytes', async () => {
  const points = Array.from({ length: 1_000 }, (_, n) => ({
    spaceId: 41,
    address: `member ${n} ${'x'.repeat(70)}`,
    points: n,
  }))
  await importRecords(world.deps, 'spaces', [{ spaceId: 41, name: 'Long' }])
  await importRecords(world.deps, 'points', points)
  const board =
    'space(id: 41) { loyaltyPointsRanks(first: 1000) { list { rank points address { username address } } } }'
  const body = JSON.stringify({ query: `{ ${Array.from({ length: 15 }, (_, n) => `a${n}: ${board}`).join(' ')} }` })
  const head = `POST /query HTTP/1.1\r\nhost: a\r\naccess-token: ${world.personas.business}\r\ncontent-type: application/json`
  const socket = await connected(world.url)
  const figure = async (name: string) =>
    [...(await world.app.metrics.render()).body.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0)
  socket.pause().write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`.repeat(10))
  await expect.poll(() => figure('questboard_answers_unsent_bytes'), PATIENCE).toBeGreaterThan(0)
  const before = await figure('questboard_queries_total')
  for (let other = 0; other < 3; other++)
    expect((await ask(world.url, '{ __typename }', { token: world.personas.owner })).status).toBe(200)
  expect((await figure('questboard_queries_total')) - before).toBe(3)
  socket.destroy()
  await expect.poll(() => figure('questboard_answers_unsent_bytes'), PATIENCE).toBe(0)
})
