import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { formatToken } from '../../../src/secrets/token-format.ts'
import { DAY, HOUR, MINUTE } from '../../../src/clock.ts'
import { isUnavailable, openDatabase } from '../../../src/database/connection.ts'
import { statement } from '@questboard/pg-read-pipeline'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { DATABASE_PROBE, DATABASE_SILENCE_TIMEOUT } from '../../../src/lifetimes.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { ingestToken, send } from '../../ingest-api/arrange.ts'
import { ask, firstError } from '../../support/ask.ts'
import { startWorld } from '../../support/fixture.ts'
import { flakyNetwork } from '../../support/flaky-network.ts'
import { holdLocks } from '../../support/held.ts'
import { tokenWithLimits } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'
import { startUpstream } from '../../support/upstream.ts'

// bench/rows/database-outage.ts runs the same faults on real processes. Here the timeouts are a tenth.
const lifeline = { suspicion: DATABASE_SILENCE_TIMEOUT / 10, probe: DATABASE_PROBE / 10 }
const PATIENCE = { interval: 20 }
const world = await startWorld()
const network = await flakyNetwork(world.database.connection)
const upstream = await startUpstream(({ url }, response) => {
  if (url.startsWith('/hangs')) return
  response.end('true')
})
const database = openDatabase({ connection: network.connection, readConnections: 2, log: silentLog, lifeline })
const service = await startService({
  database: { ...world.database, ...database },
  clock: world.clock,
  settings: {
    QUESTBOARD_OUTGOING_HOSTS: upstream.host,
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
  },
})
let writer: string
beforeAll(async () => {
  writer = await ingestToken(world)
})
afterEach(async () => {
  network.delay(0)
  await network.mend()
  await expect.poll(async () => (await question()).status, PATIENCE).toBe(200)
})
afterAll(async () => {
  await service.stop()
  await database.close()
  await Promise.all([network.close(), upstream.close()])
  await world.stop()
})

const question = () => ask(service.url, '{ space(id: 42) { name } }', { token: world.personas.business })
const award = (key: string) =>
  send(service, 'awards', [{ key, spaceId: 42, address: 'm', points: 1 }], { token: writer })
