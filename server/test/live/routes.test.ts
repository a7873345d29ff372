import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { revokeToken } from '../../src/access/server-tokens.ts'
import { HOUR, SECOND } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/connection.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { giveAwards } from '../support/awards.ts'
import { evmAddress, startWorld } from '../support/fixture.ts'
import { flakyNetwork } from '../support/flaky-network.ts'
import { followLive, type LiveClient } from '../support/live.ts'
import { PAGE, publishableToken } from '../support/pages.ts'
import { tokenWithLimits } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const world = await startWorld()
const clients: LiveClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})
afterAll(() => world.stop())

const headers = { 'access-token': world.personas.business }

async function follow(path: string, more: Record<string, string> = {}): Promise<LiveClient> {
  const client = await followLive(world.url, path, { ...headers, ...more })
  clients.push(client)
  return client
}

const award = (address: string, points: number, spaceId = 41) =>
  world.database.kysely.transaction().execute((trx) => giveAwards(trx, [{ spaceId, address, points }], world.clock))

test('sends the first places, and then what changed of them', async () => {
  const client = await follow('/live/spaces/41?first=2')
  const whole = await client.next()
  expect(whole).toMatchObject({
    event: 'board',
    data: { totalCount: 1, list: [{ position: 1, rank: 1, points: 7, address: { address: evmAddress(900) } }] },
  })
  await award(evmAddress(901), 9)
  const first = await client.next()
  expect(first).toMatchObject({
    event: 'changes',
    data: {
      totalCount: 2,
      changed: [
        { position: 1, rank: 1, points: 9, address: { address: evmAddress(901) } },
        { position: 2, rank: 2, points: 7, address: { address: evmAddress(900) } },
      ],
      size: 2,
    },
  })
  expect(first.id).toBeGreaterThan(whole.id)
  expect(first.data).toMatchObject({ version: String(first.id) })

  await award(evmAddress(902), 8)
  expect((await client.next()).data).toMatchObject({
    changed: [{ position: 2, points: 8, address: { address: evmAddress(902) } }],
    size: 2,
  })
})

test('sends nothing for changes below the first places', async () => {
  const client = await follow('/live/spaces/40?first=1')
  await client.next()
  await award(evmAddress(950), 1, 40)
  expect(await client.isQuiet()).toBe(true)
})

test('follows one member', async () => {
  const member = evmAddress(960)
  const client = await follow(`/live/spaces/42?member=${member.toUpperCase().replace('0X', '0x')}`)
  expect((await client.next()).data).toEqual({ version: expect.any(String) as string, member: null })
  await award(member, 5, 42)
  expect((await client.next()).data).toMatchObject({ member: { address: member, rank: 1, points: 5, totalCount: 1 } })
  await award(evmAddress(961), 6, 42)
  expect((await client.next()).data).toMatchObject({ member: { rank: 2, points: 5, totalCount: 2 } })
})

test('follows the first places and one member in one stream', async () => {
  const member = evmAddress(900)
  const client = await follow(`/live/spaces/41?first=1&member=${member}`)
  expect((await client.next()).data).toMatchObject({ list: [{ position: 1 }], member: { address: member } })
  await award(member, 100)
  expect((await client.next()).data).toMatchObject({
    changed: [{ position: 1, points: 107 }],
    member: { rank: 1, points: 107 },
  })
})

test('follows the board of a sprint', async () => {
  const client = await follow('/live/spaces/40?sprintId=2')
  expect((await client.next()).data).toMatchObject({ totalCount: 0, list: [] })
  await award(evmAddress(970), 5, 40)
  expect(await client.isQuiet()).toBe(true)
  await world.database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: 40, sprintId: 2, address: evmAddress(970), points: 3 }], world.clock))
  expect((await client.next()).data).toMatchObject({ changed: [{ points: 3 }] })
})

test('follows a starboard and one of its users', async () => {
  const client = await follow('/live/starboards/1?first=1&member=@NOBODY_ranked')
  const { data } = await client.next()
  const [{ xUserProfile }] = data.list as unknown as [{ xUserProfile: { username: string } }]
  expect(data).toMatchObject({ list: [{ position: 1, rank: { value: '1' } }], member: null })

  const own = await follow(`/live/starboards/1?member=${xUserProfile.username}`)
  expect((await own.next()).data).toEqual({
    version: data.version,
    member: expect.objectContaining({ xUserProfile }) as object,
  })
  world.clock.advance(HOUR)
  const at = new Date(world.clock.now())
  await importRecords(world, 'samples', [
    { starboardId: '1', handle: xUserProfile.username, score: 1_000_000_000, sampledAt: at },
  ])
  await refreshStarboard(world, '1')
  expect(await own.next()).toMatchObject({
    event: 'changes',
    data: { member: { influenceScore: { value: '1000000000' } } },
  })
  expect((await client.next()).data).toMatchObject({ changed: [{ position: 1 }], size: 1 })
})

