import { createQuestboard, type Fetch, type LiveBoard, QuestboardError } from '@questboard/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeToken } from '../../server/src/access/server-tokens.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { eraseAddress } from '../../server/src/personal-data/erase-address.ts'
import { giveAwards } from '../../server/test/support/awards.ts'
import { PAGE, publishableToken } from '../../server/test/support/pages.ts'
import { tokenWithLimits } from '../../server/test/support/personas.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { address, type ClientService, MEMBERS, STARBOARD, startCommunity } from './arrange.ts'
import { createEventParser, type StreamMemory } from '../src/live/events.ts'

let service: ClientService
beforeAll(async () => {
  service = await startCommunity()
})
afterAll(() => service.stop())

/** Waits are short, and kept. */
function client(
  accessToken = service.personas.business,
  fetcher: Fetch = (url, init) => fetch(url, init),
  url = service.url,
) {
  const waits: number[] = []
  const questboard = createQuestboard({
    baseUrl: url,
    accessToken,
    fetch: fetcher,
    random: () => 0.5,
    pages: { minimumWaitMs: 0, maximumWaitMs: 0 },
    clock: {
      now: () => Date.now(),
      async sleep(milliseconds, signal) {
        waits.push(milliseconds)
        await sleep(Math.min(milliseconds, 50), undefined, signal && { signal })
      },
    },
  })
  return { ...questboard, waits }
}

const award = (member: string, points: number, spaceId = 40) =>
  service.database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId, address: member, points }], service.clock))

async function next<Place, Member>(live: AsyncIterator<LiveBoard<Place, Member>>): Promise<LiveBoard<Place, Member>> {
  const late = sleep(10_000, undefined, { ref: false }).then(() => Promise.reject(new Error('no event in 10 seconds')))
  const result = await Promise.race([live.next(), late])
  if (result.done) throw new Error('the stream ended')
  return result.value
}
const openStreams = async () =>
  /^questboard_live_streams (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]
const failureOf = (live: AsyncIterator<unknown>) =>
  live.next().then(
    () => Promise.reject(new Error('no failure')),
    (error: unknown) => error as QuestboardError,
  )

test('follows the first places and a member, with the whole state after each event', async () => {
  const member = address(3)
  const live = client().space(40).live({ first: 2, member })
  const before = await next(live)
  expect(before).toMatchObject({
    totalCount: MEMBERS,
    list: [{ position: 1, rank: 1, points: 9_990 }, { position: 2 }],
    member: { rank: 3, points: 9_970 },
  })
  expect(before.changed).toEqual(before.list)
  await award(member, 1_000)
  const after = await next(live)
  expect(after).toMatchObject({
    list: [
      { position: 1, points: 10_970, address: { address: member } },
      { position: 2, points: 9_990 },
    ],
    member: { rank: 1, points: 10_970, totalCount: MEMBERS },
  })
  expect(after.changed).toEqual(after.list)
  expect(Number(after.version)).toBeGreaterThan(Number(before.version))
  await live.return?.()
  await expect.poll(openStreams).toBe('0')
})

test('follows one member of a sprint, and a starboard', async () => {
  const ofSprint = client()
    .space(40)
    .live({ member: address(3), sprintId: 2 })
  expect(await next(ofSprint)).toMatchObject({ totalCount: null, list: [], member: { points: 9, rank: 1 } })
  await ofSprint.return?.()
  const ofStarboard = client().starboard(STARBOARD).live({ first: 1 })
  expect(await next(ofStarboard)).toMatchObject({
    list: [{ position: 1, rank: { value: '1' }, xUserProfile: { username: 'user1' } }],
    member: null,
  })
  await ofStarboard.return?.()
})

test('reads with a publishable token, as a page does', async () => {
  const { token } = await publishableToken(service.deps)
  const asPage: Fetch = (url, init) => fetch(url, { ...init, headers: { ...init.headers, origin: PAGE } })
  const live = client(token, asPage).space(40).live({ first: 1 })
  expect((await next(live)).list).toHaveLength(1)
  await live.return?.()
})

test('ends with the reason of its signal, also while it waits', async () => {
  const leaving = new AbortController()
  const live = client().space(40).live({ signal: leaving.signal })
  await next(live)
  const waiting = failureOf(live)
  leaving.abort(new Error('enough'))
  expect((await waiting).message).toBe('enough')
  const aborted = client()
    .space(40)
    .live({ signal: AbortSignal.abort(new Error('no')) })
  expect((await failureOf(aborted)).message).toBe('no')
  await expect.poll(openStreams).toBe('0')
})