const userToken = formatToken('qbu', randomBytes(32))
let turn = 0
/** One request for each part of the service that needs the database. */
const everything = {
  query: question,
  award: () => award('faults-1'),
  items: () => send(service, 'spaces', [{ spaceId: 900, name: `Garden ${turn++}` }], { token: writer }),
  'token detail': () => fetch(`${service.url}/oauth/api/2/token`, { headers: { access_token: userToken } }),
  redemption: () =>
    fetch(`${service.url}/oauth/auth/2/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'x', client_secret: 'y', code: formatToken('qbc', randomBytes(32)) }),
    }),
  dashboard: () => fetch(`${service.url}/api/tokens`, { headers: { cookie: `questboard-session=${'a'.repeat(43)}` } }),
  page: () => fetch(`${service.url}/oauth?client_id=nobody&redirect_uri=https%3A%2F%2Fapp.example&scope=&state=x`),
  ready: () => fetch(`${service.url}/readyz`),
}
async function statuses(): Promise<Record<string, string>> {
  const asked = Object.entries(everything).map(async ([name, request]) => {
    const { status, headers } = await request()
    return [name, `${status} ${headers.get('retry-after') ?? ''}`.trim()] as const
  })
  return Object.fromEntries(await Promise.all(asked))
}
const unavailable = Object.fromEntries(Object.keys(everything).map((name) => [name, '503 1']))
const pointsOf = async (address: string) =>
  (
    await world.database.query<{ points: number }>(
      `SELECT points FROM board_entries WHERE space_id = 42 AND sprint_id = 0 AND address = $1`,
      [address],
    )
  )[0]?.points

// Each attempt to connect takes three seconds. The timeout fails the test if requests wait for attempts.
test('when the network drops every packet, requests fail with 503 without a connection attempt each', async () => {
  expect(Object.values(await statuses()).filter((status) => status.startsWith('5'))).toEqual([])
  network.silence()
  expect(await statuses()).toEqual(unavailable)
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, question))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  }
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  await network.mend()
  await expect.poll(async () => (await question()).status, PATIENCE).toBe(200)
  expect((await award('faults-1')).status).toBe(200)
  expect(await pointsOf('m')).toBe(1)
})

test('closes all lost connections and opens new ones', async () => {
  expect(Object.values(await statuses()).filter((status) => status.startsWith('5'))).toEqual([])
  network.forget()
  const first = Object.values(await statuses())
  expect(first.filter((status) => status.startsWith('5') && status !== '503 1')).toEqual([])
  await expect
    .poll(async () => Object.values(await statuses()).filter((status) => status.startsWith('5')), PATIENCE)
    .toEqual([])
})

test('closes one lost connection while others are busy, and keeps a slow statement', async () => {
  // A separate network, because the service of the other tests can connect at any time.
  const line = await flakyNetwork(world.database.connection)
  const own = openDatabase({ connection: line.connection, readConnections: 1, log: silentLog, lifeline })
  const slow = statement<{ done: boolean }>('test.slow', 'SELECT pg_sleep(0.05) IS NOT NULL AS done')
  let busy = true
  await own.read(slow, [])
  const patient = await own.pool.connect()
  try {
    await own.pool.query('SELECT 1')
    line.forgetNewest()
    const traffic = (async () => {
      while (busy) await own.read(slow, [])
    })()
    const waiting = patient.query<{ slept: boolean }>('SELECT pg_sleep(3) IS NOT NULL AS slept')
    await expect(own.pool.query('SELECT 2')).rejects.toThrow('the connection to the database was lost in the network')
    expect((await own.pool.query<{ three: number }>('SELECT 3 AS three')).rows).toEqual([{ three: 3 }])
    expect((await waiting).rows).toEqual([{ slept: true }])
    busy = false
    await traffic
  } finally {
    busy = false
    patient.release()
    await own.close()
    await line.close()
  }
})

test('keeps idle connections and closes lost ones under TLS', async () => {
  const hidden = await flakyNetwork(world.database.connection, { encrypted: true })
  const encrypted = openDatabase({
    connection: hidden.connection,
    readConnections: 1,
    log: silentLog,
    lifeline: { ...lifeline, probe: DATABASE_PROBE / 3 },
  })
  const pid = async () => (await encrypted.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  const one = statement<{ one: number }>('test.one', 'SELECT 1 AS one')
  try {
    const first = await pid()
    expect(await encrypted.read(one, [])).toEqual([{ one: 1 }])
    await new Promise((resolve) => setTimeout(resolve, 8 * lifeline.suspicion))
    expect(await pid()).toBe(first)
    hidden.silence()
    await expect(encrypted.read(one, [])).rejects.toThrow()
  } finally {
    await hidden.mend()
    await encrypted.close()
    await hidden.close()
  }
})

test('waits for a slow network or database', async () => {
  // The usual timeouts, but with time for a busy machine to respond to the probe.
  const patient = openDatabase({
    connection: network.connection,
    readConnections: 2,
    log: silentLog,
    lifeline: { ...lifeline, probe: DATABASE_PROBE },
  })
  const own = await startService({ database: { ...world.database, ...patient }, clock: world.clock })
  const asked = () => ask(own.url, '{ space(id: 42) { name } }', { token: world.personas.business })
  try {
    network.delay(lifeline.suspicion / 10)
    const given = send(own, 'awards', [{ key: 'faults-2', spaceId: 42, address: 'm', points: 1 }], { token: writer })
    const answers = await Promise.all([asked(), asked(), given])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    network.delay(0)
    const blocker = await holdLocks(world.database.pool, ['LOCK TABLE spaces IN ACCESS EXCLUSIVE MODE'])
    const waiting = asked()
    await new Promise((resolve) => setTimeout(resolve, 10 * lifeline.suspicion))
    await blocker.release()
    expect((await waiting).status).toBe(200)
  } finally {
    await own.stop()
    await patient.close()
  }
})

test('responds with 503 while the server has no free connection, then recovers', async () => {
  const role = `crowded_${randomBytes(4).toString('hex')}`
  await world.database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'crowded'`)
  await world.database.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
  const connection = { ...world.database.connection, user: role, password: 'crowded' }
  const crowded = openDatabase({ connection, readConnections: 2, log: silentLog, lifeline })
  const own = await startService({ database: { ...world.database, ...crowded }, clock: world.clock })
  const asked = () => ask(own.url, '{ space(id: 42) { name } }', { token: world.personas.business })
  try {
    expect((await asked()).status).toBe(200)
    await world.database.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
    await world.database.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
    await expect.poll(async () => firstError(await asked()), PATIENCE).toMatch(/^UNAVAILABLE 503/)
    const answers = await Promise.all(Array.from({ length: 20 }, asked))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['503 1']),
    )
    await world.database.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await expect.poll(async () => (await asked()).status, PATIENCE).toBe(200)
  } finally {
    await own.stop()
    await crowded.close()
    await world.database.query(`DROP OWNED BY ${role}`)
    await world.database.query(`DROP ROLE ${role}`)
  }
})

