import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { DAY, HOUR } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { FIRST_PAGE_LIFETIME } from '../../src/lifetimes.ts'
import { writeRankDays } from '../../src/ranking/rank-days.ts'
import { evmAddress, MAIN_QUEST, members, NOW, startWorld, type World } from '../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { startService } from '../support/service.ts'

describe('the public pages of a community', () => {
  let world: World
  let owner: SignedIn
  let other: SignedIn
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    owner = await signedInBrowser(world.app)
    other = await signedInBrowser(world.app)
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [owner.account.id])
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.database.query('DELETE FROM space_pages')
  })

  const publish = ({ browser }: SignedIn, slug: unknown, space = 40) =>
    browser.call('PUT', `/api/explore/spaces/${space}/page`, { slug })
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(world.url + path, { headers: { accept: 'text/html', ...headers } })

  it('shows nothing of a space that is not published', async () => {
    expect((await get('/s/forty')).status).toBe(404)
    expect((await get(`/q/${MAIN_QUEST}`)).status).toBe(404)
  })

  it('shows board, sprints and quests to readers without a session', async () => {
    expect((await publish(owner, 'forty')).json()).toEqual({
      slug: 'forty',
      url: 'https://boards.example/s/forty',
      editable: true,
      standing: 'owner',
      embedOrigins: null,
    })
    const response = await get('/s/forty')
    const page = await response.text()
    expect(response.status).toBe(200)
    expect(page).toContain(`${members.length.toLocaleString('en')} members`)
    expect(page).toContain('<link rel="canonical" href="https://boards.example/s/forty">')
    expect(page).toContain(`href="/q/${MAIN_QUEST}"`)
    expect(page).toContain('href="/s/forty?sprint=1"')
    expect(page).toContain('<span class="quiet" aria-hidden="true">Rank change</span>')
    const best = members.toSorted((a, b) => b.points - a.points)[0]
    expect(page).toContain(best?.address)
  })

  it('reads on with the link to the next members', async () => {
    await publish(owner, 'forty')
    const first = await (await get('/s/forty')).text()
    const next = /rel="next"\s+href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await (await get(next)).text()
    const addresses = (page: string) => [...page.matchAll(/title="(0x[^"]+)"/g)].map(([, address]) => address)
    const sorted = members.toSorted((a, b) => b.points - a.points || (a.address < b.address ? -1 : 1))
    expect(addresses(second)).toEqual(sorted.slice(50, 100).map(({ address }) => address))
    expect(second).not.toContain('podium"')
  })

  it('has no place on the podium for members without points', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: 4200, name: 'Quay' }])
    await world.database.query(`INSERT INTO space_pages VALUES (4200, 'quay', now())`)
    const [some, none] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`)
    await importRecords(world.deps, 'points', [{ spaceId: 4200, address: none ?? '', points: 0 }])
    expect(await (await get('/s/quay')).text()).toMatch(/<ol class="podium"[^>]* hidden>\s*<\/ol>/)
    await importRecords(world.deps, 'points', [{ spaceId: 4200, address: some ?? '', points: 5 }])
    const page = await (await get('/s/quay')).text()
    const [, podium = ''] = /<ol class="podium"[^>]*>(.*?)<\/ol>/s.exec(page) ?? []
    expect(podium).toContain(some)
    expect(podium).not.toContain(none)
    expect(page).toContain(none)
  })

  it('shows a quest of a published space, and no private quest', async () => {
    await publish(owner, 'forty')
    const page = await (await get(`/q/${MAIN_QUEST}`)).text()
    expect(page).toContain('href="/s/forty"')
    expect(page).toContain(`href="/explore/quests/${MAIN_QUEST}"`)
    await world.database.query('UPDATE quests SET is_private = true WHERE quest_id = $1', [MAIN_QUEST])
    expect((await get(`/q/${MAIN_QUEST}`)).status).toBe(404)
    await world.database.query('UPDATE quests SET is_private = false WHERE quest_id = $1', [MAIN_QUEST])
  })

  it('names a reward without a text by its kind', async () => {
    await publish(owner, 'forty')
    const rewards = [
      { expression: '', rewardType: 'DISCORDROLE', rewardCount: 1 },
      { expression: 'A scarf', rewardType: 'CUSTOM', rewardCount: 1 },
    ]
    const group = { name: '', conditionRelation: 'ALL' as const, conditions: [], rewards }
    await importRecords(world.deps, 'quests', [
      { id: 'GCscarf', spaceId: 40, name: 'Scarves', type: 'Drop', credentialGroups: [group] },
    ])
    const page = await (await get('/q/GCscarf')).text()
    expect([...page.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text)).toEqual(['Discord role', 'A scarf'])
  })

  it('lists open quests, then those that start later, by their start', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: 4300, name: 'Lock' }])
    await world.database.query(`INSERT INTO space_pages VALUES (4300, 'lock', now())`)
    const quest = (id: string, startTime?: string) => ({
      id,
      spaceId: 4300,
      name: id,
      type: 'Drop' as const,
      startTime,
    })
    await importRecords(world.deps, 'quests', [
      quest('GCinMay', '2031-05-01T00:00:00Z'),
      quest('GCinJune', '2031-06-01T00:00:00Z'),
      quest('GCinApril', '2031-04-01T00:00:00Z'),
      quest('GCopen'),
    ])
    const read = async () => (await get('/s/lock')).text()
    const page = await read()
    const listed = [...page.matchAll(/href="\/q\/(\w+)"/g)].map(([, id]) => id)
    expect(listed).toEqual(['GCopen', 'GCinApril', 'GCinMay', 'GCinJune'])
    expect(page).toContain('>Starts 1 Apr 2031<')
    // The page in memory changes with it.
    expect(await read()).not.toContain('Starts 2 May 2031')
    await world.database.query(`UPDATE quests SET start_time = '2031-05-02Z' WHERE quest_id = 'GCinMay'`)
    expect(await read()).toContain('Starts 2 May 2031')
  })

  it('escapes names and descriptions', async () => {
    await publish(owner, 'forty')
    const [before] = await world.database.query<{ name: string }>('SELECT name FROM spaces WHERE space_id = 40')
    await world.database.query(`UPDATE spaces SET name = '<script>"&' WHERE space_id = 40`)
    const page = await (await get('/s/forty')).text()
    expect(page).not.toContain('<script>"')
    expect(page).toContain('<title>&lt;script&gt;&quot;&amp; · Questboard</title>')
    await world.database.query('UPDATE spaces SET name = $1 WHERE space_id = 40', [before?.name])
  })

  it('shows no mail address of a member', async () => {
    await publish(owner, 'forty')
    const [best] = await world.database.query<{ address: string }>(
      'SELECT address FROM board_entries WHERE space_id = 40 AND sprint_id = 0 ORDER BY descent, address LIMIT 1',
    )
    const swap = (to: string, from: string) =>
      world.database.query('UPDATE board_entries SET address = $1 WHERE space_id = 40 AND address = $2', [to, from])
    await swap('alice@example.com', best?.address ?? '')
    // A change of the space, because SQL changes no version.
    await world.database.query('UPDATE space_versions SET version = version + 1 WHERE space_id = 40')
    expect(await (await get('/s/forty')).text()).not.toContain('@example.com')
    await swap(best?.address ?? '', 'alice@example.com')
  })

  it('has no page at an impossible slug', async () => {
    expect((await get('/s/%00')).status).toBe(404)
  })

  it('limits the pages of one network', async () => {
    await publish(owner, 'forty')
    await world.database.query(
      `INSERT INTO attempt_windows (name, window_start, attempts)
       SELECT 'community-page:127.0.0.1', $1::bigint - $1::bigint % 60, 600
       ON CONFLICT (name, window_start) DO UPDATE SET attempts = 600`,
      [Math.floor(world.clock.now() / 1000)],
    )
    // Pages in memory are not counted.
    const response = await get('/s/forty?movement=24h')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    await world.database.query(`DELETE FROM attempt_windows`)
  })

  it('responds 304 until the page changes', async () => {
    await publish(owner, 'forty')
    const etag = (await get('/s/forty')).headers.get('etag') ?? ''
    expect((await get('/s/forty', { 'if-none-match': etag })).status).toBe(304)
    await world.database.query(`UPDATE spaces SET description = 'changed' WHERE space_id = 40`)
    expect((await get('/s/forty', { 'if-none-match': etag })).status).toBe(200)
  })

  it('has the same ETag in all instances, also with a link to the next members', async () => {
    await publish(owner, 'forty')
    world.clock.set(new Date(Math.ceil(world.clock.now() / FIRST_PAGE_LIFETIME) * FIRST_PAGE_LIFETIME).toISOString())
    const here = await get('/s/forty')
    expect(await here.text()).toContain('rel="next"')
    world.clock.advance(FIRST_PAGE_LIFETIME - 1)
    const { database, clock } = world
    const other = await startService({ database, clock, settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    const there = await fetch(`${other.url}/s/forty`, { headers: { accept: 'text/html' } })
    await there.text()
    await other.stop()
    expect(there.headers.get('etag')).toBe(here.headers.get('etag'))
  })

  it('send compressed responses with the same ETag', async () => {
    await publish(owner, 'forty')
    const [compressed, plain] = await Promise.all([
      get('/s/forty', { 'accept-encoding': 'br' }),
      get('/s/forty', { 'accept-encoding': 'identity' }),
    ])
    expect([compressed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', null])
    expect(compressed.headers.get('vary')).toBe('accept-language, accept-encoding')
    expect(compressed.headers.get('etag')).toBe(plain.headers.get('etag'))
    expect(await compressed.text()).toBe(await plain.text())
  })

  describe('in memory', () => {
    const path = '/s/forty?movement=30d'
    const text = async () => (await get(path)).text()
    beforeEach(() => publish(owner, 'forty'))

    it.each<[string, () => Promise<unknown>, string]>([
      [
        'points',
        () =>
          importRecords(world.deps, 'awards', [
            { key: 'kept', spaceId: 40, address: evmAddress(9_001), points: 200_000 },
          ]),
        evmAddress(9_001),
      ],
      [
        'a sprint',
        () => importRecords(world.deps, 'sprints', [{ spaceId: 40, sprintId: 7, name: 'Nightfall' }]),
        'Nightfall',
      ],
      [
        'a quest',
        () =>
          importRecords(world.deps, 'quests', [
            { id: 'GCkept0001', spaceId: 40, name: 'Walk the dyke', type: 'Drop', status: 'Active' },
          ]),
        'Walk the dyke',
      ],
      [
        'the name of a quest',
        () => world.database.query(`UPDATE quests SET name = 'Renamed' WHERE quest_id = $1`, [MAIN_QUEST]),
        'Renamed',
      ],
      [
        'ranks of a day',
        async () => {
          await writeRankDays(world.database.kysely, NOW - 3 * DAY)
          await writeRankDays(world.database.kysely, NOW)
        },
        '<polyline',
      ],
    ])('changes at once with %s', async (_, change, shown) => {
      expect([await text(), await text()].join('')).not.toContain(shown)
      await change()
      expect(await text()).toContain(shown)
    })

    it('shows the period of a sprint, and changes at once with its end', async () => {
      const sprint = async () => (await get('/s/forty?sprint=1')).text()
      const setTimes = (start: string | null, end: string | null) =>
        world.database.query(
          'UPDATE sprints SET start_time = $1, end_time = $2 WHERE space_id = 40 AND sprint_id = 1',
          [start, end],
        )
      await setTimes('2031-01-02', null)
      expect(await sprint()).toContain('<p class="quiet">from 2 Jan 2031</p>')
      await setTimes('2031-01-02', '2031-02-03')
      expect(await sprint()).toContain('<p class="quiet">2 Jan 2031 – 3 Feb 2031</p>')
      expect(await text()).not.toContain('2 Jan 2031')
    })

    it('changes at once when the start of a quest becomes its end', async () => {
      const setTimes = (start: string | null, end: string | null) =>
        world.database.query(`UPDATE quests SET start_time = $1, end_time = $2 WHERE quest_id = 'GCinMay'`, [
          start,
          end,
        ])
      // The page of a space with few quests shows this one.
      await world.database.query(`INSERT INTO space_pages VALUES (4300, 'lock', now())`)
      const shown = async () => (await get('/s/lock')).text()
      await setTimes('2031-05-03Z', null)
      expect(await shown()).toContain('Starts 3 May 2031')
      await setTimes(null, '2031-05-03Z')
      expect(await shown()).not.toContain('Starts 3 May 2031')
    })

    it('changes when the status of a quest changes with time', async () => {
      expect(await text()).toContain('Ends in an hour')
      world.clock.advance(HOUR)
      expect(await text()).not.toContain('Ends in an hour')
    })

    it('disappears with the publication', async () => {
      expect((await get(path)).status).toBe(200)
      await owner.browser.call('DELETE', '/api/explore/spaces/40/page')
      expect((await get(path)).status).toBe(404)
    })
  })

  it('has no page for an unknown sprint or a cursor that was changed', async () => {
    await publish(owner, 'forty')
    expect((await get('/s/forty?sprint=999')).status).toBe(404)
    expect((await get('/s/forty?after=nonsense')).status).toBe(404)
  })

  it('lists published spaces for search engines', async () => {
    await publish(owner, 'forty')
    expect(await (await get('/sitemap.xml')).text()).toContain('<loc>https://boards.example/s/forty</loc>')
    expect(await (await get('/robots.txt')).text()).toContain('Sitemap: https://boards.example/sitemap.xml')
  })

  it('only the owner and operators publish a space', async () => {
    expect((await publish(other, 'forty')).statusCode).toBe(403)
    await setOperator(world.database.kysely, other.account.id, new Date(NOW))
    expect((await publish(other, 'forty')).statusCode).toBe(200)
    await setOperator(world.database.kysely, other.account.id, null)
    expect((await other.browser.call('DELETE', '/api/explore/spaces/40/page')).statusCode).toBe(403)
    expect((await owner.browser.call('DELETE', '/api/explore/spaces/40/page')).statusCode).toBe(204)
    expect((await get('/s/forty')).status).toBe(404)
  })

  it('needs a slug that is free and well-formed', async () => {
    await world.database.query(`INSERT INTO spaces VALUES (4141, 'Other', '', $1, now()) ON CONFLICT DO NOTHING`, [
      owner.account.id,
    ])
    await publish(owner, 'forty')
    expect((await publish(owner, 'forty', 4141)).json()).toMatchObject({ error: { code: 'slug_taken' } })
    for (const slug of ['', 'Forty', '-forty', 'forty/', 'a'.repeat(41), 40])
      expect((await publish(owner, slug)).json(), String(slug)).toMatchObject({ error: { field: 'slug' } })
    expect((await publish(owner, 'x', 999_999)).statusCode).toBe(404)
  })

  it('leaves an entry in the audit log for each change', async () => {
    await world.database.query(`DELETE FROM security_events WHERE event LIKE 'space.%'`)
    await publish(owner, 'forty')
    await owner.browser.call('DELETE', '/api/explore/spaces/40/page')
    const events = await world.database.query(`SELECT event FROM security_events WHERE event LIKE 'space.%' `)
    expect(events.map(({ event }) => event as string).toSorted()).toEqual(['space.published', 'space.unpublished'])
  })
})
