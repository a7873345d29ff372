import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startWorld, type World } from '../../support/fixture.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { type Answer, startUpstream, type Upstream } from '../../support/upstream.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

let world: World
let pictures: Upstream
let user: SignedIn
let answer: Answer
let count = 0

beforeAll(async () => {
  pictures = await startUpstream((request, response) => answer(request, response))
  world = await startWorld({ settings: { QUESTBOARD_OUTGOING_HOSTS: pictures.host } })
  user = await signedInBrowser(world.app)
})
afterAll(async () => {
  await world.stop()
  await pictures.close()
})
beforeEach(() => {
  answer = (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
})

/** Adds a member of a board with this picture. */
async function memberWith(avatar: string): Promise<string> {
  const address = `0x${String(count++).padStart(40, 'a')}`
  await importRecords(world, 'points', [{ spaceId: 41, address, points: 1, username: 'Ada', avatar }])
  return address
}
const picture = () => `${pictures.url}/${count}.png`
const read = (address: string, by = user) => by.browser.get(`/api/avatars?address=${encodeURIComponent(address)}`)

it('serves the picture of a member with headers that prevent scripts', async () => {
  const response = await read(await memberWith(picture()))
  expect(response.statusCode, response.body).toBe(200)
  expect(response.rawPayload).toEqual(PNG)
  expect(response.headers).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=3600',
  })
})

it('requests the picture once an hour, without data about the reader', async () => {
  const address = await memberWith(picture())
  const before = pictures.requests.length
  await Promise.all([read(address), read(address)])
  await read(address)
  expect(pictures.requests).toHaveLength(before + 1)
  expect(pictures.requests.at(-1)?.headers).not.toHaveProperty('cookie')
  expect(pictures.requests.at(-1)?.headers).not.toHaveProperty('referer')
  world.clock.advance(HOUR + 1)
  await read(address)
  expect(pictures.requests).toHaveLength(before + 2)
})

it('serves the picture of a starboard user', async () => {
  await importRecords(world, 'starboards', [{ id: 'pictured', name: 'Pictured', type: 'TWITTER' }])
  await importRecords(world, 'users', [
    { starboardId: 'pictured', username: 'Ann', profileImageUrl: `${pictures.url}/ann.png` },
    { starboardId: 'pictured', username: 'Bob' },
  ])
  const readUser = (query: string) => user.browser.get(`/api/avatars?${query}`)
  const response = await readUser('starboard=pictured&username=Ann')
  expect(response.statusCode, response.body).toBe(200)
  expect(response.rawPayload).toEqual(PNG)
  expect((await readUser('starboard=pictured&username=Bob')).statusCode).toBe(404)
  expect((await readUser('starboard=pictured')).json()).toMatchObject({ error: { field: 'username' } })
})

it.each<[string, Answer]>([
  ['an SVG image', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(SVG)],
  ['a page', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')],
  ['a large image', (_, response) => void response.writeHead(200).end(Buffer.concat([PNG, Buffer.alloc(300_000)]))],
  ['an error', (_, response) => void response.writeHead(500).end(PNG)],
  ['a broken connection', (_, response) => void response.destroy()],
  [
    'a redirect to an internal address',
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
  ],
])('responds with 204 instead of %s, and tries again after 10 minutes', async (_what, given) => {
  answer = given
  const address = await memberWith(picture())
  const before = pictures.requests.length
  for (const response of [await read(address), await read(address)])
    expect([response.statusCode, response.body, response.headers['cache-control']]).toEqual([
      204,
      '',
      'private, max-age=600',
    ])
  expect(pictures.requests).toHaveLength(before + 1)
  answer = (_request, response) => void response.writeHead(200).end(PNG)
  world.clock.advance(10 * MINUTE + 1)
  expect((await read(address)).statusCode).toBe(200)
})

it('requests nothing from an internal address that the settings do not allow', async () => {
  expect((await read(await memberWith('http://127.0.0.1:9/a.png'))).statusCode).toBe(204)
  expect((await read(await memberWith('http://169.254.169.254/latest'))).statusCode).toBe(204)
})

it('responds with 404 for members without a picture, 400 without an address, 401 without a session', async () => {
  expect((await read(await memberWith(''))).statusCode).toBe(404)
  expect((await read('nobody')).statusCode).toBe(404)
  expect((await user.browser.get('/api/avatars')).statusCode).toBe(400)
  expect((await openBrowser(world.app.fastify).get('/api/avatars?address=a')).statusCode).toBe(401)
})

it('limits the pictures that are fetched for one account', async () => {
  const greedy = await signedInBrowser(world.app)
  await world.database.query(
    `INSERT INTO attempt_windows (name, window_start, attempts)
     VALUES ('avatar:' || $1, $2, 600)`,
    [greedy.account.id, Math.floor(world.clock.now() / HOUR) * 3600],
  )
  const address = await memberWith(picture())
  expect((await read(address, greedy)).statusCode).toBe(429)
  expect((await read(address)).statusCode).toBe(200)
  expect((await read(address, greedy)).statusCode).toBe(200)
})

it('serves the own picture, of any visibility', async () => {
  expect((await user.browser.get('/api/profile/avatar')).statusCode).toBe(404)
  await world.database.query(`INSERT INTO account_profiles (account_id, avatar, is_public) VALUES ($1, $2, false)`, [
    user.account.id,
    picture(),
  ])
  const response = await user.browser.get('/api/profile/avatar?v=1')
  expect(response.statusCode, response.body).toBe(200)
  expect(response.rawPayload).toEqual(PNG)
})