test('responds with 503 to writes on a full disk, serves reads, and counts a retried batch once', async () => {
  await world.database.query(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
  const tables = ['board_entries', 'spaces', 'quota_windows']
  for (const table of tables)
    await world.database.query(
      `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION disk_full()`,
    )
  const { token } = await tokenWithLimits(world.deps, { perSecond: 1_000, perDay: 1_000 })
  const before = await pointsOf('m')
  const full = await statuses()
  const counted = await ask(service.url, '{ space(id: 42) { name } }', { token })
  for (const table of tables) await world.database.query(`DROP TRIGGER full_disk ON ${table}`)
  await world.database.query('DROP FUNCTION disk_full')
  expect(full).toMatchObject({ query: '200', items: '503 1', ready: '200' })
  expect(firstError(counted)).toMatch(/^UNAVAILABLE 503/)
  expect(await pointsOf('m')).toBe(before)
  expect((await award('faults-3')).body.results).toMatchObject([{ status: 'applied' }])
  expect(await pointsOf('m')).toBe((before ?? 0) + 1)
})

test('responds with 503 to writes on a read-only database, serves reads, is not ready, then recovers', async () => {
  const takesWrites = async (does: boolean) => {
    await world.database.query(
      `BEGIN READ WRITE; ALTER DATABASE ${world.database.connection.database} SET default_transaction_read_only = ${!does}; COMMIT`,
    )
  }
  const { token } = await tokenWithLimits(world.deps, { perSecond: 1_000, perDay: 1_000 })
  await takesWrites(false)
  await network.cut()
  await network.mend()
  await expect.poll(async () => (await question()).status, PATIENCE).toBe(200)
  const refused = { award: '503 1', items: '503 1', redemption: '503 1', ready: '503 1' }
  expect(await statuses()).toMatchObject({ ...refused, query: '200', 'token detail': '401' })
  expect(firstError(await ask(service.url, '{ space(id: 42) { name } }', { token }))).toMatch(/^UNAVAILABLE 503/)
  expect(await (await everything.ready()).json()).toEqual({ status: 'database read-only' })
  await takesWrites(true)
  // Connections that opened during the fault remain read-only. The service closes each one at its next use.
  for (let tries = 0; (await everything.items()).status !== 200; tries++) expect(tries).toBeLessThan(10)
  await expect.poll(async () => Object.values(await statuses()).filter((status) => status.startsWith('5'))).toEqual([])
  const before = await pointsOf('m')
  expect((await award('faults-4')).body.results).toMatchObject([{ status: 'applied' }])
  expect(await pointsOf('m')).toBe((before ?? 0) + 1)
})

test.each(['25006', '28P01', '3D000', '57P04', '58030', '53300', '55P03', 'ENETUNREACH', 'EMFILE'])(
  'treats %s as temporary',
  (code) => {
    expect(isUnavailable(Object.assign(new Error('failed'), { code }))).toBe(true)
  },
)

test('counts quotas without failures or delays when the clock moves back or forward', async () => {
  const { token } = await tokenWithLimits(world.deps, { perSecond: 100, perDay: 20 })
  const asked = async () => (await ask(service.url, '{ __typename }', { token })).status
  const { clock } = world
  clock.set(new Date(Math.floor(clock.now() / DAY) * DAY + 12 * HOUR).toISOString())
  for (let count = 0; count < 20; count++) expect(await asked()).toBe(200)
  expect(await asked()).toBe(429)
  clock.advance(-MINUTE)
  expect(await asked()).toBe(429)
  // A returned unit is available at once, regardless of the earlier change of the clock.
  await world.database.query(`UPDATE quota_windows SET leased = leased - 1 WHERE period = 'day' AND leased = 20`)
  clock.advance(100)
  expect(await asked()).toBe(200)
  clock.advance(DAY)
  expect(await asked()).toBe(200)
  clock.advance(-DAY)
  expect(await asked()).toBe(429)
  expect(Object.values(await statuses()).filter((status) => status.startsWith('5'))).toEqual([])
})

test('delays only the requests to a hanging upstream, up to its timeout', async () => {
  await importRecords(world.deps, 'credentials', [
    { id: '7777', name: 'Hangs', credType: 'EVM_ADDRESS', credSource: 'API' },
  ])
  const source = { kind: 'API', url: `${upstream.url}/hangs/{address}`, result: '', timeoutMilliseconds: 1_000 }
  await setSource(service.deps, '7777', source)
  const hanging = Array.from({ length: 80 }, (_, n) =>
    ask(service.url, `{ credential(id: 7777) { eligible(address: "0x${n.toString(16).padStart(40, '0')}") } }`, {
      token: world.personas.business,
    }),
  )
  expect((await question()).status).toBe(200)
  const outcomes = new Set((await Promise.all(hanging)).map(firstError))
  expect(outcomes).toEqual(new Set(['UPSTREAM_UNAVAILABLE 503 The source of this credential does not respond']))
})
