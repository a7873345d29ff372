import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startWorld, type World } from '../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'

const SPACE = 7330
const numbered = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

describe('what other sites show of a published space', () => {
  let world: World
  let owner: SignedIn
  let other: SignedIn
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    owner = await signedInBrowser(world.app)
    other = await signedInBrowser(world.app)
    await importRecords(world.deps, 'spaces', [
      { spaceId: SPACE, name: 'Wharf <&> "Co"' },
      { spaceId: SPACE + 1, name: 'Hidden' },
    ])
    await importRecords(world.deps, 'sprints', [{ spaceId: SPACE, sprintId: 2, name: 'Flood' }])
    await importRecords(world.deps, 'points', [
      ...Array.from({ length: 60 }, (_, n) => ({ spaceId: SPACE, address: numbered(n + 1), points: 500 - n })),
      { spaceId: SPACE, address: 'zoe@example.com', points: 900 },
      { spaceId: SPACE, sprintId: 2, address: numbered(9), points: 3 },
    ])
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id >= $2', [
      owner.account.id,
      SPACE,
    ])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'wharf', now())`, [SPACE])
  })
  afterAll(() => world.stop())

  const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers })
  const text = async (path: string) => (await (await get(path)).text()).replaceAll(/\s+/g, ' ')
  const shown = (page: string) => [...page.matchAll(/title="(0x[^"]+)"/g)].map(([, address]) => address)

  describe('a frame', () => {
    it('has the first places, as many as the URL requests', async () => {
      expect(shown(await text('/embed/wharf?rows=4'))).toEqual([1, 2, 3].map(numbered))
      expect(shown(await text('/embed/wharf'))).toHaveLength(9)
      expect(shown(await text('/embed/wharf?rows=99'))).toHaveLength(49)
      for (const rows of ['0', '-1', 'x', '1e3']) expect(shown(await text(`/embed/wharf?rows=${rows}`))).toHaveLength(9)
    })

    it('is in the language that the URL names', async () => {
      expect(await text('/embed/wharf?lang=de')).toContain('<html lang="de"')
      expect(await text(`/embed/wharf/${numbered(9)}.svg?lang=de`)).toContain('<title>Rang 10 in Wharf')
      expect(await text('/embed/wharf?lang=xx')).toContain('<html lang="en"')
    })

    it('has the board of a sprint, and links that leave the frame', async () => {
      const page = await text('/embed/wharf?sprint=2&theme=dark')
      expect(shown(page)).toEqual([numbered(9)])
      expect(page).toContain('data-theme="dark"')
      expect(page).toContain('<base target="_blank">')
      expect(page).toContain('href="https://boards.example/s/wharf"')
      expect((await get('/embed/wharf?sprint=77')).status).toBe(404)
    })

    it('shows no mail address, and escapes names', async () => {
      const page = await text('/embed/wharf')
      expect(page).not.toContain('example.com')
      expect(page).toContain('<h1>Wharf &lt;&amp;&gt; &quot;Co&quot;</h1>')
    })

    it('has scripts of no site, and an ETag', async () => {
      const response = await get('/embed/wharf')
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(response.headers.get('x-frame-options')).toBeNull()
      const etag = response.headers.get('etag') ?? ''
      expect((await get('/embed/wharf', { 'if-none-match': etag })).status).toBe(304)
    })

    it('does not exist for a space that is not published', async () => {
      for (const path of ['/embed/hidden', '/embed/%00', `/embed/hidden/${numbered(1)}.svg`])
        expect((await get(path)).status, path).toBe(404)
    })
  })

  describe('the sites that may show a frame', () => {
    const setSites = ({ browser }: SignedIn, origins: unknown, space = SPACE) =>
      browser.call('PUT', `/api/explore/spaces/${space}/page/embeds`, { origins })
    const ancestors = async () =>
      /frame-ancestors ([^;]*)/.exec((await get('/embed/wharf')).headers.get('content-security-policy') ?? '')?.[1]

    it('are all sites, until the owner names some or none', async () => {
      expect(await ancestors()).toBe('*')
      const named = await setSites(owner, ['https://Guild.example/', 'http://localhost:8080'])
      expect(named.json()).toMatchObject({ embedOrigins: ['https://guild.example', 'http://localhost:8080'] })
      expect(await ancestors()).toBe("'self' https://guild.example http://localhost:8080")
      await setSites(owner, [])
      expect(await ancestors()).toBe("'self'")
      await setSites(owner, null)
      expect(await ancestors()).toBe('*')
    })

    it.each([
      ['https://x;script-src'],
      ['https://a;sandbox'],
      ['https://*'],
      ['https://a,b'],
      ["https://a'b.com"],
      ['https://guild.example/path'],
      ['javascript:alert(1)'],
      ['https://a.example; script-src *'],
      ['*'],
      [''],
    ])('reject %j and name the field', async (origin) => {
      const response = await setSites(owner, ['https://a.example', origin])
      expect(response.statusCode).toBe(400)
      expect(response.body).toContain('origins')
      expect(response.body).toContain('must be an origin such as https://example.com')
      expect(await ancestors()).toBe('*')
    })

    it('are at most 20', async () => {
      expect(
        (
          await setSites(
            owner,
            Array.from({ length: 21 }, (_, n) => `https://a${n}.example`),
          )
        ).statusCode,
      ).toBe(400)
    })

    it('managers of a published space choose them, and the audit log records it', async () => {
      expect((await setSites(other, [])).statusCode).toBe(403)
      expect((await setSites(owner, [], SPACE + 1)).statusCode).toBe(404)
      const noted = await world.database.query<{ details: object }>(
        `SELECT details FROM security_events WHERE event = 'space.embeds-changed'`,
      )
      expect(noted.map(({ details }) => details)).toContainEqual({
        space: String(SPACE),
        origins: 'https://guild.example http://localhost:8080',
      })
    })
  })

  describe('a badge', () => {
    it('shows the rank of a member, overall or in a sprint', async () => {
      const response = await get(`/embed/wharf/${numbered(9)}.svg`)
      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(await response.text()).toContain('<title>Rank 10 in Wharf &lt;&amp;&gt; &quot;Co&quot;</title>')
      expect(await text(`/embed/wharf/${numbered(9)}.svg?sprint=2`)).toContain('Rank 1 in Wharf')
    })

    it('shows that an address is not on the board', async () => {
      expect(await text(`/embed/wharf/${numbered(0xffff)}.svg`)).toContain('Not ranked')
    })

    it('does not exist for mail addresses, handles and other files', async () => {
      for (const file of ['zoe@example.com.svg', 'zoe.svg', `${numbered(1)}.png`, '.svg'])
        expect((await get(`/embed/wharf/${file}`)).status, file).toBe(404)
    })
  })

  it('has a script that other origins may load', async () => {
    const response = await get('/embed.js')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  })
})
