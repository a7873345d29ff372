import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startWorld, type World } from '../../support/fixture.ts'

const SPACE = 7360

let world: World
beforeAll(async () => {
  world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
  const { deps, database } = world
  await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Quay' }])
  await importRecords(deps, 'points', [
    { spaceId: SPACE, address: `0x${'1'.repeat(40)}`, points: 5 },
    { spaceId: SPACE, address: `0x${'2'.repeat(40)}`, points: 4 },
  ])
  await importRecords(
    deps,
    'quests',
    Array.from({ length: 22 }, (_, n) => ({ id: `GCquay${n}`, spaceId: SPACE, name: `Quest ${n}`, type: 'Drop' })),
  )
  await database.query(`INSERT INTO space_pages VALUES ($1, 'quay', now())`, [SPACE])
})
afterAll(() => world.stop())

const read = async (path: string) => (await (await fetch(world.url + path)).text()).replaceAll(/\s+/g, ' ')
const linksOf = (part = '') => part.match(/href="\/q\//g)?.length ?? 0

it('shows the first quests, with a link to all of them', async () => {
  const page = await read('/s/quay')
  expect(linksOf(page)).toBe(6)
  expect(page).toContain('<a href="/s/quay/quests">See all 22 quests</a>')
})

it('shows the number of members at the top, with a link to the leaderboard', async () => {
  const heading = (page: string) => /<h1>Quay<\/h1> <p class="quiet">(.*?)<\/p>/.exec(page)?.[1]?.trim()
  const link = '<a href="#board">Leaderboard</a>'
  expect(heading(await read('/s/quay'))).toBe(`${link} · <span class="member-count">2 members</span>`)
})
