import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { linkName, linkWallet, type Member, SPACE, startMemberQuests } from '../../claims/member-fixture.ts'

const { service, member } = await startMemberQuests()
afterAll(() => service.close())

const OTHER_SPACE = 41
const DAY = 24 * 60 * 60 * 1000
let alice: Member

beforeAll(async () => {
  alice = await member()
  await importRecords(service.services, 'spaces', [{ spaceId: OTHER_SPACE, name: 'Orchard' }])
})

const ranks = async (who: Member) => (await who.browser.get('/api/my/ranks')).json<{ list: unknown[] }>().list
const give = (spaceId: number, points: Record<string, number>) =>
  importRecords(
    service.services,
    'points',
    Object.entries(points).map(([address, points]) => ({ spaceId, address, points })),
  )

test('is empty for an account without points', async () => {
  expect(await ranks(alice)).toEqual([])
})

test('lists the rank on each board, with every linked address, the most points first', async () => {
  const second = await linkWallet(alice)
  await linkName(service, alice.accountId, 'Email', 'alice@example.com')
  await give(SPACE, { '0x01': 500, '0x02': 300, [alice.address]: 300, '0x03': 10, [second]: 5 })
  await give(OTHER_SPACE, { 'alice@example.com': 7, '0x04': 9 })
  await service.database.query(`INSERT INTO space_pages VALUES ($1, 'garden', now())`, [SPACE])
  const nameOf = (address: string) => createHash('md5').update(address).digest('hex').slice(0, 10)
  const space = { id: String(SPACE), name: 'Garden', slug: 'garden' }
  expect(await ranks(alice)).toEqual([
    {
      space,
      address: alice.address,
      username: nameOf(alice.address),
      rank: 2,
      points: 300,
      members: 5,
      percentile: 80,
      days: [],
    },
    {
      space: { id: String(OTHER_SPACE), name: 'Orchard', slug: null },
      address: 'alice@example.com',
      username: nameOf('alice@example.com'),
      rank: 2,
      points: 7,
      members: 2,
      percentile: 50,
      days: [],
    },
    { space, address: second, username: nameOf(second), rank: 5, points: 5, members: 5, percentile: 20, days: [] },
  ])
})

test('contains the recorded ranks of the last 30 days', async () => {
  const dayBefore = (age: number) => new Date(service.clock.now() - age * DAY).toISOString().slice(0, 10)
  for (const [age, rank] of [
    [31, 9],
    [30, 8],
    [1, 4],
  ] as const)
    await service.database.query(
      `INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points) VALUES ($1, 0, $2, $3, $4, 100)`,
      [SPACE, alice.address, dayBefore(age), rank],
    )
  expect((await ranks(alice))[0]).toMatchObject({
    rank: 2,
    days: [
      { day: dayBefore(30), rank: 8, points: 100 },
      { day: dayBefore(1), rank: 4, points: 100 },
    ],
  })
})

test('contains no rank of another account, and none of a handle that others can have elsewhere', async () => {
  const bob = await member()
  await linkName(service, bob.accountId, 'Discord', '0x01')
  expect(await ranks(bob)).toEqual([])
})

test('needs a session', async () => {
  const answer = await service.fastify.inject('/api/my/ranks')
  expect(answer.statusCode).toBe(401)
})

test('finds the board with the most points among more than 500 boards', async () => {
  const carol = await member()
  const boards = Array.from({ length: 502 }, (_, n) => 1_000 + n)
  const name = (spaceId: number) => (spaceId === 1_000 ? 'Zinnias' : `Bed ${spaceId}`)
  await importRecords(
    service.services,
    'spaces',
    boards.map((spaceId) => ({ spaceId, name: name(spaceId) })),
  )
  const points = boards.map((spaceId) => ({ spaceId, address: carol.address, points: spaceId === 1_000 ? 9 : 1 }))
  await importRecords(service.services, 'points', points)
  const list = await ranks(carol)
  expect(list).toHaveLength(50)
  expect(list[0]).toMatchObject({ space: { name: 'Zinnias' }, points: 9, rank: 1 })
})
