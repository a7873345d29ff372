import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SECOND } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { LIVE_BEAT, LIVE_STALLED } from '../../../src/lifetimes.ts'
import { MAX_FIRST, MAX_OF_NETWORK } from '../../../src/live/limits.ts'
import { giveAwards } from '../../support/awards.ts'
import { ended, untilTheTestEnds } from '../../support/connections.ts'
import { evmAddress, startWorld, type World } from '../../support/fixture.ts'
import { followLive, type LiveClient } from '../../support/live.ts'
import { fromPage, get, PAGE, post, publishableToken } from '../../support/pages.ts'

// Everyone can open streams with the publishable token of a page. These clients read nothing of them.
const SPACE = 90
const UNREAD = 40
const READ = MAX_OF_NETWORK - UNREAD
/** Each is 4 bytes of UTF-8, so that few events fill the buffers of the operating system. */
const LONG = '🏆'
/** Bytes that Node queues for a socket before it asks the writer to wait. */
const HIGH_WATER_MARK = 64 * 1024

const { cleanUp, connected } = untilTheTestEnds()
let world: World
let token: string
/** The connections at the side of the service. */
const served = new Set<Socket>()

beforeAll(async () => {
  // The service starts its beats with it.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  // One token gets half of the streams: as many as one network.
  world = await startWorld({ settings: { QUESTBOARD_LIVE_STREAMS: String(2 * MAX_OF_NETWORK) } })
  world.app.server.on('connection', (socket: Socket) => {
    served.add(socket)
    socket.once('close', () => served.delete(socket))
  })
  await importRecords(world, 'spaces', [{ spaceId: SPACE, name: 'Crowded' }])
  const members = Array.from({ length: MAX_FIRST }, (_, n) => ({ spaceId: SPACE, ...memberOf(n), points: 1_000 - n }))
  await importRecords(world, 'points', members)
  ;({ token } = await publishableToken(world.deps, { spaces: [SPACE] }))
})
afterAll(async () => {
  await world.stop()
  vi.useRealTimers()
})

const memberOf = (n: number) => ({ address: evmAddress(n), username: `${n}`, avatar: LONG.repeat(500) })

/** Each one takes the first place, so that all others move. */
let winner = MAX_FIRST
const award = () =>
  world.database.kysely
    .transaction()
    .execute((trx) =>
      giveAwards(trx, [{ spaceId: SPACE, address: evmAddress(winner), points: 1_000 + winner++ }], world.clock),
    )

const pathOf = (first: number) => `/live/spaces/${SPACE}?first=${first}&access_token=${token}`

/** A stream whose client reads nothing. */
async function openUnread(): Promise<Socket> {
  const socket = await connected(world.url)
  socket.pause()
  socket.write(`GET ${pathOf(MAX_FIRST)} HTTP/1.1\r\nhost: a\r\norigin: ${PAGE}\r\n\r\n`)
  return socket
}
const open = async (first: number): Promise<LiveClient> => {
  const client = await followLive(world.url, pathOf(first), { origin: PAGE })
  cleanUp.push(() => client.close())
  return client
}
const many = <T>(length: number, one: () => Promise<T>) => Promise.all(Array.from({ length }, one))

const figure = async (name: string) => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}
const streams = () => figure('questboard_live_streams')

/** Bytes that the service keeps for each client that does not read. */
const kept = () => [...served].map(({ writableLength }) => writableLength).filter((length) => length > 0)

/** States of the connections of the service in the operating system, with unsent bytes (Linux). */
async function unsentInSystem(): Promise<string[]> {
  const port = Number(new URL(world.url).port).toString(16).toUpperCase().padStart(4, '0')
  const table = await readFile('/proc/net/tcp', 'utf8')
  return [...table.matchAll(new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ (\\w\\w) (\\w+):`, 'gm'))]
    .filter(([, , unsent]) => Number.parseInt(unsent ?? '', 16) > 0)
    .map(([, state]) => state ?? '')
}

test('T13: keeps one event for a stream that is never read, closes it after 30 seconds, and frees its place', async () => {
  const unread = await many(UNREAD, openUnread)
  await expect.poll(streams).toBe(UNREAD)
  const read = await many(READ, () => open(1))
  world.clock.advance(SECOND) // The network opens no more than 100 a second.
  const full = await fromPage(world.url, pathOf(1))
  expect([full.status, full.error]).toEqual([503, expect.stringMatching(/^UNAVAILABLE 503/)])

  // A server token of another account follows the same board.
  const witness = await followLive(world.url, `/live/spaces/${SPACE}?first=${MAX_FIRST}`, {
    'access-token': world.personas.business,
  })
  cleanUp.push(() => witness.close())
  const eventBytes = Buffer.byteLength(JSON.stringify((await witness.next()).data))
  for (const client of read) await client.next()

  const awardAndSee = async () => {
    await award()
    const { event } = await witness.next()
    expect(event).toBe('changes')
    for (const client of read) await client.next()
  }
  for (let awards = 0; kept().length < UNREAD; awards++) {
    expect(awards, 'the streams never stalled').toBeLessThan(60)
    await awardAndSee()
  }

  // From here on, the service keeps nothing more for them.
  const before = kept()
  for (let awards = 0; awards < 12; awards++) await awardAndSee()
  expect(kept()).toEqual(before)
  expect(before).toHaveLength(UNREAD)
  for (const bytes of before) expect(bytes).toBeLessThan(HIGH_WATER_MARK + 1.5 * eventBytes)

  // Queries get responses, also those with the token of these streams.
  const query = `{ space(id: ${SPACE}) { loyaltyPointsRanks(first: 1) { list { points } } } }`
  const answers = [
    await post(world.url, world.personas.business, { query }, ''),
    await get(world.url, { access_token: token, query }),
  ]
  for (const { status, data } of answers)
    expect([status, data]).toEqual([200, { space: { loyaltyPointsRanks: { list: [{ points: 1_000 + winner - 1 }] } } }])

  expect(await streams()).toBe(MAX_OF_NETWORK + 1)
  world.clock.advance(LIVE_STALLED)
  vi.advanceTimersByTime(LIVE_BEAT)
  await expect.poll(streams).toBe(READ + 1)
  expect(kept()).toEqual([])
  expect(await figure('questboard_live_stalled_total')).toBe(UNREAD)
  expect(await figure('questboard_live_refused_total{reason="token full"}')).toBe(1)
  // Connections that are closed normally would keep their unsent bytes for minutes.
  if (process.platform === 'linux') await expect.poll(unsentInSystem).toEqual([])
  for (const socket of unread) await ended(socket.resume())

  await awardAndSee()
  const again = await many(UNREAD, () => open(1))
  for (const client of again) expect((await client.next()).event).toBe('board')
  world.clock.advance(SECOND)
  expect((await fromPage(world.url, pathOf(1))).status).toBe(503)
}, 120_000)
