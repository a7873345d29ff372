import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startWorld, type World } from '../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { decodePng, encodePng } from '../support/png.ts'

const SPACE = 7_801
const STRANGER = `0x${'3'.repeat(40)}`
/** The colour of encodePng. */
const PURPLE = '5f3dc4ff'

describe('an uploaded picture of a member on public pages', () => {
  let world: World
  let user: SignedIn
  let address: string
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
    user = await signedInBrowser(world.app)
    address = user.account.wallet.address.toLowerCase()
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Pictures' }])
    await importRecords(world.deps, 'points', [
      { spaceId: SPACE, address, points: 9 },
      { spaceId: SPACE, address: STRANGER, points: 3, username: 'eve', avatar: 'https://elsewhere.example/eve.png' },
    ])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'pictures', now())`, [SPACE])
    const image = encodePng(32, 32).toString('base64')
    expect((await user.browser.call('PUT', '/api/profile/avatar', { image })).statusCode).toBe(200)
  })
  afterAll(() => world.stop())

  const show = (isPublic: boolean) => user.browser.call('PATCH', '/api/profile', { isPublic })
  const get = (path: string) => fetch(world.url + path)
  const pictureIn = async (path: string) => {
    const text = await (await get(path)).text()
    expect(text).not.toContain('elsewhere.example')
    return /<img\s+class="avatar"\s+src="(\/api\/avatars\/[^"]+)"/.exec(text)?.[1]
  }
  const pages = () => [
    '/s/pictures',
    `/s/pictures?find=${address.slice(0, 8)}`,
    `/m/pictures/${address}`,
    '/embed/pictures',
  ]
  /** The colour in the middle of the picture of the member in the image of its page. */
  const colourInImage = async () => {
    const response = await get(`/m/pictures/${address}/share.png`)
    expect(response.status).toBe(200)
    const { width, pixels } = decodePng(Buffer.from(await response.arrayBuffer()))
    const at = (258 * width + 136) * 4
    return pixels.toString('hex', at, at + 4)
  }
  const versionOf = async () => /share\.png\?v=([\w-]+)/.exec(await (await get('/s/pictures')).text())?.[1]

  it('is nowhere while the profile is hidden', async () => {
    for (const page of pages()) expect(await pictureIn(page), page).toBeUndefined()
    expect(await colourInImage()).not.toBe(PURPLE)
  })

  it('is on the pages, in embeds and in share images while the profile is public, and disappears at once', async () => {
    const hidden = await versionOf()
    await show(true)
    for (const page of pages()) {
      const path = await pictureIn(page)
      expect(path, page).toMatch(/^\/api\/avatars\/user-\w+\?v=[0-9a-f]{12}$/)
      const response = await get(path ?? '')
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'cross-origin-resource-policy': 'cross-origin',
      })
    }
    expect(await colourInImage()).toBe(PURPLE)
    expect(await versionOf()).not.toBe(hidden)
    await show(false)
    for (const page of pages()) expect(await pictureIn(page), page).toBeUndefined()
    expect(await colourInImage()).not.toBe(PURPLE)
    expect(await versionOf()).not.toBe(undefined)
  })

  it('meets the content security policy of each page', async () => {
    for (const page of pages())
      expect((await get(page)).headers.get('content-security-policy'), page).toMatch(/img-src 'self'/)
  })

  it('is not in an image drawn from an old board that still contains it', async () => {
    await show(true)
    await world.database.query('UPDATE account_profiles SET is_public = false WHERE account_id = $1', [user.account.id])
    expect(await pictureIn(`/m/pictures/${address}`)).toBeDefined()
    expect(await colourInImage()).not.toBe(PURPLE)
    await world.database.query('UPDATE account_profiles SET is_public = true WHERE account_id = $1', [user.account.id])
    expect(await colourInImage()).toBe(PURPLE)
  })

  it('disappears when it is deleted', async () => {
    await user.browser.call('PATCH', '/api/profile', { avatar: '' })
    for (const page of pages()) expect(await pictureIn(page), page).toBeUndefined()
    expect(await colourInImage()).not.toBe(PURPLE)
  })
})
