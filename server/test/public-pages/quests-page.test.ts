import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { NOW, startWorld, type World } from '../support/fixture.ts'

const SPACE = 7390
const PAGE = 24
const MORE = 3

let world: World
beforeAll(async () => {
  world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
  const { deps, database } = world
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Pier' }])
  await database.query(`INSERT INTO space_pages VALUES ($1, 'pier', now())`, [SPACE])
  const quest = (id: string, more: object = {}) => ({ id, spaceId: SPACE, name: id, type: 'Drop' as const, ...more })
  const at = (days: number) => new Date(NOW + days * DAY).toISOString()
  await importRecords(deps, 'quests', [
    quest('GCended', { startTime: at(-9), endTime: at(-2) }),
    quest('GCfull', { status: 'CapReached' }),
    quest('GCsecond', { startTime: at(20) }),
    quest('GCfirst', { startTime: at(10) }),
    quest('GCdraft', { status: 'Draft' }),
    quest('GCprivate', { isPrivate: true }),
    ...Array.from({ length: PAGE + MORE }, (_, n) => quest(`GCopen${n}`, { loyaltyPoints: 5 })),
  ])
})
afterAll(() => world.stop())

const get = (path: string) => fetch(world.url + path)
const read = async (path: string) => (await (await get(path)).text()).replaceAll(/\s+/g, ' ')
const questsOn = (page: string) => [...page.matchAll(/href="\/q\/(\w+)"/g)].map(([, id = '']) => id)
const nextOn = (page: string) => /rel="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
const CLOSED = ['GCended', 'GCfull']

it('lists each public quest once, over pages: active, then by start, then ended ones', async () => {
  const first = await read('/s/pier/quests')
  expect(questsOn(first)).toHaveLength(PAGE)
  const second = await read(nextOn(first) ?? '')
  expect(nextOn(second)).toBeUndefined()
  const all = [...questsOn(first), ...questsOn(second)]
  expect(new Set(all.slice(0, PAGE + MORE))).toEqual(
    new Set(Array.from({ length: PAGE + MORE }, (_, n) => `GCopen${n}`)),
  )
  expect(all.slice(PAGE + MORE, PAGE + MORE + 2)).toEqual(['GCfirst', 'GCsecond'])
  expect(all.slice(PAGE + MORE + 2).toSorted()).toEqual(CLOSED)
})

it('keeps its order on further pages while a quest ends', async () => {
  const first = await read('/s/pier/quests?state=open')
  const [id] = questsOn(first)
  await importRecords(world.deps, 'quests', [
    { id: id ?? '', spaceId: SPACE, name: 'Over', type: 'Drop', status: 'Expired' },
  ])
  const second = await read(nextOn(first) ?? '')
  expect(new Set([...questsOn(first), ...questsOn(second)]).size).toBe(PAGE + MORE)
  await importRecords(world.deps, 'quests', [
    { id: id ?? '', spaceId: SPACE, name: 'Open', type: 'Drop', status: 'Active' },
  ])
})

it('filters by state, with the number of quests of each', async () => {
  const upcoming = await read('/s/pier/quests?state=upcoming')
  expect(questsOn(upcoming)).toEqual(['GCfirst', 'GCsecond'])
  const ended = await read('/s/pier/quests?state=ended')
  expect(questsOn(ended).toSorted()).toEqual(CLOSED)
  const tabs = [
    ...ended.matchAll(/href="(\/s\/pier\/quests[^"]*)"( aria-current="page")? >([^<]+) <span class="quiet">(\d+)</g),
  ]
  expect(tabs.map(([, path, current, name, total]) => [path, current !== undefined, name, Number(total)])).toEqual([
    ['/s/pier/quests', false, 'All', PAGE + MORE + 4],
    ['/s/pier/quests?state=open', false, 'Active', PAGE + MORE],
    ['/s/pier/quests?state=upcoming', false, 'Not started', 2],
    ['/s/pier/quests?state=ended', true, 'Ended or full', 2],
  ])
})

it('shows the state, the date of its change and the points of each quest', async () => {
  const ended = await read('/s/pier/quests?state=ended')
  const day = new Date(NOW - 2 * DAY)
  const date = `${day.getUTCDate()} ${day.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${day.getUTCFullYear()}`
  expect(ended).toContain(`<span data-quest="GCended">Ended ${date}</span>`)
  expect(ended).toContain('<span data-quest="GCfull">Full</span>')
  expect(await read('/s/pier/quests')).toMatch(/<span data-quest="GCopen\d+">Active<\/span> <span>5 points<\/span>/)
})

it('has a link on the page of the space, if that page does not list all quests', async () => {
  expect(await read('/s/pier')).toContain(`<a href="/s/pier/quests">See all ${PAGE + MORE + 4} quests</a>`)
  await importRecords(world.deps, 'spaces', [{ spaceId: SPACE + 1, name: 'Jetty' }])
  await world.database.query(`INSERT INTO space_pages VALUES ($1, 'jetty', now())`, [SPACE + 1])
  const one = { id: 'GCjetty', spaceId: SPACE + 1, name: 'One', type: 'Drop' as const }
  await importRecords(world.deps, 'quests', [one])
  expect(await read('/s/jetty')).not.toContain('/s/jetty/quests')
  await importRecords(world.deps, 'quests', [{ ...one, status: 'Expired' }])
  expect(await read('/s/jetty')).toContain('<a href="/s/jetty/quests">See 1 quest</a>')
})

it('does not exist for a space without a public page, nor after a cursor of another list', async () => {
  expect((await get('/s/nowhere/quests')).status).toBe(404)
  const next = nextOn(await read('/s/pier/quests')) ?? ''
  expect((await get(`${next}&state=ended`)).status).toBe(404)
})

it('says that there are no quests in a state', async () => {
  expect(await read('/s/jetty/quests?state=upcoming')).toContain('<p class="empty">No quests.</p>')
})

it('has a picture for link previews', async () => {
  const page = await read('/s/pier/quests')
  const picture = /<meta property="og:image" content="([^"]+)"/.exec(page)?.[1] ?? ''
  expect(picture).toContain('/s/pier/quests/share.png?v=')
  const response = await get(new URL(picture).pathname)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
})