test('sends an event for points that another instance has stored', async () => {
  const other = await startService({ database: world.database, clock: world.clock })
  const client = await followLive(other.url, '/live/spaces/43', headers)
  await client.next()
  await award(evmAddress(990), 4, 43)
  expect((await client.next()).data).toMatchObject({ changed: [{ points: 4 }] })
  client.close()
  await other.stop()
})

test('resumes after the last event of a client', async () => {
  const before = await follow('/live/spaces/42')
  const { id } = await before.next()
  const current = await follow('/live/spaces/42', { 'last-event-id': String(id) })
  expect(await current.isQuiet()).toBe(true)

  await award(evmAddress(961), 1, 42)
  const { id: newest } = await before.next()
  expect(await current.next()).toMatchObject({ id: newest, event: 'changes' })
  const late = await follow('/live/spaces/42', { 'last-event-id': String(id) })
  expect(await late.next()).toMatchObject({ id: newest, event: 'board' })
  const unknown = await follow('/live/spaces/42', { 'last-event-id': String(newest + 1) })
  expect(await unknown.next()).toMatchObject({ id: newest, event: 'board' })
})

test('continues at an instance that has not seen the version of the last event', async () => {
  const network = await flakyNetwork(world.database.connection)
  const slow = openDatabase({ connection: network.connection, readConnections: 2, log: silentLog })
  const behind = await startService({ database: { ...world.database, ...slow }, clock: world.clock })
  const path = '/live/spaces/43'
  const [here, there] = [await follow(path), await followLive(behind.url, path, headers)]
  clients.push(there)
  await there.next()
  await here.next()
  network.delay(150)
  await award(evmAddress(991), 5, 43)
  const { id } = await here.next()
  const moved = await followLive(behind.url, path, { ...headers, 'last-event-id': String(id) })
  clients.push(moved)
  // It has this version, so it gets only later ones.
  expect(await moved.isQuiet(1_000)).toBe(true)
  expect(await there.next()).toMatchObject({ id, event: 'changes' })
  network.delay(0)
  await award(evmAddress(991), 6, 43)
  const [later, same] = [await moved.next(), await there.next()]
  expect(later).toMatchObject({ event: 'changes', data: { changed: [{ points: 11 }] } })
  expect(later.id).toBeGreaterThan(id)
  expect(same).toEqual(later)
  for (const client of [here, there, moved]) client.close()
  await behind.stop()
  await slow.close()
  await network.close()
})

test.each([
  ['/live/spaces/999', {}, 404, 'Space not found'],
  ['/live/spaces/x', {}, 404, 'Space not found'],
  ['/live/spaces/40?sprintId=77', {}, 400, 'Invalid sprint ID'],
  ['/live/spaces/40?sprintId=-1', {}, 400, 'Invalid sprintId'],
  ['/live/spaces/40?first=0', {}, 400, 'Invalid first'],
  ['/live/spaces/40?first=101', {}, 400, 'Invalid first'],
  ['/live/spaces/40?first=5&first=6', {}, 400, 'Invalid first'],
  ['/live/spaces/40?member=', {}, 400, 'Invalid member'],
  [`/live/spaces/40?member=${'x'.repeat(200)}`, {}, 400, 'Invalid member'],
  ['/live/starboards/none', {}, 404, 'Starboard not found'],
  ['/live/starboards/%00', {}, 404, 'Starboard not found'],
  ['/live/spaces/40', { 'access-token': '' }, 401, 'Access token is required'],
  ['/live/spaces/40', { 'access-token': world.personas.revoked }, 401, 'Invalid access token: revoked'],
  ['/live/starboards/1', { 'access-token': world.personas.spacesOnly }, 403, 'This access token may not read the area'],
])('refuses %s with %o', async (path, more, status, message) => {
  const answer = await fetch(`${world.url}${path}`, { headers: { ...headers, ...more } })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/)
  const { errors } = (await answer.json()) as { errors: [{ message: string; extensions: { request_id: string } }] }
  expect(errors[0].message).toContain(message)
  expect(errors[0].extensions.request_id).toBe(answer.headers.get('x-request-id'))
})

test('returns 405 for other methods', async () => {
  const answer = await fetch(`${world.url}/live/spaces/40`, { method: 'POST', headers })
  expect(answer.status).toBe(405)
})

