import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/connection.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { waitingSessions } from '../../support/database.ts'
import { ask, askAs, firstError } from '../../support/ask.ts'
import { startWorld } from '../../support/fixture.ts'
import { flakyNetwork } from '../../support/flaky-network.ts'
import { holdLocks } from '../../support/held.ts'
import { tokenWithLimits } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'

const world = await startWorld()
const network = await flakyNetwork(world.database.connection)
const lines: string[] = []
const database = openDatabase({ connection: network.connection, readConnections: 2, readTimeout: 500, log: silentLog })
const service = await startService({
  database: { ...world.database, ...database },
  clock: world.clock,
  log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
})
const askService = askAs(service.url, world.personas)
const QUESTION = '{ space(id: 40) { name } }'

let limited: string
beforeAll(async () => {
  limited = (await tokenWithLimits(world.deps, { perSecond: 1_000, perDay: 100_000 })).token
})
afterEach(async () => {
  await network.mend()
  await expect.poll(async () => (await ask(service.url, QUESTION, { token: limited })).status).toBe(200)
  lines.length = 0
})
afterAll(async () => {
  await service.stop()
  await database.close()
  await network.close()
  await world.stop()
})

const UNAVAILABLE = 'UNAVAILABLE 503 The service is temporarily unavailable'

async function whileRenamed(table: string, work: () => Promise<void>): Promise<void> {
  await world.database.query(`ALTER TABLE ${table} RENAME TO ${table}_gone`)
  try {
    await work()
  } finally {
    await world.database.query(`ALTER TABLE ${table}_gone RENAME TO ${table}`)
  }
}

test('returns data and INTERNAL_ERROR for an unexpected failure of a field, and logs the cause', async () => {
  await whileRenamed('credentials', async () => {
    const answer = await askService('{ credential(id: "500") { name } space(id: 40) { name } }')
    expect(answer.status).toBe(200)
    expect(answer.data).toEqual({ credential: null, space: { name: 'Aurora Guild' } })
    expect(firstError(answer)).toBe('INTERNAL_ERROR 500 Internal error')
    expect(answer.errors?.[0]?.extensions.category).toBe('INTERNAL')
    expect(answer.text).not.toMatch(/relation|credentials|42P01|\.ts/)
    const requestId = answer.headers.get('x-request-id') ?? ''
    expect(lines.find((line) => line.includes(requestId) && line.includes('relation \\"credentials\\"'))).toBeDefined()
  })
})

test('responds with INTERNAL_ERROR and 500 to an unexpected failure of the whole request', async () => {
  await whileRenamed('server_tokens', async () => {
    const answer = await askService(QUESTION)
    expect([answer.status, answer.data, firstError(answer)]).toEqual([500, null, 'INTERNAL_ERROR 500 Internal error'])
    expect(answer.text).not.toMatch(/relation|server_tokens/)
    expect(lines.join('')).toContain('relation \\"server_tokens\\"')
  })
})

test('responds at once with UNAVAILABLE, 503 and Retry-After without the database, and keeps running', async () => {
  expect((await askService(QUESTION)).status).toBe(200)
  await network.cut()
  const answers = await Promise.all(Array.from({ length: 50 }, () => askService(QUESTION)))
  for (const answer of answers) {
    expect([answer.status, answer.data, firstError(answer)]).toEqual([503, null, UNAVAILABLE])
    expect(answer.errors?.[0]?.extensions.category).toBe('UNAVAILABLE')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})

test('serves requests after an outage without a restart, and leaks no connections', async () => {
  await network.cut()
  expect(firstError(await askService(QUESTION))).toBe(UNAVAILABLE)
  for (let turn = 0; turn < 3; turn++) {
    await network.mend()
    await expect.poll(async () => (await askService(QUESTION)).status).toBe(200)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    await Promise.all(Array.from({ length: 20 }, () => askService(QUESTION)))
    if (turn < 2) await network.cut()
  }
  const [sessions] = await world.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE '%server_tokens%' AND pid <> pg_backend_pid()`,
  )
  expect(sessions?.count).toBeLessThanOrEqual(4) // two readers of this service, two of the other
})

test('responds with UNAVAILABLE when the quota cannot be counted', async () => {
  expect((await ask(service.url, QUESTION, { token: limited })).status).toBe(200)
  await network.cut()
  expect(firstError(await ask(service.url, QUESTION, { token: limited }))).toBe(UNAVAILABLE)
})

test('fails the whole request with 503 when its connection breaks', async () => {
  const blocker = await holdLocks(world.database.pool, ['LOCK TABLE credentials IN ACCESS EXCLUSIVE MODE'])
  const waiting = askService('{ space(id: 40) { name } credential(id: "500") { name } }')
  await waitUntilBlocked()
  await network.cut()
  const answer = await waiting
  await blocker.release()
  expect([answer.status, answer.data, firstError(answer)]).toEqual([503, null, UNAVAILABLE])
})

test('responds with UNAVAILABLE when a statement takes too long', async () => {
  const blocker = await holdLocks(world.database.pool, ['LOCK TABLE credentials IN ACCESS EXCLUSIVE MODE'])
  const answer = await askService('{ credential(id: "500") { name } }')
  await blocker.release()
  expect([answer.status, firstError(answer)]).toEqual([503, UNAVAILABLE])
  expect((await askService('{ credential(id: "500") { name } }')).status).toBe(200)
})

test('abandons a silent database and reconnects to it', async () => {
  expect((await askService(QUESTION)).status).toBe(200)
  network.silence()
  const answers = await Promise.all(Array.from({ length: 5 }, () => askService(QUESTION)))
  expect(answers.map(firstError)).toEqual(Array(5).fill(UNAVAILABLE))
  await network.mend()
  await expect.poll(async () => (await askService(QUESTION)).status).toBe(200)
})

async function waitUntilBlocked(): Promise<void> {
  await expect.poll(() => waitingSessions(world.database)).toBe(1)
}
