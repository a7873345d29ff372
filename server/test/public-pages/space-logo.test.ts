import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { startWorld, type World } from '../support/fixture.ts'
import { signedInBrowser, type SignedIn } from '../support/oauth-flow.ts'
import { decodePng, encodePng } from '../support/png.ts'

const SPACE = 7_901
/** The colour of encodePng. */
const PURPLE = '5f3dc4ff'

describe('the logo of a space on public pages', () => {
  let world: World
  let operator: SignedIn
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Logos' }])
    await importRecords(world.deps, 'points', [{ spaceId: SPACE, address: `0x${'4'.repeat(40)}`, points: 9 }])
    await importRecords(world.deps, 'quests', [
      { id: 'GClogo', spaceId: SPACE, name: 'Find the logo', type: 'Drop', status: 'Active' },
    ])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'logos', now())`, [SPACE])
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await remove()
    later()
  })

  afterEach(() => world.database.query('DELETE FROM attempt_windows'))

  const upload = async () => {
    const image = encodePng(32, 32).toString('base64')
    const response = await operator.browser.call('PUT', `/api/spaces/${SPACE}/logo`, { image })
    expect(response.statusCode, response.body).toBe(200)
  }
  const remove = () => operator.browser.call('DELETE', `/api/spaces/${SPACE}/logo`)
  const get = (path: string) => fetch(world.url + path, { headers: { accept: 'text/html' } })
  const logoIn = async (page: string) =>
    /<img\s+class="space-logo"\s+src="([^"]+)"/.exec(await (await get(page)).text())?.[1]
  const pages = ['/', '/s/logos', '/q/GClogo']
  /** Past what the home page keeps in memory. */
  const later = () => world.clock.advance(DAY)

  it('is on the home page, the page of the space and those of its quests', async () => {
    for (const page of pages) expect(await logoIn(page), page).toBeUndefined()
    await upload()
    later()
    for (const page of pages) expect(await logoIn(page), page).toMatch(/^\/s\/logos\/logo\.png\?v=[0-9a-f]{12}$/)
    await remove()
    later()
    for (const page of pages) expect(await logoIn(page), page).toBeUndefined()
  })

  it('is public while the space has a page', async () => {
    await upload()
    const response = await get((await logoIn('/s/logos')) ?? '')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=3600',
    })
    expect(decodePng(Buffer.from(await response.arrayBuffer()))).toMatchObject({ width: 192, height: 192 })
    await world.database.query('DELETE FROM space_pages WHERE space_id = $1', [SPACE])
    expect((await get('/s/logos/logo.png')).status).toBe(404)
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'logos', now())`, [SPACE])
    await remove()
    for (const path of ['/s/logos/logo.png', '/s/nowhere/logo.png', '/s/No%00slug/logo.png'])
      expect((await get(path)).status, path).toBe(404)
  })

  it('has a limit of its own for each network, apart from the pictures of members', async () => {
    await upload()
    const readAgain = async (limit: string, attempts: number) => {
      const now = Math.floor(world.clock.now() / 1000)
      await world.database.query(
        `INSERT INTO attempt_windows (name, window_start, attempts) VALUES ($1, $2, $3)
         ON CONFLICT (name, window_start) DO UPDATE SET attempts = excluded.attempts`,
        [`${limit}:127.0.0.1`, now - (now % 60), attempts],
      )
      return get('/s/logos/logo.png')
    }
    expect((await readAgain('avatar-read', 1_200)).status).toBe(200)
    expect((await readAgain('logo-read', 5_999)).status).toBe(200)
    const refused = await get('/s/logos/logo.png')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect(refused.headers.get('cache-control') ?? '').not.toContain('public')
    // The picture does not exist, but the request counts.
    expect((await get('/api/users/nobody/avatar')).status).not.toBe(429)
  })

  it.each(['/s/logos', '/q/GClogo'])('is in the image for link previews: %s', async (page) => {
    const colour = async () => {
      const response = await get(`${page}/share.png`)
      expect(response.status).toBe(200)
      const { width, pixels } = decodePng(Buffer.from(await response.arrayBuffer()))
      const at = (258 * width + 136) * 4
      return pixels.toString('hex', at, at + 4)
    }
    const versionOf = async () => /share\.png\?v=([\w-]+)/.exec(await (await get(page)).text())?.[1]
    const [without, plain] = [await versionOf(), await colour()]
    expect(plain).not.toBe(PURPLE)
    await upload()
    expect(await versionOf()).not.toBe(without)
    expect(await colour()).toBe(PURPLE)
  })
})
