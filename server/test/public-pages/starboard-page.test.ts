import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { NOW, startWorld, type World } from '../support/fixture.ts'
import { ask } from '../support/ask.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'

const ID = '1'

interface Ranking {
  starboard: { leaderboard: { edges: { node: { xUserProfile: { username: string } } }[] } }
}

describe('the public page of a starboard', () => {
  let world: World
  let owner: SignedIn
  let other: SignedIn
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    owner = await signedInBrowser(world.app)
    other = await signedInBrowser(world.app)
    await world.database.query('UPDATE starboards SET owner_account_id = $1 WHERE starboard_id = $2', [
      owner.account.id,
      ID,
    ])
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    await world.database.query('DELETE FROM starboard_pages')
  })

  const page = ({ browser }: SignedIn, method: 'PUT' | 'DELETE', id = ID) =>
    browser.call(method, `/api/starboards/${id}/page`)
  const get = (path: string) => fetch(world.url + path, { headers: { accept: 'text/html' } })

  it('does not exist until the owner publishes it', async () => {
    expect((await get(`/b/${ID}`)).status).toBe(404)
    expect((await owner.browser.get(`/api/starboards/${ID}/page`)).json()).toEqual({ url: null, editable: true })
    const published = { url: `https://boards.example/b/${ID}`, editable: true }
    expect((await page(owner, 'PUT')).json()).toEqual(published)
    expect((await page(owner, 'PUT')).json()).toEqual(published)
    expect((await get(`/b/${ID}`)).status).toBe(200)
    expect((await page(owner, 'DELETE')).statusCode).toBe(204)
    expect((await get(`/b/${ID}`)).status).toBe(404)
  })

  it('shows the ranking of POST /query in its order', async () => {
    await page(owner, 'PUT')
    const text = await (await get(`/b/${ID}`)).text()
    const query = `{ starboard(id: "${ID}") { leaderboard { edges { node { xUserProfile { username } } } } } }`
    const answer = await ask<Ranking>(world.url, query, { token: world.personas.business })
    const handles = answer.data.starboard.leaderboard.edges.map(({ node }) => `@${node.xUserProfile.username}`)
    expect(handles.length).toBeGreaterThan(1)
    expect([...text.matchAll(/<span class="quiet">(@[^<]+)</g)].map(([, handle]) => handle)).toEqual(handles)
    expect(text).toContain(`<link rel="canonical" href="https://boards.example/b/${ID}">`)
  })

  it('shows the change of each score in a day, in a week and in 30 days, and of the rank', async () => {
    await page(owner, 'PUT')
    const text = await (await get(`/b/${ID}`)).text()
    const cellsOf = (handle: string) =>
      text
        .split('<tr>')
        .find((row) => row.includes(`@${handle}<`))
        ?.split(/<t[dh]\b/)
        .slice(1)
        .map((cell) =>
          cell
            .replaceAll(/^[^>]*>|<[^>]*>/g, ' ')
            .replaceAll(/\s+/g, ' ')
            .trim(),
        )
    // From 900, 800 and 400 to 1,000.
    expect(cellsOf('Alice_A')).toEqual(['1 ▲1 up 1 place', 'Alice @Alice_A', '1,000', '+11.1%', '+25%', '+150%'])
    // From 960, 900 and 500 to 980.5.
    expect(cellsOf('bob')).toEqual(['2 ▼1 down 1 place', 'Bob @bob', '980.5', '+2.1%', '+8.9%', '+96.1%'])
    expect(cellsOf('user_4')?.slice(2)).toEqual(['600', '0%', '0%', '0%'])
  })

  it('escapes the name', async () => {
    await page(owner, 'PUT')
    const [before] = await world.database.query<{ name: string }>(
      'SELECT name FROM starboards WHERE starboard_id = $1',
      [ID],
    )
    await world.database.query(`UPDATE starboards SET name = '<script>"' WHERE starboard_id = $1`, [ID])
    expect(await (await get(`/b/${ID}`)).text()).not.toContain('<script>"')
    await world.database.query('UPDATE starboards SET name = $1 WHERE starboard_id = $2', [before?.name, ID])
  })

  it('only its owner and operators publish and remove it', async () => {
    expect((await page(other, 'PUT')).statusCode).toBe(403)
    expect((await other.browser.get(`/api/starboards/${ID}/page`)).json()).toEqual({ url: null, editable: false })
    await setOperator(world.database.kysely, other.account.id, new Date(NOW))
    expect((await page(other, 'PUT')).statusCode).toBe(200)
    await setOperator(world.database.kysely, other.account.id, null)
    expect((await page(other, 'DELETE')).statusCode).toBe(403)
    expect((await get(`/b/${ID}`)).status).toBe(200)
  })

  it('leaves one entry in the audit log for each change', async () => {
    await world.database.query(`DELETE FROM security_events WHERE event LIKE 'starboard.%'`)
    for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE'] as const) await page(owner, method)
    const events = await world.database.query(`SELECT event FROM security_events WHERE event LIKE 'starboard.%'`)
    expect(events.map(({ event }) => event as string).toSorted()).toEqual([
      'starboard.published',
      'starboard.unpublished',
    ])
  })

  it('is in the list for search engines', async () => {
    await page(owner, 'PUT')
    expect(await (await get('/sitemap.xml')).text()).toContain(`<loc>https://boards.example/b/${ID}</loc>`)
    expect(await (await get('/robots.txt')).text()).toContain('Allow: /b/')
  })

  it.each(['unknown', '%00', 'a'.repeat(300)])('does not exist for the id %s', async (id) => {
    expect((await get(`/b/${id}`)).status).toBe(404)
  })

  it('has no page after a cursor that was changed', async () => {
    await page(owner, 'PUT')
    expect((await get(`/b/${ID}?after=nonsense`)).status).toBe(404)
  })

  it('rejects an unknown starboard', async () => {
    expect((await page(owner, 'PUT', 'unknown')).statusCode).toBe(404)
  })
})
