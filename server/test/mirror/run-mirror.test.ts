import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { MirrorError, MirrorPausedError } from '../../src/mirror/mirror-error.ts'
import { type MirrorOrder, runMirror } from '../../src/mirror/run-mirror.ts'
import type { Outgoing } from '../../src/outgoing/outgoing.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { ask } from '../support/ask.ts'
import { evmAddress, HOLDER_OF_BOTH, HOLDER_OF_ONE, startWorld, type World } from '../support/fixture.ts'
import { createPersonas } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'
import { type ReceivedRequest, startUpstream, type Upstream } from '../support/upstream.ts'

/** Replaces a response of the source; undefined lets it pass. */
type Interference = { status: number; headers?: Record<string, string>; body?: string }

let source: World
let target: TestService
/** A proxy between mirror and source that records requests and replaces responses. */
let between: Upstream
/** Accepts requests and never responds. */
let silent: Upstream
let dataDir: string
let token: string
let interfere: (request: ReceivedRequest) => Interference | undefined
const pauses: number[] = []
const said: string[] = []

beforeAll(async () => {
  source = await startWorld()
  between = await startUpstream(async (request, response) => {
    const other = interfere(request)
    if (other) return void response.writeHead(other.status, other.headers).end(other.body)
    const { body } = request
    const headers = { 'content-type': 'application/json', 'access-token': String(request.headers['access-token']) }
    const answer = await fetch(`${source.url}/query`, { method: 'POST', headers, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  dataDir = await mkdtemp(join(tmpdir(), 'questboard-mirror-'))
  silent = await startUpstream(() => {})
  const hosts = [between.host, silent.host, '127.0.0.1:1'].join(',')
  target = await startService({ settings: { QUESTBOARD_OUTGOING_HOSTS: hosts, QUESTBOARD_DATA_DIR: dataDir } })
  token = (await createPersonas(target.deps)).business
})
beforeEach(() => {
  interfere = () => undefined
  between.requests.length = 0
  pauses.length = 0
  said.length = 0
})
afterAll(async () => {
  await Promise.all([source.stop(), target.stop(), between.close(), silent.close()])
  await rm(dataDir, { recursive: true })
})

async function mirror(
  order: Partial<MirrorOrder>,
  signal = new AbortController().signal,
  deps = target.deps,
): Promise<string> {
  const nothing = { spaces: [], sprints: [], starboards: [], quests: [], credentials: [], addresses: undefined }
  const from = { from: between.url, token: source.personas.business }
  await runMirror(
    deps,
    { ...nothing, ...from, ...order },
    {
      signal,
      say: (line) => said.push(line),
      progress: () => {},
      async pause(milliseconds) {
        pauses.push(milliseconds)
        target.clock.advance(milliseconds)
      },
    },
  )
  return said.join('\n')
}

/** Makes the source refuse pages of more than 50 members. */
const refusesSizes = ({ body }: ReceivedRequest): Interference | undefined =>
  body.includes('query Board') && body.includes('(first:') ? refused('GRAPHQL_VALIDATION_FAILED') : undefined
const refused = (code: string): Interference => ({
  status: 200,
  body: JSON.stringify({ data: null, errors: [{ message: 'Refused', extensions: { code } }] }),
})
const isPage = ({ body }: ReceivedRequest) => body.includes('query Board') && !body.includes('(first:')

/** Sends the same query to both services. */
async function both(query: string): Promise<[unknown, unknown]> {
  const [there, here] = await Promise.all([
    ask(source.url, query, { token: source.personas.business }),
    ask(target.url, query, { token }),
  ])
  expect(there.errors).toBeUndefined()
  return [there.data, here.data]
}
const BOARD = (sprint = '') =>
  `{ space(id: 40) { id name description loyaltyPointsRanks(first: 1000${sprint}) { totalCount list { rank points address { username address avatar } } } } }`

test('copies a space with its board, a selected sprint and its quests', async () => {
  await mirror({ spaces: [40], sprints: [1] })
  for (const board of [BOARD(), BOARD(', sprintId: 1')]) {
    const [there, here] = await both(board)
    expect(here).toEqual(there)
  }
  const quests =
    '{ quests(input: { spaceId: "40", first: 100 }) { totalCount list { id name type status description startTime endTime cap participantsCount loyaltyPoints gasType chain space { id name } } } }'
  const [there, here] = (await both(quests)) as { quests: { totalCount: number } }[]
  expect(there?.quests.totalCount).toBeGreaterThan(1)
  expect(here).toEqual(there)
})

test('keeps the list of quests equal to that of the source when quests are added, deleted or hidden', async () => {
  const list = '{ quests(input: { spaceId: "41", first: 100 }) { totalCount list { id status } } }'
  const quest = (id: string) => ({ id, spaceId: 41, name: 'Of the mirror', type: 'Drop', status: 'Active' }) as const
  await mirror({ spaces: [41] })
  const [before, copied] = await both(list)
  expect(copied).toEqual(before)

  await importRecords(source.deps, 'quests', [
    quest('GCmirrored'),
    { ...quest('GCbetween1'), createdAt: new Date(source.clock.now() - 4 * 3_600_000) },
    { ...quest('GCactive02'), status: 'Deleted' },
    { ...quest('GCactive03'), isPrivate: true },
  ])
  await importRecords(target.deps, 'quests', [{ id: 'GCours00001', spaceId: 41, name: 'Moved here', type: 'Drop' }])
  said.length = 0
  expect(await mirror({ spaces: [41] })).toMatch('2 that the source no longer shows are now Deleted')
  const [there, here] = (await both(list)) as { quests: { list: { id: string }[] } }[]
  expect(here?.quests.list.filter(({ id }) => id !== 'GCours00001')).toEqual(there?.quests.list)
  expect(here?.quests.list).toHaveLength((there?.quests.list.length ?? 0) + 1)

  await importRecords(source.deps, 'quests', [quest('GCactive02'), { ...quest('GCactive03'), isPrivate: false }])
  await mirror({ spaces: [41] })
  said.length = 0
  expect(await mirror({ spaces: [41] })).toMatch(/quests of space 41: \d+ read, 0 new, 0 changed/)
  const [last, now] = (await both(list)) as { quests: { list: { id: string }[] } }[]
  expect(now?.quests.list.filter(({ id }) => id !== 'GCours00001')).toEqual(last?.quests.list)

  // A source without quests may be the wrong source.
  const ids = (now?.quests.list ?? []).map(({ id }) => id)
  const statuses = ids.map((id) => ({ ...quest(id), status: 'Deleted' as const }))
  await importRecords(
    source.deps,
    'quests',
    statuses.filter(({ id }) => id !== 'GCours00001'),
  )
  expect(await mirror({ spaces: [41] })).toMatch('the source lists none, so none is set to Deleted')
  expect(((await both(list))[1] as typeof now)?.quests.list).toHaveLength(ids.length)
})

test('changes nothing in a second run without changes', async () => {
  await mirror({ spaces: [40] })
  said.length = 0
  expect(await mirror({ spaces: [40] })).toMatch(/space 40: \d+ members, 0 new, 0 changed/)
  const address = evmAddress(990)
  await importRecords(source.deps, 'points', [{ spaceId: 40, address, points: 77, username: 'newcomer' }])
  said.length = 0
  expect(await mirror({ spaces: [40] })).toMatch(/space 40: \d+ members, 1 new, 0 changed/)
  const [there, here] = await both(BOARD())
  expect(here).toEqual(there)
})

test('queries only what the specification names', async () => {
  await mirror({ spaces: [40], starboards: ['1'], credentials: ['500'], quests: [] })
  const documents = between.requests.map(({ body }) => (JSON.parse(body) as { query: string }).query)
  // Fields and arguments that contract.md adds to the specification.
  for (const addition of ['startCursor', 'hasPreviousPage', 'profileImageUrl', 'cursorBefore'])
    for (const document of documents) expect(document).not.toContain(addition)
  const after = between.requests.map(({ body }) => (JSON.parse(body) as { variables: { input?: object } }).variables)
  for (const { input } of after) expect(Object.keys(input ?? {})).not.toContain('after')
})

test('pauses for 200 to 500 ms between requests', async () => {
  await mirror({ spaces: [40], sprints: [1] })
  expect(pauses).toHaveLength(between.requests.length - 1)
  for (const pause of pauses) {
    expect(pause).toBeGreaterThanOrEqual(200)
    expect(pause).toBeLessThanOrEqual(500)
  }
  expect(new Set(pauses).size).toBeGreaterThan(1)
})

test('copies a starboard with its users and their scores', async () => {
  await mirror({ starboards: ['1'] })
  await refreshStarboard(target.deps, '1')
  const query =
    '{ starboard(id: "1") { basicInfo { id name projectName description tags type reward { name description startTime endTime } } leaderboard(pagination: { forward: { first: 1000 } }) { edges { node { xUserProfile { username followersCount verifiedType } rank { value } influenceScore { value } } } } } }'
  const [there, here] = await both(query)
  expect(here).toEqual(there)
})

test('copies a credential without holders, or with the eligible ones of a list of addresses', async () => {
  const about =
    '{ credential(id: "500") { id name description credType credSource chain referenceLink lastUpdate lastSync curatorSpace { id name } } }'
  const synced = async () => {
    const answers = (await both('{ credential(id: "500") { syncStatus } }')) as { credential: { syncStatus: string } }[]
    return answers.map(({ credential }) => credential.syncStatus)
  }
  expect(await mirror({ credentials: ['500'] })).toMatch('copied without holders')
  const [there, here] = await both(about)
  expect(here).toEqual(there)
  expect(await synced()).toEqual(['SYNCED', 'SYNCING'])
  const all = [...Array.from({ length: 23 }, (_, i) => evmAddress(i)), HOLDER_OF_ONE, HOLDER_OF_BOTH]
  said.length = 0
  expect(await mirror({ credentials: ['500'], addresses: [...all, 'no address'] })).toMatch(
    '2 of 25 addresses are eligible',
  )
  for (const address of all) {
    const [expected, says] = await both(`{ credential(id: "500") { eligible(address: "${address}") } }`)
    expect(says).toEqual(expected)
  }
  expect(await synced()).toEqual(['SYNCED', 'SYNCED'])
  const [then, now] = await both(about)
  expect(now).toEqual(then)
  const set = (status: string) =>
    source.database.query('UPDATE credentials SET sync_status = $1 WHERE credential_id = 500', [status])
  await set('SYNCING')
  await mirror({ credentials: ['500'] })
  expect(await synced()).toEqual(['SYNCING', 'SYNCING'])
  await set('SYNCED')
})

test('does not reuse results of an interrupted run with other addresses', async () => {
  const list = (from: number) => [...Array.from({ length: 19 }, (_, i) => evmAddress(from + i)), HOLDER_OF_BOTH]
  let asked = 0
  interfere = ({ body }) =>
    body.includes('query Eligible') && ++asked > 1 ? { status: 429, headers: { 'retry-after': '7200' } } : undefined
  await expect(mirror({ credentials: ['500'], addresses: list(100) })).rejects.toThrow(MirrorPausedError)
  interfere = () => undefined
  between.requests.length = 0
  await mirror({ credentials: ['500'], addresses: list(200) })
  expect(between.requests.filter(({ body }) => body.includes('query Eligible'))).toHaveLength(2)
  await mirror({ credentials: ['500'], addresses: list(100) })
})

test('reads a page again in the next run if it was rejected', async () => {
  const list = [{ rank: 1, points: 99_999_999_999, address: { username: 'a', address: evmAddress(7), avatar: '' } }]
  const ranks = { totalCount: 1, pageInfo: { hasNextPage: false, endCursor: null }, list }
  interfere = ({ body }) =>
    body.includes('query Board')
      ? { status: 200, body: JSON.stringify({ data: { space: { loyaltyPointsRanks: ranks } } }) }
      : undefined
  await expect(mirror({ spaces: [41] })).rejects.toThrow('points')
  interfere = () => undefined
  await mirror({ spaces: [41] })
})

test('copies a single quest with its status at the source', async () => {
  const id = 'GCover0001'
  await mirror({ quests: [id] })
  const [there, here] = await both(`{ quest(id: "${id}") { id name status } }`)
  expect(here).toEqual(there)
})

test('waits for Retry-After, otherwise with doubling pauses', async () => {
  const refusals: Interference[] = [
    { status: 429, headers: { 'retry-after': '3' }, body: '{"errors":[{"message":"Rate limit exceeded"}]}' },
    { status: 503 },
    { status: 200, body: '{"data":null,"errors":[{"message":"slow","extensions":{"code":"QUOTA_EXCEEDED"}}]}' },
  ]
  interfere = () => refusals.shift()
  await mirror({ spaces: [41] })
  expect(pauses.filter((pause) => pause >= 1_000)).toEqual([3_000, 2_000, 4_000])
})

test('ends the run at an exhausted quota, keeps what it read, and continues in the next run', async () => {
  const many = Array.from({ length: 120 }, (_, i) => ({ spaceId: 42, address: evmAddress(2_000 + i), points: i }))
  await importRecords(source.deps, 'points', many)
  let pages = 0
  interfere = (request) =>
    refusesSizes(request) ??
    (isPage(request) && ++pages > 2 ? { status: 429, headers: { 'retry-after': '7200' } } : undefined)
  const paused = mirror({ spaces: [42] })
  await expect(paused).rejects.toThrow(MirrorPausedError)
  await expect(paused).rejects.toThrow(/wait until 2026-11-21T14:.*run the same command again/)
  interfere = () => undefined
  between.requests.length = 0
  expect(await mirror({ spaces: [42] })).toMatch('continuing after 100 that were read before')
  expect(between.requests.filter(({ body }) => body.includes('query Board'))).toHaveLength(1)
  const members = await target.database.query('SELECT member_count FROM boards WHERE space_id = 42 AND sprint_id = 0')
  expect(members).toEqual([{ member_count: 120 }])
  expect(await readdir(join(dataDir, 'mirror', (await readdir(join(dataDir, 'mirror')))[0] as string))).toEqual([])
})

test('reads from the beginning if the source rejects an expired cursor', async () => {
  let pages = 0
  const stop = new AbortController()
  interfere = (request) => {
    if (isPage(request) && ++pages === 2) stop.abort(new Error('stopped'))
    return refusesSizes(request)
  }
  await expect(mirror({ spaces: [42] }, stop.signal)).rejects.toThrow('stopped')
  source.clock.advance(24 * 3_600_000)
  interfere = () => undefined
  expect(await mirror({ spaces: [42] })).toMatch('reading from the beginning and merging with the 50')
  const [there, here] = await both(BOARD().replace('id: 40', 'id: 42'))
  expect(here).toEqual(there)
})

test('requests 1,000 members per page, and smaller pages if the source rejects that', async () => {
  await mirror({ spaces: [42] })
  expect(between.requests.filter(({ body }) => body.includes('query Board'))).toHaveLength(1)
  between.requests.length = 0
  interfere = refusesSizes
  await mirror({ spaces: [42] })
  expect(between.requests.filter(isPage)).toHaveLength(3)
})

test('stores what it read if cursors of the source expire before the list ends, and reports it', async () => {
  const members = Array.from({ length: 110 }, (_, i) => ({ spaceId: 43, address: evmAddress(5_000 + i), points: i }))
  await importRecords(source.deps, 'spaces', [{ spaceId: 43, name: 'Large' }])
  await importRecords(source.deps, 'points', members)
  let pages = 0
  // The source rejects the cursor of the third page in the first traversal, and of the second page in the second one.
  interfere = (request) =>
    refusesSizes(request) ?? (isPage(request) && [3, 5].includes(++pages) ? refused('INVALID_ARGUMENT') : undefined)
  const said = await mirror({ spaces: [43] })
  expect(said).toMatch('merging with the 100 that were read before')
  expect(said).toMatch('cursors of the source expire before the list ends; 50 of 110 were read')
  const stored = await target.database.query('SELECT member_count FROM boards WHERE space_id = 43 AND sprint_id = 0')
  expect(stored).toEqual([{ member_count: 100 }])
})

test.each([
  ['refuses connections', () => 'http://127.0.0.1:1'],
  ['accepts the connection and never responds', () => silent.url],
])('reports a source that %s within 10 seconds, without retrying', async (_, from) => {
  const timeouts: number[] = []
  const { outgoing } = target.deps
  // The limit of the command goes to the connection, which gets a shorter one here.
  const send: Outgoing['send'] = (request, use) => {
    timeouts.push(request.timeout)
    return outgoing.send({ ...request, timeout: 300 }, use)
  }
  const deps = { ...target.deps, outgoing: { ...outgoing, send } }
  await expect(mirror({ spaces: [40], from: from() }, undefined, deps)).rejects.toThrow('The source is unreachable: ')
  expect(timeouts).toEqual([8 * SECOND])
  expect(pauses).toEqual([])
})

test.each<[string, Partial<MirrorOrder>, Interference | undefined, RegExp]>([
  ['an unknown space', { spaces: [999] }, undefined, /Space 999: Space not found/],
  ['an unknown starboard', { starboards: ['x'] }, undefined, /starboard x: Starboard not found/],
  ['an unknown quest', { quests: ['GCnowhere'] }, undefined, /Quest GCnowhere: Quest not found/],
  ['an unknown credential', { credentials: ['99999'] }, undefined, /credential 99999: Credential not found/],
  ['a wrong token', { spaces: [40], token: 'qbs_wrong' }, undefined, /The source refuses: Invalid access token/],
  ['a page for people', { spaces: [40] }, { status: 200, body: '<html>' }, /without a GraphQL response/],
  [
    'another shape',
    { spaces: [40] },
    { status: 200, body: '{"data":{"space":[]}}' },
    /an unexpected format: data.space/,
  ],
  [
    'a redirect to a private place',
    { spaces: [40] },
    { status: 307, headers: { location: 'http://10.0.0.1/' } },
    /not on the public/,
  ],
])('reports %s and stores nothing', async (_, order, interference, message) => {
  interfere = () => interference
  const outcome = mirror(order)
  await expect(outcome).rejects.toThrow(message)
  if (!interference) await expect(outcome).rejects.toThrow(MirrorError)
})
