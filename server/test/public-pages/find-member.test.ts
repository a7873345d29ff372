import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startWorld, type World } from '../support/fixture.ts'

const SPACE = 7310
const numbered = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const LAST = numbered(0xabc)
const ACCOUNT = '5a0c8f2e-0d6b-4c3a-9a57-1f6f0d1c2b3e'

describe('the search of a public board', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
    const { deps, database } = world
    await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Quay' }])
    await importRecords(deps, 'sprints', [{ spaceId: SPACE, sprintId: 4, name: 'Ebb' }])
    await importRecords(deps, 'points', [
      ...Array.from({ length: 120 }, (_, n) => ({ spaceId: SPACE, address: numbered(n + 1), points: 1_000 - n })),
      { spaceId: SPACE, address: 'zoe@example.com', points: 950 },
      { spaceId: SPACE, address: 'jaana', points: 940 },
      { spaceId: SPACE, address: ACCOUNT, points: 2 },
      { spaceId: SPACE, address: 'kim@example.com', points: 930, username: 'Kim of the pier' },
      { spaceId: SPACE, address: LAST, points: 1, username: 'Jaakko "Q" <b>' },
      { spaceId: SPACE, sprintId: 4, address: numbered(3), points: 7 },
    ])
    await database.query(`INSERT INTO space_pages VALUES ($1, 'quay', now())`, [SPACE])
  })
  afterAll(() => world.stop())

  const get = (path: string) => fetch(world.url + path, { headers: { accept: 'text/html' } })
  const page = async (query: string) => (await (await get(`/s/quay?${query}`)).text()).replaceAll(/\s+/g, ' ')
  const addresses = (text: string) => [...text.matchAll(/title="(0x[^"]+)"/g)].map(([, address]) => address)

  it('shows the members around an address, and marks its row', async () => {
    const found = await page(`find=${LAST.toUpperCase().replace('0X', '0x')}`)
    expect(found).toMatch(new RegExp(`<tr class="own" id="found">.{0,800}title="${LAST}"`))
    expect(addresses(found)).toContain(numbered(120))
    expect(addresses(found)).not.toContain(numbered(1))
    expect(found).not.toContain('class="podium"')
    expect(found).toContain('<a href="/s/quay">Full leaderboard</a>')
  })

  it('lists the members whose name begins so, with a link to their places', async () => {
    const found = await page('find=jaa')
    expect(addresses(found)).toEqual([LAST])
    expect(found).toContain(`href="/s/quay?find=${LAST}#found"`)
    expect(found).toContain('<td>125</td>')
    expect(found).toContain('Jaakko &quot;Q&quot; &lt;b&gt;')
  })

  it('finds a member by the short ID that the page shows for it, but not by that of a hidden address', async () => {
    const [, code = ''] = /class="name" title="0x[^"]+"\s?>([0-9a-f]{10})</.exec(await page('')) ?? []
    expect(await page(`find=${code}`)).toMatch(new RegExp(`id="found">.*${code}`))
    const shortId = (address: string) => createHash('md5').update(address).digest('hex').slice(0, 10)
    const found = await page(`find=${shortId(numbered(7)).toUpperCase()}`)
    expect(addresses(found)).toEqual([numbered(7)])
    const own = await page(`find=${shortId(ACCOUNT)}`)
    expect(own).toMatch(new RegExp(`id="found">.*${shortId(ACCOUNT)}`))
    expect(own).not.toContain(ACCOUNT)
    expect(await page(`find=${shortId('zoe@example.com')}`)).not.toContain('<table id="found">')
  })

  it('looks a short ID up among the best members of the sprint that the page shows', async () => {
    const last = numbered(9_000)
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE + 2, name: 'Mole' }])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'mole', now())`, [SPACE + 2])
    await importRecords(world.deps, 'sprints', [{ spaceId: SPACE + 2, sprintId: 1 }])
    await importRecords(world.deps, 'points', [
      ...Array.from({ length: 10_001 }, (_, n) => ({ spaceId: SPACE + 2, address: numbered(n + 20_000), points: 5 })),
      { spaceId: SPACE + 2, address: last, points: 1 },
      { spaceId: SPACE + 2, sprintId: 1, address: last, points: 1 },
    ])
    const shortId = createHash('md5').update(last).digest('hex').slice(0, 10)
    const found = async (query: string) =>
      addresses(await (await fetch(`${world.url}/s/mole?find=${shortId}${query}`)).text())
    expect(await found('&sprint=1')).toEqual([last])
    expect(await found('')).toEqual([])
  })

  describe('if many members chose a short ID as their name', () => {
    const HIDDEN = '0mail@example.com'
    const CHOSEN = 20
    let spaceId = SPACE + 10

    async function findAmongNamesakes(address: string) {
      const shortId = createHash('md5').update(address).digest('hex').slice(0, 10)
      await importRecords(world.deps, 'spaces', [{ spaceId: ++spaceId, name: 'Pier' }])
      await world.database.query(`INSERT INTO space_pages VALUES ($1, $2, now())`, [spaceId, `pier-${spaceId}`])
      await importRecords(world.deps, 'points', [
        { spaceId, address, points: 1 },
        ...Array.from({ length: CHOSEN }, (_, n) => ({
          spaceId,
          address: numbered(n + 5_000),
          points: 5,
          username: shortId,
        })),
      ])
      return addresses(await (await fetch(`${world.url}/s/pier-${spaceId}?find=${shortId}`)).text())
    }

    it('finds only the member to whom the board gives it', async () => {
      expect(await findAmongNamesakes(numbered(7_000))).toEqual([numbered(7_000)])
    })

    it('finds all of them if a hidden address has it, so that the result does not reveal the address', async () => {
      expect(await findAmongNamesakes(HIDDEN)).toHaveLength(CHOSEN)
    })
  })

  it('finds as many members by name if a hidden address begins like the names', async () => {
    const spaceId = SPACE + 3
    await importRecords(world.deps, 'spaces', [{ spaceId, name: 'Jetty' }])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'jetty', now())`, [spaceId])
    await importRecords(world.deps, 'points', [
      { spaceId, address: 'lea@example.com', points: 9 },
      ...Array.from({ length: 20 }, (_, n) => ({
        spaceId,
        address: numbered(n + 6_000),
        points: 5,
        username: `lea@ex ${n}`,
      })),
    ])
    expect(addresses(await (await fetch(`${world.url}/s/jetty?find=lea%40ex`)).text())).toHaveLength(20)
  })

  it('lists the first members whose address begins so, by rank, also of one sprint', async () => {
    expect(addresses(await page(`find=${numbered(0).slice(0, 39)}`))).toEqual(
      Array.from({ length: 20 }, (_, n) => numbered(n + 1)),
    )
    expect(addresses(await page(`find=${numbered(0).slice(0, 39)}&sprint=4`))).toEqual([numbered(3)])
  })

  describe('if more members match than the page lists', () => {
    const CROWDED = SPACE + 4
    const MATCHES = 1_200
    const BEST_NAMED = numbered(0xffff00)
    const BEST_OF_BEGINNING = `0x${'77'.repeat(19)}ff`
    const beginning = (n: number) => `0x${'77'.repeat(17)}${n.toString(16).padStart(6, '0')}`

    beforeAll(async () => {
      await importRecords(world.deps, 'spaces', [{ spaceId: CROWDED, name: 'Weir' }])
      await world.database.query(`INSERT INTO space_pages VALUES ($1, 'weir', now())`, [CROWDED])
      await importRecords(world.deps, 'points', [
        ...Array.from({ length: MATCHES }, (_, n) => [
          { spaceId: CROWDED, address: numbered(n + 50_000), points: 5, username: `jana ${n}` },
          { spaceId: CROWDED, address: beginning(n), points: 5 },
        ]).flat(),
        { spaceId: CROWDED, address: BEST_NAMED, points: 900, username: 'jana.eth' },
        { spaceId: CROWDED, address: BEST_OF_BEGINNING, points: 800 },
        ...Array.from({ length: 25 }, (_, n) => ({
          spaceId: CROWDED,
          address: `0x7777hidden${n}@example.com`,
          points: 1_000,
        })),
      ])
    })

    const found = async (text: string) =>
      addresses(await (await get(`/s/weir?find=${encodeURIComponent(text)}`)).text())

    it('lists the members with the best ranks by name', async () => {
      const list = await found('jana')
      expect([list.length, list[0]]).toEqual([20, BEST_NAMED])
    })

    it('lists the members with the best ranks by address, and hidden addresses take no place', async () => {
      const list = await found('0x7777')
      expect([list.length, list[0]]).toEqual([20, BEST_OF_BEGINNING])
    })
  })

  it.each(['zoe@example.com', 'zoe@', 'jaana', '0x', 'nobody', '%00', "o'brien; --"])(
    'finds no member by %s',
    async (text) => {
      const response = await get(`/s/quay?find=${encodeURIComponent(text)}`)
      const found = (await response.text()).replaceAll(/\s+/g, ' ')
      expect(response.status).toBe(200)
      expect(found).toContain('No member of this leaderboard')
      expect(addresses(found)).toEqual([])
    },
  )

  it('finds a member with a hidden address by the shown name, without the address', async () => {
    for (const text of ['kim', 'Kim of the pier']) {
      const found = await page(`find=${encodeURIComponent(text)}`)
      expect(found).toMatch(/<th scope="row"> <span class="member">.*?Kim of the pier/)
      expect(found).not.toContain('kim@')
    }
    expect(await page('find=kim%40example')).toContain('No member of this leaderboard')
  })

  it('shows the whole board without a text', async () => {
    for (const query of ['find=', 'find=%20', 'find=a&find=b', 'find=%00'])
      expect(await page(query), query).toContain('class="podium"')
  })
})
