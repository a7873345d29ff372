import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { applyEvents } from '../../../src/ranking/awards.ts'
import { startWorld, type World } from '../../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { openBrowser } from '../../support/oauth-browser.ts'

const [SPACE, OTHER] = [7100, 7101]
const NEIGHBOUR = '0x00000000000000000000000000000000000000aa'

let world: World
let member: SignedIn
let address: string
beforeAll(async () => {
  world = await startWorld()
  member = await signedInBrowser(world.app)
  address = (await member.browser.get('/api/session')).json<{ account: { identities: { subject: string }[] } }>()
    .account.identities[0]?.subject as string
  const { database, clock } = world
  await importRecords({ database, clock }, 'spaces', [
    { spaceId: SPACE, name: 'Harbour' },
    { spaceId: OTHER, name: 'Beacon' },
  ])
  await importRecords({ database, clock }, 'sprints', [{ spaceId: SPACE, sprintId: 1 }])
  const award = (spaceId: number, key: string, of: string, points: number, more = {}) =>
    database.kysely
      .transaction()
      .execute((trx) => applyEvents(trx, spaceId, [{ key, address: of, points, sprintId: 0, ...more }], clock))
  await award(SPACE, 'a', address, 5, { reason: 'Welcome' })
  await award(SPACE, 'b', NEIGHBOUR, 9)
  await award(SPACE, 'c', address, -2, { sprintId: 1, actor: '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a0aa' })
  await award(OTHER, 'd', address, 1)
})
afterAll(() => world.stop())

const read = async (path: string) => (await member.browser.get(`/api/my/points${path}`)).json<Answer>()

interface Answer {
  list: Record<string, unknown>[]
  next: string | null
  error?: { code: string; field?: string; message: string }
}

describe('GET /api/my/points', () => {
  it('lists the points of the linked addresses by the name of the space', async () => {
    expect(await read('')).toEqual({
      list: [
        { space: { id: String(OTHER), name: 'Beacon' }, address, points: 1 },
        { space: { id: String(SPACE), name: 'Harbour' }, address, points: 3 },
      ],
      complete: true,
    })
  })

  it('needs a session', async () => {
    expect((await openBrowser(world.app.fastify).get('/api/my/points')).statusCode).toBe(401)
  })
})

describe('GET /api/my/points/{spaceId}', () => {
  it('lists the changes newest first with their reasons, without keys and actors', async () => {
    const { list, next } = await read(`/${SPACE}`)
    expect(next).toBeNull()
    expect(list.map(({ amount, pointsAfter, sprintId, reason }) => [amount, pointsAfter, sprintId, reason])).toEqual([
      [-2, 3, 1, null],
      [5, 5, null, 'Welcome'],
    ])
    expect(Object.keys(list[0] ?? {})).not.toEqual(expect.arrayContaining(['key']))
    expect(Object.keys(list[0] ?? {})).not.toEqual(expect.arrayContaining(['actor']))
  })

  it('continues after a page', async () => {
    const { next, list } = await read(`/${SPACE}?first=1`)
    const rest = await read(`/${SPACE}?first=1&after=${next ?? ''}`)
    expect([list, rest.list].map(([entry]) => entry?.amount)).toEqual([-2, 5])
    expect(rest.next).toBeNull()
  })

  it('shows no change of another member', async () => {
    const other = await signedInBrowser(world.app)
    expect((await other.browser.get(`/api/my/points/${SPACE}`)).json()).toEqual({ list: [], next: null })
  })

  it.each([
    [`/${SPACE}?first=0`, 'first'],
    [`/${SPACE}?first=101`, 'first'],
    [`/${SPACE}?after=x`, 'after'],
  ])('names the invalid field of %s', async (path, field) => {
    expect((await read(path)).error).toMatchObject({ field })
  })

  it('rejects an unknown space', async () => {
    expect((await member.browser.get('/api/my/points/999999')).statusCode).toBe(404)
    expect((await member.browser.get('/api/my/points/x')).statusCode).toBe(404)
  })
})
