import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { connect } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SECOND } from '../../server/src/clock.ts'
import { giveAwards } from '../../server/test/support/awards.ts'
import { evmAddress, startWorld, type World } from '../../server/test/support/fixture.ts'
import { eventOf, type LiveEvent } from '../../server/test/support/live.ts'
import { PAGE, publishableToken } from '../../server/test/support/pages.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { findNginx, type RunningNginx, startNginx } from './nginx.ts'

const nginx = findNginx()
if (nginx === undefined)
  process.stderr.write(
    'Streams through deploy/nginx.conf are not run: this machine has no nginx (apt-get install nginx).\n',
  )

/** nginx takes up to 128 streams of HTTP/2 on one connection. */
const STREAMS_OF_CONNECTION = 100
/** Half of the limit of a network, because an instance may hold units of the limit that another instance needs. */
const STREAMS_OF_SECOND = 50
/** The concurrent requests of an address that nginx passes on. */
const REQUESTS_OF_ADDRESS = 200

interface Stream {
  status: number
  headers: Record<string, unknown>
  events: LiveEvent[]
  ended: Promise<unknown>
  close(): void
}

describe.skipIf(nginx === undefined)('streams behind nginx, over HTTP/2', () => {
  const settings = { QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1' }
  let world: World
  let other: TestService
  let front: RunningNginx
  let token: string
  const sessions: ClientHttp2Session[] = []

  beforeAll(async () => {
    world = await startWorld({ settings })
    other = await startService({ settings, database: world.database, clock: world.clock })
    front = await startNginx(
      nginx as string,
      [world, other].map(({ url }) => Number(new URL(url).port)),
    )
    ;({ token } = await publishableToken(world.deps))
  })
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy()
    await expect.poll(openStreams).toEqual([0, 0])
  })
  afterAll(async () => {
    await front?.stop()
    await world?.stop()
  })

  /** The open streams of each instance. */
  const openStreams = () =>
    Promise.all(
      [world, other].map(async ({ url }) => {
        const response = await fetch(`${url}/metrics`).catch(() => undefined)
        return Number(/^questboard_live_streams (\d+)$/m.exec((await response?.text()) ?? '')?.[1] ?? 0)
      }),
    )

  /** A browser has one connection for all its requests. */
  async function browser(from = '127.0.0.1'): Promise<ClientHttp2Session> {
    const at = { host: '127.0.0.1', port: front.httpsPort, localAddress: from }
    const socket = connect({ ...at, ca: front.certificate, servername: 'quests.example.org', ALPNProtocols: ['h2'] })
    const session = connectHttp2('https://quests.example.org', { createConnection: () => socket })
    session.on('error', () => {})
    sessions.push(session)
    await once(session, 'connect')
    return session
  }

  async function follow(session: ClientHttp2Session, more: Record<string, string> = {}): Promise<Stream> {
    const path = `/live/spaces/40?first=1&access_token=${token}`
    const stream: ClientHttp2Stream = session.request({ ':path': path, origin: PAGE, ...more })
    stream.on('error', () => {})
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    const events: LiveEvent[] = []
    let rest = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      events.push(...blocks.filter((block) => block.startsWith('id: ')).map(eventOf))
    })
    return {
      status: Number(headers[':status']),
      headers,
      events,
      ended: once(stream, 'close'),
      close: () => stream.close(),
    }
  }

  /** The member of the first place gets more. */
  const award = () =>
    world.database.kysely
      .transaction()
      .execute((trx) => giveAwards(trx, [{ spaceId: 40, address: evmAddress(1), points: 1_000_000 }], world.clock))

  test('pass each event on at once, from every instance', async () => {
    const session = await browser()
    const streams = await Promise.all(Array.from({ length: 8 }, () => follow(session)))
    for (const { status, headers } of streams) {
      expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
      expect(headers['access-control-allow-origin']).toBe(PAGE)
      // The line is for nginx only.
      expect(headers).not.toHaveProperty('x-accel-buffering')
    }
    expect(await openStreams()).toEqual([4, 4])
    await expect.poll(() => streams.map(({ events }) => events.length)).toEqual(streams.map(() => 1))
    for (let awards = 2; awards < 5; awards++) {
      await award()
      await expect.poll(() => streams.map(({ events }) => events.length)).toEqual(streams.map(() => awards))
    }
    const [first] = streams
    for (const { events } of streams) expect(events).toEqual(first?.events)
  })

  test('free their places when a page closes, and continue at another instance', async () => {
    const session = await browser()
    const stream = await follow(session)
    await expect.poll(() => stream.events.length).toBe(1)
    stream.close()
    await expect.poll(openStreams).toEqual([0, 0])
    await award()
    for (let instance = 0; instance < 2; instance++) {
      const again = await follow(session, { 'last-event-id': String(stream.events[0]?.id) })
      await expect.poll(() => again.events.map(({ event }) => event)).toEqual(['board'])
    }
    expect(await openStreams()).toEqual([1, 1])
  })

  test('do not use up the requests of their address', async () => {
    const from = '127.0.0.8'
    const opened: Stream[] = []
    while (opened.length < REQUESTS_OF_ADDRESS) {
      const session = await browser(from)
      for (let streams = 0; streams < STREAMS_OF_CONNECTION; streams += STREAMS_OF_SECOND) {
        const some = Array.from({ length: STREAMS_OF_SECOND }, () => follow(session))
        opened.push(...(await Promise.all(some)))
        world.clock.advance(SECOND)
      }
    }
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
    const page = (await browser(from)).request({ ':path': '/schema.graphql' })
    const [headers] = (await once(page, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(200)
    page.close()
    // Each instance gives a network 100 streams of a token.
    const session = await browser(from)
    expect((await follow(session)).status).toBe(503)
  })

  test('end when their instance stops, and continue at the next one', async () => {
    const session = await browser()
    const streams = [await follow(session), await follow(session)]
    expect(await openStreams()).toEqual([1, 1])
    other.app.endConnections()
    await Promise.race(streams.map(({ ended }) => ended))
    await other.stop()
    for (let n = 0; n < 4; n++) expect((await follow(session)).status).toBe(200)
    expect((await openStreams())[0]).toBe(5)
  })
})
