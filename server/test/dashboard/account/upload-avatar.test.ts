import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { eraseAccount } from '../../../src/personal-data/erase-account.ts'
import { exportPerson } from '../../../src/personal-data/export-person.ts'
import { updateChangedProfiles } from '../../../src/ranking/profile-changes.ts'
import { startWorld, type World } from '../../support/fixture.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { decodePng, encodePng } from '../../support/png.ts'

const MIGRATION = new URL('../../../migrations/20261127T0440_paths_of_uploaded_avatars.sql', import.meta.url)
const ISSUER = 'https://boards.example'
/** Green, 16 by 16 pixels. */
const JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAABv/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKwBcNf/2Q=='
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><script>alert(1)</script></svg>'
const PURPLE = '5f3dc4ff'

describe('an uploaded avatar', () => {
  let world: World
  let user: SignedIn
  beforeAll(async () => {
    world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: ISSUER } })
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    user = await signedInBrowser(world.app)
  })

  const upload = (image: unknown, { browser } = user) => browser.call('PUT', '/api/profile/avatar', { image })
  const uploaded = async (image: Buffer | string) => {
    const response = await upload(typeof image === 'string' ? image : image.toString('base64'))
    expect(response.statusCode, response.body).toBe(200)
    return new URL(response.json<{ avatar: string }>().avatar)
  }
  const publish = (changes: object = {}) => user.browser.call('PATCH', '/api/profile', { isPublic: true, ...changes })
  const anyone = () => openBrowser(world.app.fastify)
  const colourOf = (png: Buffer) => {
    const { width, height, pixels } = decodePng(png)
    return [width, height, pixels.toString('hex', 0, 4)]
  }

  it('becomes a new square PNG, without other content of the file', async () => {
    const { pathname, search, origin } = await uploaded(
      Buffer.concat([encodePng(200, 20), Buffer.from('<script>alert(1)</script>')]),
    )
    expect(origin).toBe(ISSUER)
    const { events } = (await user.browser.get('/api/audit')).json<{ events: { event: string; details: object }[] }>()
    const logged = events.find(({ event }) => event === 'profile.changed')
    expect(logged?.details).toEqual({ avatar: origin + pathname + search })
    await publish()
    const response = await anyone().get(pathname + search)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(colourOf(response.rawPayload)).toEqual([192, 192, PURPLE])
    expect(response.rawPayload.includes('script')).toBe(false)
  })

  it('can be a JPEG', async () => {
    await uploaded(JPEG)
    const [width, height, colour] = colourOf((await user.browser.get('/api/profile/avatar')).rawPayload)
    expect([width, height]).toEqual([192, 192])
    expect(colour).toMatch(/^0[0-9]f[0-9a-f]0[0-9]ff$/)
  })

  it('is public with the profile only; its owner always sees it', async () => {
    const { pathname } = await uploaded(encodePng(16, 16))
    expect((await anyone().get(pathname)).statusCode).toBe(404)
    expect((await user.browser.get('/api/profile/avatar')).statusCode).toBe(200)
    expect((await user.browser.get('/api/profile')).json()).toMatchObject({ isPublic: false })
    await publish()
    expect((await anyone().get(pathname)).statusCode).toBe(200)
    await publish({ isPublic: false })
    expect((await anyone().get(pathname)).statusCode).toBe(404)
  })

  it('appears on the boards of the account', async () => {
    const address = user.account.wallet.address.toLowerCase()
    await importRecords(world.deps, 'points', [{ spaceId: 41, address, points: 3 }])
    await publish()
    const { href } = await uploaded(encodePng(16, 16))
    const shown = (await world.database.query('SELECT avatar FROM board_entries WHERE address = $1', [address]))[0]
    expect(shown).toEqual({ avatar: href.slice(ISSUER.length) })
    const board = '{ space(id: 41) { loyaltyPointsRanks { list { address { address avatar } } } } }'
    expect(JSON.stringify(await world.ask(board))).toContain(JSON.stringify({ address, avatar: href }))
    const reader = await signedInBrowser(world.app)
    const response = await reader.browser.get(`/api/avatars?address=${address}`)
    expect(colourOf(response.rawPayload)).toEqual([192, 192, PURPLE])
  })

  it('follows a change of the public URL, also one that an older version stored with its URL', async () => {
    const address = user.account.wallet.address.toLowerCase()
    await importRecords(world.deps, 'points', [{ spaceId: 41, address, points: 4 }])
    const { href, pathname, search } = await uploaded(encodePng(16, 16))
    await publish()
    const before = `https://before.example${pathname}${search}`
    await world.database.query('UPDATE account_profiles SET avatar = $1 WHERE avatar = $2', [before, pathname + search])
    await world.database.query('UPDATE profiles SET own_avatar = $1 WHERE address = $2', [before, address])
    await world.database.query('UPDATE board_entries SET avatar = $1 WHERE address = $2', [before, address])

    await world.database.query(readFileSync(MIGRATION, 'utf8'))
    await updateChangedProfiles(world.deps.database.kysely, world.clock, 'all')
    expect((await user.browser.get('/api/profile')).json()).toMatchObject({ avatar: href, isUploaded: true })
    const rows = await world.database.query('SELECT avatar FROM board_entries WHERE address = $1', [address])
    expect(rows).toEqual([{ avatar: pathname + search }])
  })

  it('keeps its place when the username changes', async () => {
    await uploaded(encodePng(16, 16))
    const renamed = await publish({ username: `renamed-${user.account.username.slice(-8)}` })
    const { avatar, username } = renamed.json<{ avatar: string; username: string }>()
    expect(new URL(avatar).pathname).toBe(`/api/avatars/${username}`)
    expect((await anyone().get(new URL(avatar).pathname)).statusCode).toBe(200)
  })

  it.each<[string, unknown]>([
    ['no image', undefined],
    ['no text', 7],
    ['no base64', '<b>'],
    ['an SVG image', Buffer.from(SVG).toString('base64')],
    ['a GIF', Buffer.from('GIF89a').toString('base64')],
    ['only the header of a PNG', encodePng(16, 16).subarray(0, 33).toString('base64')],
    ['only the header of a JPEG', Buffer.from(JPEG, 'base64').subarray(0, 180).toString('base64')],
    ['a small image', encodePng(15, 16).toString('base64')],
    ['an image with too many pixels', encodePng(2049, 16).toString('base64')],
    ['a large file', Buffer.concat([encodePng(16, 16), Buffer.alloc(140_000)]).toString('base64')],
  ])('is not %s', async (_what, image) => {
    const response = await upload(image)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error: { field: 'image' } })
    expect((await user.browser.get('/api/profile')).json()).toMatchObject({ avatar: '' })
  })

  it('stays in caches for a minute at most, because its owner can hide it', async () => {
    const address = user.account.wallet.address.toLowerCase()
    await importRecords(world.deps, 'points', [{ spaceId: 41, address, points: 3 }])
    const { pathname } = await uploaded(encodePng(16, 16))
    await publish()
    expect((await anyone().get(pathname)).headers['cache-control']).toBe('public, max-age=60')
    const { headers } = await user.browser.get(`/api/avatars?address=${address}`)
    expect(headers['cache-control']).toBe('private, max-age=60')
  })

  it('disappears when another avatar replaces it', async () => {
    const { pathname } = await uploaded(encodePng(16, 16))
    await publish()
    await publish({ avatar: '' })
    expect((await anyone().get(pathname)).statusCode).toBe(404)
    expect((await user.browser.get('/api/profile/avatar')).statusCode).toBe(404)
  })

  it('is a part of the exported data, and deleted with the account', async () => {
    const { pathname, href } = await uploaded(encodePng(16, 16))
    await publish()
    const { kysely } = world.database
    const data = await exportPerson(kysely, { accountId: user.account.id }, world.clock.now(), { issuer: ISSUER })
    const [profile] = data?.account?.account_profiles ?? []
    expect(profile?.avatar).toBe(href)
    expect(profile?.avatar_image).toMatch(/^\\x89504e470d0a1a0a/)
    await eraseAccount(world.deps, user.account.id)
    expect((await anyone().get(pathname)).statusCode).toBe(404)
  })

  it('stays when a client sends its address back, and has no address that cannot be a username', async () => {
    const { href } = await uploaded(encodePng(16, 16))
    await publish({ avatar: href })
    expect((await user.browser.get('/api/profile/avatar')).statusCode).toBe(200)
    for (const name of ['%', '%00', '%2F'])
      expect((await anyone().get(`/api/avatars/${name}`)).statusCode, name).toBeLessThan(500)
  })

  it('needs a session and the CSRF token', async () => {
    const image = encodePng(16, 16).toString('base64')
    expect((await upload(image, { ...user, browser: anyone() })).statusCode).toBe(401)
    const forged = await user.browser.send({ method: 'PUT', url: '/api/profile/avatar', body: { image } })
    expect(forged.statusCode).toBe(403)
    expect(forged.json()).toMatchObject({ error: { code: 'bad_csrf_token' } })
  })
})
