import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../src/clock.ts'
import { writeRankDays } from '../../src/ranking/rank-days.ts'
import { members, NOW, startWorld, type World } from '../support/fixture.ts'
import { signedInBrowser } from '../support/oauth-flow.ts'

const BRAND = {
  QUESTBOARD_NAME: 'Boards & Badges',
  QUESTBOARD_DESCRIPTION: 'All communities of the "Guild"',
  QUESTBOARD_ACCENT: '#0b7285',
  QUESTBOARD_LOGO: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
}

describe('the home page', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example', ...BRAND } })
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.database.query('DELETE FROM space_pages')
    world.clock.advance(DAY) // Past what the page keeps in memory.
  })

  const get = (path = '/', headers: Record<string, string> = {}) =>
    fetch(world.url + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' })
  const publish = (spaceId: number, slug: string) =>
    world.database.query('INSERT INTO space_pages VALUES ($1, $2, now())', [spaceId, slug])

  it('shows name, description, logo and colour of the settings', async () => {
    const response = await get()
    const page = await response.text()
    expect(response.status).toBe(200)
    expect(page).toContain('<title>Boards &amp; Badges</title>')
    expect(page).toContain('All communities of the &quot;Guild&quot;')
    expect(page).toContain('<img src="/logo"')
    expect(page).toContain('--accent:light-dark(#0b7285,')
    const logo = await get('/logo')
    expect([logo.status, logo.headers.get('content-type'), await logo.text()]).toEqual([
      200,
      'image/svg+xml',
      BRAND.QUESTBOARD_LOGO,
    ])
    expect(logo.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('runs one script and allows exactly its own styles', async () => {
    const response = await get()
    const page = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    const hashes = (tag: string) =>
      [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
        ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
      )
    const sourcesOf = (directive: string) => new RegExp(`${directive} ([^;]*)`).exec(policy)?.[1]?.split(' ')
    expect(sourcesOf('style-src')).toEqual(hashes('style'))
    expect(sourcesOf('script-src')).toEqual(hashes('script'))
    expect(page.match(/<script/g)).toHaveLength(1)
  })

  it('shows published communities with members, the largest first, and no other space', async () => {
    await world.database.query(`INSERT INTO spaces VALUES (4142, 'Small', '', null, now()) ON CONFLICT DO NOTHING`)
    await publish(4142, 'small')
    await publish(40, 'forty')
    const page = await (await get()).text()
    expect([...page.matchAll(/href="\/s\/([\w-]+)"/g)].map(([, slug]) => slug)).toEqual(['forty', 'small'])
    expect(page).toContain(`<strong>${members.length.toLocaleString('en')}</strong> members`)
    expect(page).not.toContain('href="/s/41"')
  })

  it('shows how the number of members changed in a week', async () => {
    await publish(40, 'forty')
    expect(await (await get()).text()).not.toContain('this week')
    const now = world.clock.now()
    await world.database.query(
      `INSERT INTO member_days SELECT 40, ($1::timestamptz AT TIME ZONE 'UTC')::date - age, $2 - age
       FROM generate_series(1, 20) AS age ON CONFLICT (space_id, day) DO UPDATE SET members = excluded.members`,
      [new Date(now), members.length],
    )
    world.clock.advance(60_000)
    const page = await (await get()).text()
    expect(page).toMatch(/7<span class="hidden"> new<\/span\s*> this week/)
    expect(page).toContain('in 20 days"')
  })

  it('gets the number of members from the daily record', async () => {
    await world.database.query('DELETE FROM member_days')
    await world.database.query('DELETE FROM rank_day_boards')
    await writeRankDays(world.database.kysely, NOW)
    const rows = await world.database.query('SELECT members FROM member_days WHERE space_id = 40')
    expect(rows).toEqual([{ members: members.length }])
  })

  it('leads to further communities page by page', async () => {
    await world.database.query(
      `INSERT INTO spaces SELECT 5000 + n, 'Space ' || n, '', null, now() FROM generate_series(1, 30) AS n ON CONFLICT DO NOTHING`,
    )
    await world.database.query(
      `INSERT INTO space_pages SELECT 5000 + n, 'space-' || n, now() FROM generate_series(1, 30) AS n`,
    )
    const first = await (await get()).text()
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? ''
    const second = await (await get(next)).text()
    const slugs = (page: string) => [...page.matchAll(/href="\/s\/([\w-]+)"/g)].map(([, slug]) => slug)
    expect(new Set([...slugs(first), ...slugs(second)]).size).toBe(30)
    expect(second).not.toContain('rel="next"')
    expect(second).not.toContain('class="hero"')
  })

  it('explains what to do while no community is published', async () => {
    expect(await (await get()).text()).toContain('No community has a public page yet.')
  })

  it('responds 304 until it changes', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get('/', { 'if-none-match': etag })).status).toBe(304)
    await publish(40, 'forty')
    world.clock.advance(60_000)
    expect((await get('/', { 'if-none-match': etag })).status).toBe(200)
  })

  it('is the same with and without a session, so that shared caches can keep it', async () => {
    const { browser } = await signedInBrowser(world.app)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const [without, within] = await Promise.all([get(), get('/', { cookie })])
    expect(await within.text()).toBe(await without.text())
    expect(within.headers.get('vary')).toBe('accept, accept-language, accept-encoding')
  })

  it.each([
    ['a program that asks for JSON', '/', { accept: 'application/json' }],
    ['a GraphQL client', '/', { accept: 'application/graphql-response+json, application/json;q=0.9' }],
    ['a query in the address', '/?query=%7B__typename%7D', { accept: '*/*' }],
  ])('redirects %s to the playground', async (_, path, headers) => {
    const response = await get(path, headers)
    expect([response.status, response.headers.get('location')]).toEqual([307, '/playground'])
  })

  it.each(['*/*', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html, application/json'])(
    'is for readers that accept %s',
    async (accept) => {
      expect((await get('/', { accept })).headers.get('content-type')).toBe('text/html; charset=utf-8')
    },
  )
})
