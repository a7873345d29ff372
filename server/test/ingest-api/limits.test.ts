import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAwardQueue } from '../../src/ingest-api/award-queue.ts'
import { BODY_LIMIT } from '../../src/ingest-api/limits.ts'
import { createSlots } from '../../src/ingest-api/slots.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { longUploads } from '../../src/http/long-uploads.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { flakyNetwork } from '../support/flaky-network.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken, send, statuses } from './arrange.ts'

let base: TestDatabase
let network: Awaited<ReturnType<typeof flakyNetwork>>
let service: TestService
let token: string
beforeAll(async () => {
  base = await createTestDatabase()
  network = await flakyNetwork(base.connection)
  const database = openDatabase({ connection: network.connection, readConnections: 2, log: silentLog })
  service = await startService({ database: { ...base, ...database } })
  token = await ingestToken(service)
})
afterAll(async () => {
  await service.stop()
  await service.database.close()
  await network.close()
  await base.drop()
})
beforeEach(async () => {
  await base.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, board_moves, board_entries, board_past, other_board_changes CASCADE',
  )
  await importRecords({ ...service.deps, database: base }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await base.query('INSERT INTO space_versions VALUES (40) ON CONFLICT DO NOTHING')
})

const awards = (batch: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `${batch}-${i}`, spaceId: 40, address: `m${i}`, points: 1 }))
const total = async () =>
  (
    await base.query<{ sum: number }>(`
    SELECT coalesce(sum(points), 0)::int AS sum FROM board_entries`)
  )[0]?.sum