test('connects again after a restart, and gets what it missed', async () => {
  const shared = { database: service.database, clock: service.clock }
  let second: TestService = await startService(shared)
  const port = Number(new URL(second.url).port)
  const sent: (string | undefined)[] = []
  const questboard = client(
    service.personas.business,
    (url, init) => {
      sent.push(init.headers['last-event-id'])
      return fetch(url, init)
    },
    second.url,
  )
  const live = questboard.space(40).live({ first: 1 })
  const before = await next(live)
  const waiting = next(live)
  await second.stop()
  await award(address(3), 1)
  await sleep(300)
  second = await startService({ ...shared, port })
  const after = await waiting
  expect(after.list[0]?.points).toBe((before.list[0]?.points ?? 0) + 1)
  expect(sent[0]).toBeUndefined()
  expect(new Set(sent.slice(1))).toEqual(new Set([before.version]))
  expect(questboard.waits.length).toBeGreaterThan(1)
  await live.return?.()
  await second.stop()
})

test('fails at once if the service refuses the stream, and later with its reason', async () => {
  const questboard = client()
  expect(await failureOf(questboard.space(9_999).live())).toMatchObject({
    code: 'NOT_FOUND',
    message: 'Space not found',
  })
  expect(await failureOf(questboard.space(40).live({ first: 101 }))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    httpStatus: 400,
    details: [expect.stringContaining('1 to 100')],
  })
  expect(await failureOf(client('qbs_no').space(40).live())).toMatchObject({ code: 'INVALID_TOKEN' })
  expect(questboard.waits).toEqual([])
  const { token, tokenId } = await tokenWithLimits(service.deps, { perSecond: null, perDay: null })
  const live = client(token).space(40).live({ first: 1 })
  await next(live)
  await revokeToken(service.deps, tokenId)
  const failing = failureOf(live)
  expect(await failing).toMatchObject({ code: 'INVALID_TOKEN' })
}, 30_000)

test('tries an unreachable service no more often than other methods', async () => {
  const down = client('', () => Promise.reject(new TypeError('fetch failed')))
  expect(await failureOf(down.space(40).live())).toMatchObject({ code: 'NETWORK_ERROR', category: 'CLIENT' })
  expect(down.waits).toEqual([750, 1_500, 3_000, 6_000])
  const busy = client('', async () => new Response('', { status: 503, headers: { 'retry-after': '2' } }))
  expect(await failureOf(busy.space(40).live())).toMatchObject({ code: 'UNAVAILABLE', httpStatus: 503 })
  expect(busy.waits).toEqual([2_250, 2_500, 3_000, 6_000])
  const other = client('', async () => new Response('<html>'))
  expect(await failureOf(other.space(40).live())).toMatchObject({ code: 'INVALID_RESPONSE' })
  const broken = client(
    '',
    async () => new Response('event: board\ndata: {\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  )
  expect(await failureOf(broken.space(40).live())).toMatchObject({ code: 'INVALID_RESPONSE' })
})

test.each(['\n', '\r\n', '\r'])('reads events with %j, in chunks of any size', (end) => {
  const text = [
    'retry: 70',
    '',
    ': comment',
    'id: 5',
    'event: board',
    'data: {',
    'data:1}',
    '',
    'id: 6',
    'data',
    '',
    'data: cut',
  ].join(end)
  for (const size of [1, 2, 3, 1_000]) {
    const memory: StreamMemory = {}
    const { feed } = createEventParser(memory)
    const events = text.match(new RegExp(`.{1,${size}}`, 'gs'))?.flatMap(feed)
    expect(events).toEqual([
      { name: 'board', data: '{\n1}' },
      { name: '', data: '' },
    ])
    expect(memory).toEqual({ lastId: '6', retryMs: 70 })
  }
})

test('keeps a copy of a board current with changes', async () => {
  const space = client().space(40)
  await importRecords(service.deps, 'points', [{ spaceId: 40, address: 'gone', points: 1 }])
  const copy = new Map<string, number>()
  let version = ''
  for await (const page of space.board().pages()) {
    version = page.version
    for (const { address, points } of page.list) copy.set(address?.address ?? '', points)
  }
  expect(copy.size).toBe(MEMBERS + 1)
  await award('newcomer', 3)
  await award(address(5), 7)
  await eraseAddress(service.deps, 'gone')
  const moved: [string | undefined, number | null][] = []
  for await (const page of space.changes(version).pages()) {
    version = page.version
    expect(page.totalCount).toBe(MEMBERS + 1)
    for (const { address, points } of page.list) moved.push([address?.address, points])
  }
  expect(moved).toEqual([
    ['newcomer', 3],
    [address(5), (copy.get(address(5)) ?? 0) + 7],
    ['gone', null],
  ])
  for await (const change of space.changes(version)) throw new Error(`unexpected ${JSON.stringify(change)}`)
  const failure = await failureOf(space.changes('999999999')[Symbol.asyncIterator]())
  expect(failure).toBeInstanceOf(QuestboardError)
  expect(failure).toMatchObject({ code: 'VERSION_EXPIRED', category: 'NOT_FOUND', httpStatus: 410 })
})
