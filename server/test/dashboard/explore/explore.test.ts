import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY } from '../../../src/clock.ts'
import { writeRankDays, sweepRankDays } from '../../../src/ranking/rank-days.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { members, NOW, startWorld, type World } from '../../support/fixture.ts'
import { ask } from '../../support/ask.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'

const PER_DAY = 20

let world: World
let owner: SignedIn
let stranger: SignedIn

beforeAll(async () => {
  world = await startWorld({
    settings: { QUESTBOARD_FREE_PER_DAY: String(PER_DAY), QUESTBOARD_FREE_PER_SECOND: '1000' },
  })
  owner = await signedInBrowser(world.app)
  stranger = await signedInBrowser(world.app)
  await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 41', [owner.account.id])
})
afterAll(() => world.stop())

interface Answer {
  data: Record<string, unknown> | null
  errors?: { message: string; extensions: { code: string } }[]
}

const query = async ({ browser }: SignedIn, text: string, variables = {}) => {
  const response = await browser.call('POST', '/api/query', { query: text, variables })
  return { status: response.statusCode, headers: response.headers, ...response.json<Answer>() }
}

describe('POST /api/query runs a query as the signed-in account', () => {
  test('returns the same result as POST /query', async () => {
    const text = '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { address } } } } }'
    const { status, data } = await query(stranger, text)
    expect(status).toBe(200)
    expect(data).toEqual((await world.ask(text)).data)
  })

  test('rejects an invalid document with the error of the query service', async () => {
    const { status, errors } = await query(stranger, '{ nonsense }')
    expect(status).toBe(400)
    expect(errors?.[0]?.extensions.code).toBe('INVALID_ARGUMENT')
  })

  test('requires a session and its CSRF token, and does not accept a token of POST /query', async () => {
    const body = { query: '{ space(id: 40) { name } }' }
    const anonymous = await openBrowser(world.app.fastify).call('POST', '/api/query', body)
    expect(anonymous.statusCode).toBe(401)
    const forged = await owner.browser.send({ method: 'POST', url: '/api/query', body })
    expect([forged.statusCode, forged.json()]).toMatchObject([403, { error: { code: 'bad_csrf_token' } }])
    const headers = { 'access-token': world.personas.business }
    const byToken = await openBrowser(world.app.fastify).send({ method: 'POST', url: '/api/query', headers, body })
    expect(byToken.statusCode).toBe(403)
  })

  test('does not accept a cookie at POST /query', async () => {
    const cookie = [...owner.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = JSON.stringify({ query: '{ space(id: 40) { name } }' })
    const headers = { cookie, 'content-type': 'application/json', 'x-csrf-token': await owner.browser.csrfToken() }
    const response = await fetch(`${world.url}/query`, { method: 'POST', headers, body })
    expect(response.status).toBe(401)
  })

  test('shows a private quest only to the owner of its space', async () => {
    await importRecords(world, 'quests', [{ ...privateQuest, spaceId: 41 }])
    const text = '{ quest(id: "GCowners01") { name } }'
    expect((await query(owner, text)).data).toEqual({ quest: { name: 'For the crew' } })
    expect((await query(stranger, text)).errors?.[0]?.message).toBe('Quest is private')
  })

  test('counts queries against the free plan of the account, not against its tokens', async () => {
    const made = await owner.browser.call('POST', '/api/tokens', { name: 'mine' })
    const { token } = made.json<{ token: string }>()
    const { headers } = await query(owner, '{ __typename }')
    expect(headers['ratelimit-policy']).toContain(`q=${PER_DAY}`)
    let last = await query(owner, '{ __typename }')
    for (let n = 0; n < PER_DAY && last.status === 200; n++) last = await query(owner, '{ __typename }')
    expect([last.status, last.errors?.[0]?.extensions.code]).toEqual([429, 'QUOTA_EXCEEDED'])
    expect((await ask(world.url, '{ __typename }', { token })).status).toBe(200)
    expect((await query(stranger, '{ __typename }')).status).toBe(200)
  })
})

const privateQuest = {
  id: 'GCowners01',
  name: 'For the crew',
  type: 'Drop',
  status: 'Active',
  isPrivate: true,
} as const

describe('/api/explore', () => {
  const listOf = async ({ browser }: SignedIn) => {
    const lists = (await browser.get('/api/explore')).json<Record<string, { id: string }[]>>()
    return lists.spaces?.map(({ id }) => id)
  }

  test('lists what an account owns', async () => {
    expect(await listOf(owner)).toEqual(['41'])
    expect(await listOf(stranger)).toEqual([])
    expect((await openBrowser(world.app.fastify).get('/api/explore')).statusCode).toBe(401)
  })

  test('searches quests by the beginnings of words or by ID, with private ones only for the team', async () => {
    await importRecords(world, 'spaces', [{ spaceId: 7301, name: 'Lagoon' }])
    await importRecords(world, 'quests', [
      { id: 'GCsought01', spaceId: 7301, name: 'Dive deep', type: 'Points', loyaltyPoints: 5 },
      { id: 'GCsought02', spaceId: 7301, name: 'Dive', type: 'Points', isPrivate: true },
      { id: 'GCsought03', spaceId: 7301, name: 'Dive later', type: 'Points', status: 'Draft' },
      { id: 'GCsought04', spaceId: 7301, name: 'Dive never', type: 'Points', status: 'Deleted' },
    ])
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 7301', [owner.account.id])
    const find = async (search: string, { browser } = stranger) =>
      (await browser.get(`/api/explore/quests?search=${search}`)).json<{ list: { id: string }[]; complete: boolean }>()
    expect(await find('DEE+div')).toEqual({
      list: [
        {
          id: 'GCsought01',
          name: 'Dive deep',
          status: 'Active',
          loyaltyPoints: 5,
          participantsCount: 0,
          endTime: null,
          space: { id: '7301', name: 'Lagoon' },
        },
      ],
      complete: true,
    })
    for (const search of ['dive', 'GCsought01'])
      expect((await find(search)).list.map(({ id }) => id)).toEqual(['GCsought01'])
    for (const id of ['GCsought02', 'GCsought03', 'GCsought04']) expect((await find(id)).list).toEqual([])
    expect((await find('dive', owner)).list.map(({ id }) => id)).toEqual(['GCsought02', 'GCsought01'])
    expect((await stranger.browser.get('/api/explore/quests')).statusCode).toBe(400)
  })

  test('returns 50 quests at most, and says whether more match', async () => {
    await importRecords(world, 'spaces', [{ spaceId: 7302, name: 'Shoal' }])
    const search = async () =>
      (await stranger.browser.get('/api/explore/quests?search=herring')).json<{ list: object[]; complete: boolean }>()
    const add = (from: number, to: number) =>
      importRecords(
        world,
        'quests',
        Array.from({ length: to - from }, (_, n) => ({
          id: `GCherring${from + n}`,
          spaceId: 7302,
          name: `Herring ${from + n}`,
          type: 'Points' as const,
        })),
      )
    await add(0, 50)
    const whole = await search()
    expect([whole.list.length, whole.complete]).toEqual([50, true])
    await add(50, 51)
    const first = await search()
    expect([first.list.length, first.complete]).toEqual([50, false])
  })

  test('returns the matches with a status, also if 50 others match better', async () => {
    await importRecords(world, 'spaces', [{ spaceId: 7303, name: 'Reef' }])
    const quest = { spaceId: 7303, type: 'Points' } as const
    await importRecords(world, 'quests', [
      ...Array.from({ length: 51 }, (_, n) => ({ ...quest, id: `GCplaice${n}`, name: `Plaice ${n}` })),
      { ...quest, id: 'GCplaiceold', name: 'Plaice of the last year', status: 'Expired' as const },
      { ...quest, id: 'GCplaicehid', name: 'Plaice of a team', status: 'Expired' as const, isPrivate: true },
    ])
    const search = (query: string) => stranger.browser.get(`/api/explore/quests?${query}`)
    const found = (await search('search=plaice&status=Expired')).json<{ list: { id: string }[]; complete: boolean }>()
    expect([found.list.map(({ id }) => id), found.complete]).toEqual([['GCplaiceold'], true])
    expect((await search('search=GCplaiceold&status=Active')).json()).toEqual({ list: [], complete: true })
    for (const status of ['Draft', 'Deleted', 'expired'])
      expect((await search(`search=plaice&status=${status}`)).json()).toMatchObject({ error: { field: 'status' } })
    expect((await search('search=%20%20')).json()).toMatchObject({ error: { field: 'search' } })
  })

  test('lists everything that an account can read by page, and searches by beginnings of words', async () => {
    interface Page {
      list: { id: string; name: string }[]
      next: string | null
    }
    const read = async (path: string) => {
      const response = await stranger.browser.get(`/api/explore/${path}`)
      expect(response.statusCode, response.body).toBe(200)
      return response.json<Page>()
    }
    const records = Array.from({ length: 60 }, (_, n) => ({ spaceId: 7_000 + n, name: `Listed ${n} 100%` }))
    await importRecords(world, 'spaces', records)
    const first = await read('spaces?search=LISTED')
    expect(first.list.map(({ id }) => id)).toEqual(records.slice(0, 50).map(({ spaceId }) => String(spaceId)))
    const second = await read(`spaces?search=LISTED&after=${first.next}`)
    expect(second.list).toHaveLength(10)
    expect(second.next).toBeNull()
    expect((await read('spaces?search=59+list')).list).toMatchObject([{ id: '7059', name: 'Listed 59 100%' }])
    expect((await read('spaces?search=isted')).list).toEqual([])
    expect((await read('spaces?search=%25')).list).toEqual([])
    expect((await read('spaces')).list.map(({ id }) => id)).toEqual(expect.arrayContaining(['40', '41']))
    for (const kind of ['starboards', 'credentials']) {
      const { list } = await read(kind)
      expect(list.length).toBeGreaterThan(0)
      expect((await read(`${kind}?after=${list.at(-1)?.id}`)).list).toEqual([])
    }
    expect((await stranger.browser.get('/api/explore/accounts')).statusCode).toBe(404)
    expect((await openBrowser(world.app.fastify).get('/api/explore/spaces')).statusCode).toBe(401)
  })

  test('lists the public facts of spaces, starboards and credentials', async () => {
    const { database, clock } = world
    await importRecords(world, 'spaces', [
      { spaceId: 7401, name: 'Marina' },
      { spaceId: 7402, name: 'Marina shed' },
    ])
    await importRecords(
      world,
      'points',
      ['a', 'b'].map((end) => ({ spaceId: 7401, address: `0x${end.padStart(40, '0')}`, points: 1 })),
    )
    await importRecords(world, 'sprints', [{ spaceId: 7402, sprintId: 1 }])
    await importRecords(world, 'points', [
      { spaceId: 7402, sprintId: 1, address: `0x${'c'.padStart(40, '0')}`, points: 1 },
    ])
    const quest = { spaceId: 7401, type: 'Points', status: 'Active' } as const
    await importRecords(world, 'quests', [
      { ...quest, id: 'GCfact01', name: 'Open' },
      { ...quest, id: 'GCfact02', name: 'Open, too', type: 'Drop' },
      { ...quest, id: 'GCfact03', name: 'Private', isPrivate: true },
      { ...quest, id: 'GCfact04', name: 'Draft', status: 'Draft' },
      { ...quest, id: 'GCfact05', name: 'Over', status: 'Expired' },
    ])
    await importRecords(world, 'credentials', [
      { id: '7401', name: 'Mooring', credType: 'EVM_ADDRESS', credSource: 'CSV', curatorSpaceId: 7401 },
      { id: '7402', name: 'Mooring alone', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    ])
    await importRecords(world, 'holders', [{ credentialId: '7401', address: `0x${'a'.padStart(40, '0')}` }])
    await importRecords(world, 'starboards', [
      { id: 'quay', name: 'Quay', type: 'TWITTER', projectName: 'Port' },
      { id: 'quay-2', name: 'Quay 2', type: 'TWITTER' },
    ])
    const sampledAt = new Date(clock.now() - DAY)
    for (const handles of [['a_1'], ['a_2', 'a_3']]) {
      await importRecords(
        world,
        'samples',
        handles.map((handle) => ({ starboardId: 'quay', sampledAt, handle, score: 1 })),
      )
      await refreshStarboard(world, 'quay')
    }
    const list = async (path: string) =>
      (await stranger.browser.get(`/api/explore/${path}`)).json<{ list: unknown[] }>().list

    await database.query("UPDATE spaces SET logo = 'x', logo_version = 'v1' WHERE space_id IN (7401, 7402)")
    await database.query("INSERT INTO space_pages VALUES (7401, 'marina', now())")
    const logo = '/s/marina/logo.png?v=v1'
    expect(await list('spaces?search=marina')).toEqual([
      { id: '7401', name: 'Marina', logo, members: 2, openQuests: 2 },
      { id: '7402', name: 'Marina shed', logo: null, members: 0, openQuests: 0 },
    ])
    expect(await list('starboards?search=quay')).toEqual([
      { id: 'quay', name: 'Quay', projectName: 'Port', users: 3 },
      { id: 'quay-2', name: 'Quay 2', projectName: '', users: 0 },
    ])
    expect(await list('credentials?search=mooring')).toEqual([
      { id: '7401', name: 'Mooring', holders: 1, space: { id: '7401', name: 'Marina', logo } },
      { id: '7402', name: 'Mooring alone', holders: 0, space: null },
    ])
    const logos = await stranger.browser.get('/api/explore/logos?spaces=7402,7401,7403')
    expect(logos.json()).toEqual({ logos: { 7401: logo } })
  })

  test.each([
    ['no space', ''],
    ['a text that is no ID', 'spaces=40,marina'],
    ['an ID that is too large', 'spaces=2147483648'],
    ['more than 50 spaces', `spaces=${Array.from({ length: 51 }, (_, n) => n + 1).join(',')}`],
  ])('refuses to look up the logos of %s', async (_, query) => {
    const answer = await stranger.browser.get(`/api/explore/logos?${query}`)
    expect([answer.statusCode, answer.json<{ error: { field: string } }>().error.field]).toEqual([400, 'spaces'])
  })

  test('lists the sprints of a known space', async () => {
    const known = await stranger.browser.get('/api/explore/spaces/40/sprints')
    expect(known.json<{ sprints: { sprintId: number }[] }>().sprints.map(({ sprintId }) => sprintId)).toContain(1)
    for (const id of ['999999', '0', 'x', '99999999999'])
      for (const what of ['sprints', 'ranks?address=a', 'ranks?address=a&sprintId=1'])
        expect((await stranger.browser.get(`/api/explore/spaces/${id}/${what}`)).statusCode, id).toBe(404)
  })

  test('records the ranks of each board once per UTC day, and keeps them for 90 days', async () => {
    const { kysely } = world.database
    const [best] = members.toSorted((a, b) => b.points - a.points)
    const boards = await writeRankDays(kysely, NOW)
    expect(boards).toBeGreaterThan(1)
    expect(await writeRankDays(kysely, NOW + 1_000)).toBe(0)
    const award = { spaceId: 40, address: best?.address ?? '', points: (best?.points ?? 0) + 5 }
    await importRecords(world, 'points', [award])
    await writeRankDays(kysely, NOW + DAY)
    const ranks = async (more = '') =>
      (await stranger.browser.get(`/api/explore/spaces/40/ranks?address=${best?.address}${more}`)).json<{
        days: unknown[]
      }>()
    expect(await ranks()).toEqual({
      places: 1_000,
      days: [
        { day: '2026-11-21', rank: 1, points: best?.points },
        { day: '2026-11-22', rank: 1, points: award.points },
      ],
    })
    expect((await ranks('&sprintId=2')).days).toEqual([])
    await sweepRankDays(kysely, NOW + 91 * DAY)
    expect((await ranks()).days).toEqual([{ day: '2026-11-22', rank: 1, points: award.points }])
  })

  test('gives equal points the same rank', async () => {
    const rows = await world.database.query<{ rank: number; points: number }>(
      "SELECT rank, points FROM rank_days WHERE space_id = 40 AND sprint_id = 0 AND day = '2026-11-22' ORDER BY rank",
    )
    for (const { rank, points } of rows) expect(rank).toBe(1 + rows.filter((other) => other.points > points).length)
  })

  test.each([
    ['spaces/40/ranks', 'address'],
    ['spaces/40/ranks?address=', 'address'],
    [`spaces/40/ranks?address=${'a'.repeat(91)}`, 'address'],
    ['spaces/40/ranks?address=x&sprintId=0', 'sprintId'],
    ['spaces/40/ranks?address=x&sprintId=x', 'sprintId'],
    ['spaces/40/ranks?address=x&sprintId=77', 'sprintId'],
    ['spaces/40/ranks?address=x&sprintId=1&sprintId=1', 'sprintId'],
    ['spaces?after=x', 'after'],
    ['spaces?after=1&after=2', 'after'],
    ['starboards?after=%00', 'after'],
    ['credentials?after=1e3', 'after'],
    [`spaces?search=${'a'.repeat(101)}`, 'search'],
    ['spaces?search=%00', 'search'],
  ])('names the invalid parameter of %s', async (path, field) => {
    const response = await stranger.browser.get(`/api/explore/${path}`)
    expect([response.statusCode, response.json()]).toMatchObject([400, { error: { field } }])
  })
})

test('describes the routes of the whole service in a valid API document', async () => {
  const document = (await world.app.fastify.inject('/api/openapi.json')).json<{ paths: Record<string, object> }>()
  const methodsOf = (path: string) => Object.keys(document.paths[path] ?? {}).toSorted()
  expect(methodsOf('/api/query')).toEqual(['post'])
  expect(methodsOf('/api/operator/imports')).toEqual(['get', 'post'])
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
})
