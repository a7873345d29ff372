import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { createOutgoing } from '../../../src/outgoing/outgoing.ts'
import { systemRandom } from '../../../src/random.ts'
import { urlOf } from '../../command/questboard.ts'
import { ingestToken } from '../../ingest-api/arrange.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { eventOf, type LiveEvent } from '../../support/live.ts'
import { createPersonas } from '../../support/personas.ts'
import { type ServiceProcess, startProcess, temporaryDataDir, workersOf } from '../../support/process.ts'

// One instance with two workers. The tests find the worker of a connection in /proc.
const isLinux = process.platform === 'linux'
const SECRET = 'a secret of at least thirty-two characters'
const SPACE = 40
const MEMBER = 'ada'
const PATH = `/live/spaces/${SPACE}?first=1`
/** Linux distributes connections randomly: with 16, one worker gets all of them in 1 of 32,768 runs. */
const STREAMS = 16

let database: TestDatabase
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>
let service: ServiceProcess
let reader: string
let writer: string
const streams: Stream[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await temporaryDataDir()
  service = await startProcess(dataDir.dataDir, {
    DATABASE_URL: urlOf(database.connection),
    QUESTBOARD_DEMO: 'false',
    QUESTBOARD_SECRET: SECRET,
    WORKERS: '2',
  })
  const config = loadConfig({ QUESTBOARD_SECRET: SECRET })
  const outgoing = createOutgoing({ hosts: [] })
  const deps = { config, clock: systemClock, random: systemRandom, log: silentLog, database, outgoing }
  reader = (await createPersonas(deps)).business
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Forty' }])
  writer = await ingestToken({ deps })
  await outgoing.close()
})
afterAll(async () => {
  for (const stream of streams) stream.close()
  await service.kill()
  await database.drop()
  await dataDir.remove()
})

async function allServe(): Promise<void> {
  const serving = async () =>
    /^questboard_workers\{state="serving"\} (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]
  await expect.poll(serving, { timeout: 60_000, interval: 100 }).toBe('2')
}

/** A client that connects again with the ID of its last event, as EventSource does. */
interface Stream {
  /** The local port of its connection. */
  port: number
  connections: number
  events: LiveEvent[]
  /** The points of the member after the last event. */
  points(): number
  close(): void
}

function follow(): Stream {
  let open = true
  let current: IncomingMessage | undefined
  const events: LiveEvent[] = []
  const stream: Stream = {
    port: 0,
    connections: 0,
    events,
    points() {
      const { data } = events.at(-1) ?? {}
      const [place] = data?.list ?? data?.changed ?? []
      return Number(place?.points ?? 0)
    },
    close() {
      open = false
      current?.destroy()
    },
  }
  async function connect(): Promise<void> {
    const last = events.at(-1)
    const headers = { 'access-token': reader, ...(last && { 'last-event-id': String(last.id) }) }
    const asked = get(service.url + PATH, { agent: false, headers })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    current = response
    if (response.statusCode !== 200) return void response.resume()
    stream.port = response.socket.localPort ?? 0
    stream.connections++
    let rest = ''
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const blocks = (rest + chunk.toString()).split('\n\n')
      rest = blocks.pop() ?? ''
      events.push(...blocks.filter((block) => block.startsWith('id: ')).map(eventOf))
    }
  }
  const run = async (): Promise<void> => {
    while (open) {
      await connect().catch(() => {})
      await sleep(50)
    }
  }
  void run()
  streams.push(stream)
  return stream
}

/** The process that has the other end of a connection. */
async function workerOf(port: number): Promise<number | undefined> {
  const hex = (each: number) => each.toString(16).toUpperCase().padStart(4, '0')
  const pattern = new RegExp(`:${hex(Number(new URL(service.url).port))} \\w+:${hex(port)} 01 (?:\\S+ +){5}(\\d+) `)
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8')))
  const [, inode] = pattern.exec(tables.join('')) ?? []
  for (const worker of await workersOf(service)) {
    const folder = `/proc/${worker}/fd`
    for (const file of await readdir(folder).catch(() => []))
      if ((await readlink(`${folder}/${file}`).catch(() => '')) === `socket:[${inode}]`) return worker
  }
  return undefined
}

let given = 0
let total = 0
/** Gives a point, and resolves when the service has acknowledged it. */
async function award(agent: Agent): Promise<void> {
  const headers = { authorization: `Bearer ${writer}`, 'content-type': 'application/json' }
  const asked = request(`${service.url}/ingest/v1/awards`, { agent, method: 'POST', headers })
  asked.end(JSON.stringify([{ key: `award-${given++}`, spaceId: SPACE, address: MEMBER, points: 1 }]))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  expect([response.statusCode, text]).toEqual([200, expect.stringContaining('"applied"')])
  total++
}

const patience = { timeout: 60_000, interval: 20 }
const allSee = (points: number, some = streams) =>
  expect.poll(() => some.map((stream) => stream.points()), patience).toEqual(some.map(() => points))

/** A kept connection to this worker. */
async function connectionTo(worker: number): Promise<Agent> {
  for (;;) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const asked = get(`${service.url}/healthz`, { agent })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const port = response.socket.localPort ?? 0
    const found = await workerOf(port)
    response.resume()
    await once(response, 'end')
    if (found === worker) return agent
    agent.destroy()
  }
}

/** Streams by the worker that sends them. */
async function byWorker(): Promise<Map<number, Stream[]>> {
  const workers = await Promise.all(streams.map(({ port }) => workerOf(port)))
  return Map.groupBy(streams, (_, n) => workers[n] ?? 0)
}

test.skipIf(!isLinux)('an award through one worker is an event of the streams of both', async () => {
  await allServe()
  for (let n = 0; n < STREAMS; n++) follow()
  await expect.poll(() => streams.every(({ events }) => events.length === 1), patience).toBe(true)
  const workers = [...(await byWorker()).keys()]
  expect(workers.toSorted()).toEqual((await workersOf(service)).toSorted())
  for (const worker of [...workers, ...workers]) {
    const agent = await connectionTo(worker)
    await award(agent)
    agent.destroy()
    await allSee(total)
  }
  // Each version is one event of each stream, because the awards came one by one.
  const [first] = streams
  expect(first?.events.map(({ event }) => event)).toEqual(['board', 'changes', 'changes', 'changes', 'changes'])
  for (const { events } of streams) expect(events).toEqual(first?.events)
})

test.skipIf(!isLinux)(
  'clients of a killed worker continue at the others with the version after their last',
  async () => {
    const [[killed, lost], [kept, others]] = [...(await byWorker())] as [[number, Stream[]], [number, Stream[]]]
    const agent = await connectionTo(kept)
    let awarding = true
    const awards = (async () => {
      while (awarding) await award(agent)
    })()
    const before = total
    await expect.poll(() => total, patience).toBeGreaterThan(before + 3)
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => lost.every(({ connections }) => connections > 1), patience).toBe(true)
    const reconnected = total
    await expect.poll(() => total, patience).toBeGreaterThan(reconnected + 3)
    awarding = false
    await awards
    await allSee(total)

    // One worker serves all, until the other one is replaced.
    await allServe()
    await award(agent)
    agent.destroy()
    await allSee(total)

    for (const { connections } of others) expect(connections).toBe(1)
    for (const { events } of streams) {
      const ids = events.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
      const points = events.map(({ data }) => Number((data.list ?? data.changed)[0]?.points ?? 0))
      expect(points).toEqual(points.toSorted((a, b) => a - b))
    }
  },
)
