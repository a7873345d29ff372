import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import { startWorld, type World } from '../support/fixture.ts'

const SPACE = 7300
const LONE = 7301
const NEW = 7302
const DAY = 24 * 60 * 60 * 1000
const numbered = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const MEMBER = numbered(0xa5)

describe('the public page of a member', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    const { deps, database, clock } = world
    await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Harbour' }])
    await importRecords(deps, 'sprints', [{ spaceId: SPACE, sprintId: 3, name: 'Spring tide' }])
    await importRecords(deps, 'points', [
      ...Array.from({ length: 9 }, (_, n) => ({ spaceId: SPACE, address: numbered(n + 1), points: 1_000 - n * 100 })),
      { spaceId: SPACE, address: 'zoe@example.com', points: 650 },
      { spaceId: SPACE, address: MEMBER, points: 600, username: '<b>Ada' },
    ])
    await database.kysely
      .transaction()
      .execute((trx) =>
        applyEvents(
          trx,
          SPACE,
          [{ key: 'a', address: MEMBER, points: 25, sprintId: 3, reason: 'A secret reason' }],
          clock,
        ),
      )
    await database.query(
      `INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
       SELECT $1, 0, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date - age, 10, 1 FROM generate_series(0, 12) AS age`,
      [SPACE, MEMBER, new Date(clock.now() - 2 * DAY)],
    )
    await database.query(`INSERT INTO space_pages VALUES ($1, 'harbour', now())`, [SPACE])
  })
  afterAll(() => world.stop())

  const get = (path: string) => fetch(world.url + path, { headers: { accept: 'text/html' } })
  const read = async (path: string) => (await (await get(path)).text()).replaceAll(/\s+/g, ' ')
  /** The text without tags. */
  const words = async (path: string) => (await read(path)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

  it('has a link on the board, unless the member is a mail address', async () => {
    const board = await read('/s/harbour')
    expect(board).toContain(`href="/m/harbour/${MEMBER}"`)
    expect(board).not.toContain('example.com')
  })

  it('shows rank, points, movement, sprints and the members around', async () => {
    const text = await words(`/m/harbour/${MEMBER}`)
    expect(text).toContain('Rank 6 of 11')
    expect(text).toContain('Points 625')
    expect(text).toContain('Better than 45%')
    expect(text).toContain('In 7d ▲4 up 4 places')
    expect(text).not.toContain('In 24h')
    expect(text).toMatch(/\d+ Nov 2026 Best rank 6, worst rank 10 \d+ Nov 2026 Rank in the last 30 days/)
    expect(text).toContain('1 Spring tide 25')
    const around = [...(await read(`/m/harbour/${MEMBER}`)).matchAll(/<a class="member" href="([^"]+)"/g)]
    expect(around.map(([, href]) => href)).toEqual([4, 5, 6].map((n) => `/m/harbour/${numbered(n)}`))
  })

  it('shows the changes of points without their reasons', async () => {
    const text = await words(`/m/harbour/${MEMBER}`)
    expect(text).toMatch(/Latest changes .* \+25 625 .* \+600 600/)
    expect(text).not.toContain('secret')
  })

  it('lists the open quests that the member has not completed', async () => {
    const quest = (id: string, name: string) => ({ id, spaceId: SPACE, name, type: 'Drop', status: 'Active' }) as const
    await importRecords(world.deps, 'quests', [
      ...Array.from({ length: 7 }, (_, n) => quest(`GCopen${n}`, `Open ${n}`)),
      quest('GCdone', 'Done already'),
    ])
    await importRecords(world.deps, 'participants', [{ questId: 'GCdone', address: MEMBER }])
    const own = await words(`/m/harbour/${MEMBER}`)
    expect(own.match(/Open \d/g)).toHaveLength(6)
    expect(own).toContain('and 1 more quest')
    expect(await read(`/m/harbour/${MEMBER}`)).toContain('href="/s/harbour/quests?state=open"')
    expect(own).not.toContain('Done already')
    const other = await words(`/m/harbour/${numbered(1)}`)
    expect(other).toContain('and 2 more quests')
  })

  it('shows that the member has completed all active quests', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: LONE, name: 'Cove' }])
    await importRecords(world.deps, 'points', [{ spaceId: LONE, address: MEMBER, points: 5 }])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'cove', now())`, [LONE])
    expect(await words(`/m/cove/${MEMBER}`)).toContain('No quests are active now.')
    await importRecords(world.deps, 'quests', [
      { id: 'GClone', spaceId: LONE, name: 'Alone', type: 'Drop', status: 'Active' },
    ])
    await importRecords(world.deps, 'participants', [{ questId: 'GClone', address: MEMBER }])
    expect(await words(`/m/cove/${MEMBER}`)).toContain('All active quests are completed.')
  })

  it('shows a new member of a board of one as new, without a percentage and a line', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: NEW, name: 'Inlet' }])
    await importRecords(world.deps, 'points', [{ spaceId: NEW, address: MEMBER, points: 5 }])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'inlet', now())`, [NEW])
    await world.database.query(
      `INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
       VALUES ($1, 0, $2, ($3::timestamptz AT TIME ZONE 'UTC')::date, 1, 5)`,
      [NEW, MEMBER, new Date(world.clock.now())],
    )
    const text = await words(`/m/inlet/${MEMBER}`)
    expect(text).toMatch(/Rank 1 of 1 .* In 24h new In 7d new In 30d new /)
    expect(text).not.toMatch(/Better than|no change|Rank in the last/)
    expect(await words('/s/inlet')).toMatch(/ 1 member /)
  })

  it('escapes the name, and names the canonical address', async () => {
    const page = await read(`/m/harbour/EVM:${MEMBER.toUpperCase().replace('0X', '0x')}`)
    expect(page).toContain('&lt;b&gt;Ada')
    expect(page).not.toContain('<b>Ada')
    expect(page).toContain(`<link rel="canonical" href="https://boards.example/m/harbour/${MEMBER}">`)
  })

  it.each([
    ['a space without a page', `/m/forty/${MEMBER}`],
    ['an address without points', `/m/harbour/${numbered(99)}`],
    ['a mail address', '/m/harbour/zoe@example.com'],
    ['a handle', '/m/harbour/zoe'],
    ['a malformed address', '/m/harbour/%00'],
  ])('does not exist for %s', async (_, path) => {
    expect((await get(path)).status).toBe(404)
  })

  it('is not for search engines', async () => {
    const [everyone] = (await (await get('/robots.txt')).text()).split('\n\n')
    expect(everyone).toMatch(/^User-agent: \*\n/)
    expect(everyone).not.toMatch(/Allow: \/m/)
    expect(await (await get('/sitemap.xml')).text()).not.toContain('/m/')
  })
})
