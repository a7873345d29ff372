import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { MAIN_QUEST, members, startWorld, type World } from '../support/fixture.ts'
import { decodePng } from '../support/png.ts'

const best = members.toSorted((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))[0]!
const HIDDEN = 7_701
const WIDE = 7_702

describe('the image of a public page for link previews', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({
      settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example', QUESTBOARD_NAME: 'Meridian <&>' },
    })
    await importRecords(world.deps, 'spaces', [
      { spaceId: HIDDEN, name: 'Hidden' },
      { spaceId: WIDE, name: 'W'.repeat(150) },
    ])
    await importRecords(world.deps, 'points', [
      { spaceId: WIDE, address: `0x${'1'.repeat(40)}`, points: 2_000_000_000, username: '漢字' },
      { spaceId: WIDE, address: `0x${'2'.repeat(40)}`, points: 7, username: `<b>&${'M'.repeat(60)}` },
      { spaceId: WIDE, address: 'zoe@example.com', points: 3, username: '' },
    ])
    await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now()), ($1, 'wide', now())`, [WIDE])
    await world.database.query(`INSERT INTO starboard_pages VALUES ('1', now())`)
  })
  afterAll(() => world.stop())

  const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers })
  const pages = ['/s/forty', '/s/wide', `/m/forty/${best.address}`, `/q/${MAIN_QUEST}`, '/b/1']

  it.each(pages)('is a PNG of 1200 by 630 pixels: %s', async (page) => {
    const response = await get(`${page}/share.png`)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
    })
    const png = Buffer.from(await response.arrayBuffer())
    expect(decodePng(png)).toMatchObject({ width: 1200, height: 630 })
  })

  it.each(pages)('has its address, size and description on its page: %s', async (page) => {
    const text = await (await get(page)).text()
    const meta = (property: string) =>
      new RegExp(`<meta (?:property|name)="${property}" content="([^"]*)">`).exec(text)?.[1]
    expect(meta('og:image')).toMatch(new RegExp(`^https://boards\\.example${page}/share\\.png\\?v=[\\w-]{12}$`))
    expect([meta('og:image:width'), meta('og:image:height')]).toEqual(['1200', '630'])
    expect(meta('twitter:card')).toBe('summary_large_image')
    expect(meta('og:image:alt')).toMatch(/\w/)
  })

  it('has a description of its page: the podium, the rank of a member', async () => {
    expect(await (await get('/s/forty')).text()).toContain(
      'og:image:alt" content="Aurora Guild. Rank 1 member-0 100,000 points. Rank 2',
    )
    expect(await (await get(`/m/forty/${best.address}`)).text()).toContain(
      'og:image:alt" content="member-0, Aurora Guild. Rank 1 of 130. Points 100,000"',
    )
  })

  it('has no text outside of its margins, however long names and numbers are', async () => {
    const { width, height, pixels } = decodePng(Buffer.from(await (await get('/s/wide/share.png')).arrayBuffer()))
    const isText = (x: number, y: number) => pixels[(y * width + x) * 4 + 1]! > 150
    const columns = Array.from({ length: width }, (_, x) => x)
    const used = columns.filter((x) => Array.from({ length: height }, (_, y) => y).some((y) => isText(x, y)))
    expect(used[0]).toBeGreaterThanOrEqual(64)
    expect(used.at(-1)).toBeLessThanOrEqual(width - 64)
    expect(used.at(-1)).toBeGreaterThan(width - 120)
  })

  it('changes with the board, and only then', async () => {
    const versionOf = async () => /share\.png\?v=([\w-]+)/.exec(await (await get('/s/forty')).text())?.[1]
    const etagOf = async () => (await get('/s/forty/share.png')).headers.get('etag') ?? ''
    const [version, etag] = [await versionOf(), await etagOf()]
    expect([await versionOf(), await etagOf()]).toEqual([version, etag])
    expect((await get('/s/forty/share.png', { 'if-none-match': etag })).status).toBe(304)
    await importRecords(world.deps, 'points', [{ spaceId: 40, address: best.address, points: best.points + 1 }])
    expect(await versionOf()).not.toBe(version)
    expect((await get('/s/forty/share.png', { 'if-none-match': etag })).status).toBe(200)
    await importRecords(world.deps, 'points', [{ spaceId: 40, address: best.address, points: best.points }])
  })

  it('is the picture of the installation if too many images wait, and caches do not keep that', async () => {
    const answers = await Promise.all(
      members.slice(20, 44).map(async ({ address }) => {
        const response = await get(`/m/forty/${address}/share.png`)
        const png = Buffer.from(await response.arrayBuffer())
        return [response.status, png.readUInt32BE(16), png.readUInt32BE(20), response.headers.get('cache-control')]
      }),
    )
    const replaced = answers.filter(([, , , caching]) => caching === 'no-store')
    expect(replaced.length).toBeGreaterThan(0)
    expect(replaced.length).toBeLessThan(answers.length)
    expect(new Set(answers.map(([status, width, height]) => `${status} ${width} ${height}`))).toEqual(
      new Set(['200 1200 630']),
    )
  })

  it('does not exist for hidden spaces, private quests and unknown objects', async () => {
    for (const page of [
      '/s/hidden',
      '/s/%00',
      `/m/hidden/${best.address}`,
      '/m/forty/0x0',
      '/q/none',
      '/b/2',
      '/b/%00',
    ])
      expect((await get(`${page}/share.png`)).status, page).toBe(404)
    await world.database.query('UPDATE quests SET is_private = true WHERE quest_id = $1', [MAIN_QUEST])
    expect((await get(`/q/${MAIN_QUEST}/share.png`)).status).toBe(404)
    await world.database.query('UPDATE quests SET is_private = false WHERE quest_id = $1', [MAIN_QUEST])
  })

  it('has a limit by network', async () => {
    await world.database.query(
      `INSERT INTO attempt_windows (name, window_start, attempts)
       SELECT 'share-image:127.0.0.1', $1::bigint - $1::bigint % 60, 120
       ON CONFLICT (name, window_start) DO UPDATE SET attempts = 120`,
      [Math.floor(world.clock.now() / 1000)],
    )
    expect((await get('/s/forty/share.png')).status).toBe(429)
    await world.database.query(`DELETE FROM attempt_windows`)
  })

  it('is open to programs that show link previews, also for members', async () => {
    const robots = await (await get('/robots.txt')).text()
    expect(robots).toMatch(/User-agent: Twitterbot\n(?:.+\n)*Allow: \/m\/\n/)
    expect(/User-agent: \*\n(?:.+\n)*/.exec(robots)?.[0]).not.toContain('/m/')
  })
})