test('spends one unit of the quota for each stream', async () => {
  const { token } = await tokenWithLimits(world.deps, { perSecond: null, perDay: 2 })
  const open = () => fetch(`${world.url}/live/spaces/40`, { headers: { 'access-token': token } })
  const answers = [await open(), await open(), await open()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(answers[0]?.headers.get('ratelimit')).toContain('"daily";r=1')
  for (const { body } of answers) await body?.cancel()
})

test('opens as many streams as the setting allows, and half of them for one token', async () => {
  const small = await startService({ database: world.database, settings: { QUESTBOARD_LIVE_STREAMS: '4' } })
  const open = () => followLive(small.url, '/live/spaces/40', headers)
  const first = await open()
  await open()
  await expect(open()).rejects.toThrow(/503 .*overloaded/)
  first.close()
  await expect
    .poll(() =>
      open().then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
  await small.stop()
})

test('ends its streams when the process stops', async () => {
  const stopping = await startService({ database: world.database })
  const client = await followLive(stopping.url, '/live/spaces/40', headers)
  await client.next()
  stopping.app.endConnections()
  await client.ended
  await expect(followLive(stopping.url, '/live/spaces/40', headers)).rejects.toThrow(/503/)
  await stopping.stop()
})

test('ends the streams of a space that is deleted', async () => {
  await importRecords(world, 'spaces', [{ spaceId: 77, name: 'Short' }])
  const client = await follow('/live/spaces/77')
  await client.next()
  await deleteObject(world, 'space', '77', { note: async () => {} })
  await client.ended
})

test('ends the streams of a sprint that is deleted', async () => {
  await importRecords(world, 'sprints', [{ spaceId: 40, sprintId: 9, name: 'Short' }])
  const client = await follow('/live/spaces/40?sprintId=9')
  await client.next()
  await deleteObject(world, 'sprint', '40-9', { note: async () => {} })
  await award(evmAddress(970), 1, 40)
  await client.ended
})

test('frees the places of clients that leave while their stream opens', async () => {
  const small = await startService({ database: world.database, settings: { QUESTBOARD_LIVE_STREAMS: '2' } })
  for (let opened = 0; opened < 20; opened++) {
    const leaving = new AbortController()
    const opening = fetch(`${small.url}/live/spaces/40`, { headers, signal: leaving.signal })
    setTimeout(() => leaving.abort(), opened % 5)
    await opening.catch(() => {})
    leaving.abort()
  }
  await expect
    .poll(
      async () => (await (await fetch(`${small.url}/metrics`)).text()).match(/^questboard_live_streams (\d+)$/m)?.[1],
    )
    .toBe('0')
  await small.stop()
})

test('ends the streams of a token that is revoked', async () => {
  const { token, tokenId } = await tokenWithLimits(world.deps, { perSecond: null, perDay: null })
  const client = await followLive(world.url, '/live/spaces/40', { 'access-token': token })
  await revokeToken(world.deps, tokenId)
  await client.ended
})

describe('with a publishable token', async () => {
  const origin = PAGE
  const { token } = await publishableToken(world.deps, { areas: ['space'] })
  const inUrl = `access_token=${token}`

  test('a page of a listed origin follows a listed space with the token in the URL', async () => {
    const answer = await fetch(`${world.url}/live/spaces/40?${inUrl}`, { headers: { origin } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    await answer.body?.cancel()
    const client = await followLive(world.url, `/live/spaces/40?first=1`, { 'access-token': token, origin })
    expect(await client.next()).toMatchObject({ event: 'board', data: { list: [{ position: 1 }] } })
    client.close()
  })

  test.each([
    ['another origin', `/live/spaces/40?${inUrl}`, { origin: 'https://other.example' }],
    ['a program', `/live/spaces/40?${inUrl}`, {}],
    ['another space', `/live/spaces/41?${inUrl}`, { origin }],
    ['another area', `/live/starboards/1?${inUrl}`, { origin }],
  ])('%s gets PERMISSION_DENIED', async (_, path, more: Record<string, string>) => {
    const answer = await fetch(`${world.url}${path}`, { headers: more })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('PERMISSION_DENIED')
  })

  test('ignores a server token in the URL', async () => {
    const answer = await fetch(`${world.url}/live/spaces/40?access_token=${world.personas.business}`)
    expect(answer.status).toBe(401)
  })

  test('leaves out addresses that name a person', async () => {
    const mail = 'someone@people.example'
    await award(mail, 1_000_000, 40)
    const path = '/live/spaces/40?first=1'
    const open = await follow(path)
    const page = await followLive(world.url, path, { 'access-token': token, origin })
    expect((await open.next()).data).toMatchObject({ list: [{ address: { address: mail } }] })
    expect((await page.next()).data).toMatchObject({
      list: [{ points: 1_000_000, address: { address: '', username: '' } }],
    })
    page.close()
  })

  test('one network opens at most 100 streams', async () => {
    const open = () => fetch(`${world.url}/live/spaces/40?${inUrl}`, { headers: { origin } })
    const many = (length: number) => Promise.all(Array.from({ length }, open))
    const first = await many(60)
    world.clock.advance(SECOND) // The network opens no more than 100 a second.
    const answers = [...first, ...(await many(41))]
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(1)
    for (const { body } of answers) await body?.cancel()
  })

  test('a preflight allows the header of the token', async () => {
    const answer = await fetch(`${world.url}/live/spaces/40`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'access-token' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-headers')).toContain('access-token')
  })
})