/** Runs a function while the space is locked, so that no award can be stored. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = await base.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT FROM space_versions WHERE space_id = 40 FOR UPDATE')
    await work()
  } finally {
    await client.query('COMMIT')
    client.release()
  }
}

test('rejects awards when the queue is full, and stores the accepted ones', async () => {
  const queue = createAwardQueue({ ...service.deps, database: base }, { together: 15, maxWaiting: 40 })
  const submit = (batch: number) => {
    const events = awards(batch, 10).map(({ key, address, points }) => ({ key, sprintId: 0, address, points }))
    return queue.submit('a', new Map([[40, events]]))
  }
  const taken: ReturnType<typeof submit>[] = []
  await whileLocked(async () => {
    for (let batch = 0; batch < 4; batch++) taken.push(submit(batch))
    await expect(submit(4)).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE', headers: { 'retry-after': '1' } })
  })
  const outcomes = (await Promise.all(taken)).flatMap((bySpace) => bySpace.get(40) ?? [])
  expect(outcomes).toEqual(Array.from({ length: 40 }, () => ({ status: 'applied' })))
  expect(await total()).toBe(40)
  await submit(4)
  expect(await total()).toBe(50)
})

test('limits the share of one token in the queue of awards', async () => {
  const queue = createAwardQueue({ ...service.deps, database: base }, { maxPerSender: 15 })
  const submit = (sender: string, batch: number) => {
    const events = awards(batch, 10).map(({ key, address, points }) => ({ key, sprintId: 0, address, points }))
    return queue.submit(sender, new Map([[40, events]]))
  }
  const taken: ReturnType<typeof submit>[] = []
  await whileLocked(async () => {
    taken.push(submit('a', 0))
    await expect(submit('a', 1)).rejects.toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' })
    taken.push(submit('b', 1))
  })
  await Promise.all(taken)
  await submit('a', 2)
  expect(await total()).toBe(30)
})

test('stores awards of other spaces while some spaces are locked', async () => {
  const busy = [41, 42, 43, 44]
  const records = [...busy, 45].map((spaceId) => ({ spaceId, name: 'x' }))
  await importRecords({ ...service.deps, database: base }, 'spaces', records)
  await base.query('INSERT INTO space_versions SELECT space_id FROM spaces ON CONFLICT DO NOTHING')
  const award = (spaceId: number) =>
    send(service, 'awards', [{ key: 'k', spaceId, address: 'm', points: 1 }], { token })
  const client = await base.pool.connect()
  let held: ReturnType<typeof award>[]
  try {
    await client.query('BEGIN')
    for (const spaceId of busy)
      await client.query('SELECT FROM space_versions WHERE space_id = $1 FOR UPDATE', [spaceId])
    held = busy.map(award)
    expect(statuses(await award(45))).toEqual(['applied'])
    expect(statuses(await award(40))).toEqual(['applied'])
  } finally {
    await client.query('COMMIT')
    client.release()
  }
  expect((await Promise.all(held)).map(statuses)).toEqual(busy.map(() => ['applied']))
})

test('limits the bytes of concurrent requests per token and in total', async () => {
  const { port } = new URL(service.url)
  const head = { host: 'x', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const open = (headers: object) =>
    new Promise<[number | undefined, () => void]>((resolve) => {
      const sending = request({ port, path: '/ingest/v1/spaces', method: 'POST', headers: { ...head, ...headers } })
      sending.on('error', () => {})
      sending.on('response', (response) => resolve([response.resume().statusCode, () => sending.destroy()]))
      sending.write('[')
      setTimeout(() => resolve([undefined, () => sending.destroy()]), 500)
    })
  const held = await Promise.all(Array.from({ length: 4 }, () => open({ 'content-length': BODY_LIMIT })))
  expect(held.map(([status]) => status)).toEqual(held.map(() => undefined))
  const refused = await Promise.all([open({ 'content-length': 100 }), open({ 'transfer-encoding': 'chunked' })])
  expect(refused.map(([status]) => status)).toEqual([429, 429])

  // The limit for all tokens together.
  const [second, third] = await Promise.all([ingestToken(service), ingestToken(service)])
  const more = await Promise.all(
    Array.from({ length: 4 }, () => open({ 'content-length': BODY_LIMIT, authorization: `Bearer ${second}` })),
  )
  expect(more.map(([status]) => status)).toEqual(more.map(() => undefined))
  const beyond = await send(service, 'spaces', [{ spaceId: 41, name: 'x' }], { token: third })
  expect([beyond.status, beyond.body.error.code, beyond.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1'])
  for (const [, end] of [...held, ...refused, ...more]) end()
  await expect.poll(async () => (await send(service, 'spaces', [], { token })).status).toBe(400)
})

test('counts bodies without a length by their size after they arrived', async () => {
  const stream = () => new Blob([JSON.stringify({ items: awards(1, 1) })]).stream()
  const sendStream = () =>
    fetch(`${service.url}/ingest/v1/awards`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: stream(),
      duplex: 'half',
    } as RequestInit)
  const waiting = async () =>
    Number(
      /^questboard_awards_waiting(?:\{.*\})? (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1],
    )
  const sent: Promise<Response>[] = []
  await whileLocked(async () => {
    // The first one is not in the queue: it is stored at once.
    for (let n = 0; n < 6; n++) {
      sent.push(sendStream())
      await expect.poll(waiting).toBeGreaterThanOrEqual(n)
    }
  })
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
})

test('limits running and waiting work per sender, and rejects work that waits too long', async () => {
  const slots = createSlots({ running: 2, waiting: 3, ofOne: { running: 1, waiting: 1 }, maxWait: 50 })
  const done: (() => void)[] = []
  const work = (sender: string) =>
    slots.run(sender, () => new Promise<string>((resolve) => done.push(() => resolve(sender))))
  const [first, second] = [work('a'), work('a')]
  await expect(work('a')).rejects.toMatchObject({ status: 429 })
  const other = work('b')
  expect(done).toHaveLength(2)
  await expect(second).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  for (const end of done) end()
  expect(await Promise.all([first, other])).toEqual(['a', 'b'])
  const again = [work('a'), work('a')]
  done[2]?.()
  await again[0]
  await expect.poll(() => done.length).toBe(4)
  done[3]?.()
  expect(await again[1]).toBe('a')
})

test('shares one connection among refreshes of the same starboard', async () => {
  await importRecords({ ...service.deps, database: base }, 'starboards', [{ id: 'sb', name: 'S', type: 'TWITTER' }])
  const refresh = () => send(service, 'starboards/sb/refresh', '{}', { token })
  expect((await refresh()).status).toBe(200)
  const client = await base.pool.connect()
  const sent: ReturnType<typeof send>[] = []
  try {
    await client.query("BEGIN; SELECT FROM starboard_refreshes WHERE starboard_id = 'sb' FOR UPDATE")
    for (let i = 0; i < 12; i++) sent.push(refresh())
    expect((await send(service, 'awards', awards(1, 1), { token })).status).toBe(200)
  } finally {
    await client.query('COMMIT')
    client.release()
  }
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
})

test('limits concurrent requests per token', async () => {
  expect((await send(service, 'awards', awards(999, 1), { token })).status).toBe(200)
  const sent: Promise<Awaited<ReturnType<typeof send>>>[] = []
  await whileLocked(async () => {
    for (let batch = 0; batch < 257; batch++) sent.push(send(service, 'awards', awards(batch, 1), { token }))
    const refused = await Promise.race(sent)
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'QUOTA_EXCEEDED',
      '1',
    ])
  })
  const answers = await Promise.all(sent)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(256)
  expect((await send(service, 'awards', awards(1_000, 1), { token })).status).toBe(200)
})

test('returns 503 without the database, and applies the repeated batch once afterwards', async () => {
  await network.cut()
  const refused = await send(service, 'awards', awards(1, 3), { token })
  expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'UNAVAILABLE',
    '1',
  ])
  await network.mend()
  await expect.poll(async () => (await send(service, 'awards', awards(1, 3), { token })).status).toBe(200)
  expect(await total()).toBe(3)
})

test('exempts only allowed uploads from the timeout of requests', async () => {
  const uploads = longUploads()
  const limits = { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 }
  const server = createServer(limits, (request, response) => {
    if (request.url === '/long') uploads.allow(request)
    request.on('error', () => {}) // the server closes the connection
    request.resume().on('end', () => response.end('taken'))
  })
  server.on('clientError', (_, socket) => socket.destroy())
  uploads.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const upload = (path: string) =>
    new Promise<string>((resolve) => {
      const { port } = server.address() as AddressInfo
      const sending = request({ port, path, method: 'POST' }, (response) => {
        response.resume().on('end', () => resolve(`${response.statusCode}`))
      })
      sending.on('error', () => resolve('cut off'))
      void (async () => {
        for (let i = 0; i < 8; i++) {
          sending.write('x')
          await sleep(100)
        }
        sending.end()
      })()
    })
  expect(await Promise.all([upload('/long'), upload('/other')])).toEqual(['200', 'cut off'])
  server.close()
})
