import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchKinds } from '../../src/ingest-api/batch-kinds.ts'
import { waitingSessions } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken, send, type Sent, statuses } from './arrange.ts'

let service: TestService
let second: TestService
let token: string
const address = '0x52908400098527886e0f7030069857d2e4169ee7'
beforeAll(async () => {
  service = await startService()
  second = await startService({ database: service.database, clock: service.clock })
  token = await ingestToken(service)
  for (const { path } of batchKinds) if (path !== 'holders/remove') await restore(path)
})
afterAll(async () => {
  await second.stop()
  await service.stop()
})
const post = (path: string, items: unknown[], as = token) => send(service, path, items, { token: as })
const errors = ({ body }: Sent) =>
  body.results.map(({ status, error }) => (error ? `${error.code} ${error.field ?? ''}`.trim() : status))
/** Stores the example of a kind again. All tests expect the examples of all kinds. */
const restore = (path: string) => post(path === 'holders/remove' ? 'holders' : path, [kind(path)])
const kind = (path: string) => batchKinds.find((one) => one.path === path)?.example as Record<string, unknown>

test.each(batchKinds.map(({ path }) => path))(
  '%s: applies a new item and reports the same item as unchanged',
  async (path) => {
    if (path === 'holders/remove') {
      expect(statuses(await post(path, [kind(path), kind(path)]))).toEqual(['applied', 'unchanged'])
      expect(statuses(await post(path, [kind(path)]))).toEqual(['unchanged'])
      const rows = await service.database.query(
        `SELECT item_count, sync_status FROM credentials WHERE name = 'Garden pass'`,
      )
      expect(rows).toEqual([{ item_count: 0, sync_status: 'SYNCED' }])
      await restore(path)
    } else expect(statuses(await post(path, [kind(path)]))).toEqual(['unchanged'])
  },
)

test.each([
  ['spaces', { name: 'Another' }],
  ['sprints', { name: 'Another' }],
  ['points', { points: 7 }],
  ['points', { username: 'another' }],
  ['starboards', { tags: ['x'] }],
  ['users', { followersCount: 7 }],
  ['samples', { score: 7 }],
  ['credentials', { description: 'Another' }],
  ['quests', { name: 'Another' }],
  ['quests', { credentialGroups: [] }],
])('%s: applies the change %j', async (path, change) => {
  const changed = { ...kind(path), ...change }
  expect(statuses(await post(path, [changed]))).toEqual(['applied'])
  expect(statuses(await post(path, [changed]))).toEqual(['unchanged'])
  await restore(path)
})

test.each([
  ['spaces', { spaceId: 0 }, 'INVALID_ARGUMENT spaceId'],
  ['spaces', { name: undefined }, 'INVALID_ARGUMENT name'],
  ['spaces', { name: 'a\u0000' }, 'INVALID_ARGUMENT name'],
  ['spaces', { color: 'red' }, 'INVALID_ARGUMENT color'],
  ['sprints', { spaceId: 1 }, 'NOT_FOUND spaceId'],
  ['sprints', { endTime: '2020-01-01T00:00:00Z' }, 'INVALID_ARGUMENT endTime'],
  ['points', { sprintId: 9 }, 'NOT_FOUND sprintId'],
  ['points', { points: '9e9' }, 'INVALID_ARGUMENT points'],
  ['starboards', { type: 'OTHER' }, 'INVALID_ARGUMENT type'],
  ['users', { starboardId: 'none' }, 'NOT_FOUND starboardId'],
  ['samples', { sampledAt: '2026-02-30T00:00:00Z' }, 'INVALID_ARGUMENT sampledAt'],
  ['links', { handle: 'nobody' }, 'NOT_FOUND handle'],
  ['links', { evmAddress: '0x1' }, 'INVALID_ARGUMENT evmAddress'],
  ['credentials', { id: 1e300 }, 'INVALID_ARGUMENT id'],
  ['credentials', { curatorSpaceId: 1 }, 'NOT_FOUND curatorSpaceId'],
  ['holders', { credentialId: '5' }, 'NOT_FOUND credentialId'],
  ['holders', { address: 'x' }, 'INVALID_ARGUMENT address'],
  ['holders/remove', { credentialId: null }, 'INVALID_ARGUMENT credentialId'],
  ['quests', { spaceId: 1 }, 'NOT_FOUND spaceId'],
  ['quests', { credentialGroups: [{}] }, 'INVALID_ARGUMENT credentialGroups'],
  ['participants', { questId: 'none' }, 'NOT_FOUND questId'],
])('%s: rejects %j as %s and stores the other items', async (path, change, error) => {
  const good = path === 'spaces' ? { ...kind(path), spaceId: 901 } : kind(path)
  const [refused, stored] = errors(await post(path, [{ ...kind(path), ...change }, good]))
  expect(refused).toBe(error)
  expect(['applied', 'unchanged']).toContain(stored)
  await restore(path)
})

test('rejects the second item with the same key in a batch', async () => {
  const { body } = await post('spaces', [
    { spaceId: 950, name: 'a' },
    { spaceId: 950, name: 'b' },
  ])
  const message = 'spaceId: has the same key as item 0; a key may occur once in a batch'
  expect(body.results).toMatchObject([
    { status: 'applied' },
    { error: { code: 'CONFLICT', field: 'spaceId', message } },
  ])
})

test('reports all invalid items of a full batch', async () => {
  const items = Array.from({ length: 500 }, (_, i) => ({
    ...kind('sprints'),
    spaceId: i % 2 ? 900 : 1,
    sprintId: i + 2,
  }))
  const { body } = await post('sprints', items)
  expect(body.summary).toEqual({ applied: 250, duplicate: 0, unchanged: 0, refused: 250 })
})

test('reads numbers above 2^53 exactly', async () => {
  const text = `[{"id": 9007199254740993, "name": "x", "credType": "EMAIL", "credSource": "CSV"}]`
  expect(statuses(await send(service, 'credentials', text, { token }))).toEqual(['applied'])
  const rows = await service.database.query(`SELECT credential_id::text AS id FROM credentials WHERE name = 'x'`)
  expect(rows).toEqual([{ id: '9007199254740993' }])
})

test('enforces the cap of a quest for concurrent requests', async () => {
  await post('quests', [{ ...kind('quests'), id: 'GCsmall', cap: 20 }])
  const people = (from: number) =>
    Array.from({ length: 15 }, (_, i) => ({ questId: 'GCsmall', address: `0x${String(from + i).padStart(40, '0')}` }))
  const sent = await Promise.all(
    [0, 100].map((from, n) => send([service, second][n] as TestService, 'participants', people(from), { token })),
  )
  expect(sent.reduce((sum, { body }) => sum + body.summary.applied, 0)).toBe(20)
  expect(sent.flatMap(errors).filter((error) => error === 'OUT_OF_RANGE questId')).toHaveLength(10)
})

test('stores objects once if two instances receive them at the same time', async () => {
  const items = Array.from({ length: 40 }, (_, i) => ({ spaceId: 1_000 + i, name: 'same' }))
  const sent = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      send(n % 2 ? service : second, 'spaces', n % 3 ? items : items.toReversed(), { token }),
    ),
  )
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  const [row] = await service.database.query(`SELECT count(*)::int AS count FROM spaces WHERE name = 'same'`)
  expect(row).toEqual({ count: 40 })
})

test.each([
  ['spaces', 'spaceId'],
  ['sprints', 'spaceId'],
  ['points', 'spaceId'],
  ['quests', 'spaceId'],
  ['participants', 'questId'],
  ['starboards', 'id'],
  ['users', 'starboardId'],
  ['samples', 'starboardId'],
  ['links', 'starboardId'],
  ['credentials', 'id'],
  ['holders', 'credentialId'],
  ['holders/remove', 'credentialId'],
])('%s: rejects a token of another scope', async (path, field) => {
  const other = await ingestToken(service, { spaces: [1], starboards: ['none'], credentials: ['1'] })
  expect(errors(await post(path, [kind(path)], other))).toEqual([`PERMISSION_DENIED ${field}`])
  const own = await ingestToken(service, { spaces: [900], starboards: ['gardeners'], credentials: ['9000000001'] })
  expect(errors(await post(path, [kind(path)], own))).toEqual([path === 'holders/remove' ? 'applied' : 'unchanged'])
  await restore(path)
})

test('rejects taking over a quest of another space, or setting another space as curator', async () => {
  await post('spaces', [{ spaceId: 901, name: 'Mine' }])
  const mine = await ingestToken(service, { spaces: [901], credentials: 'all' })
  expect(errors(await post('quests', [{ ...kind('quests'), spaceId: 901 }], mine))).toEqual(['PERMISSION_DENIED id'])
  expect(errors(await post('credentials', [{ ...kind('credentials'), id: '5' }], mine))).toEqual([
    'PERMISSION_DENIED curatorSpaceId',
  ])
})

test('rejects a change of a quest that concurrently moves to another space', async () => {
  await post('spaces', [{ spaceId: 901, name: 'Other' }])
  await post('quests', [{ ...kind('quests'), id: 'GCmoves' }])
  const former = await ingestToken(service, { spaces: [900] })
  const client = await service.database.pool.connect()
  let sent: Promise<Sent>
  try {
    await client.query(`BEGIN; UPDATE quests SET space_id = 901 WHERE quest_id = 'GCmoves'`)
    sent = post('quests', [{ ...kind('quests'), id: 'GCmoves', name: 'Mine still' }], former)
    await expect.poll(() => waitingSessions(service.database)).toBe(1)
  } finally {
    await client.query('COMMIT')
    client.release()
  }
  expect(errors(await sent)).toEqual(['PERMISSION_DENIED id'])
})

test('does not change usernames of members of other spaces with a token for one space', async () => {
  await post(
    'spaces',
    [910, 911].map((spaceId) => ({ spaceId, name: 'x' })),
  )
  const points = (spaceId: number, address: string, name?: string) => ({
    spaceId,
    address,
    points: 1,
    ...(name !== undefined && { username: name, avatar: `https://${name}.example` }),
  })
  await post('points', [points(911, 'named', 'theirs'), points(911, 'nameless')])
  const own = await ingestToken(service, { spaces: [910] })
  const sent = ['named', 'nameless', 'fresh'].map((address) => points(910, address, 'mine'))
  expect(statuses(await post('points', sent, own))).toEqual(['applied', 'applied', 'applied'])
  expect(statuses(await post('points', sent, own))).toEqual(['unchanged', 'unchanged', 'unchanged'])
  const names = () =>
    service.database.query(
      `SELECT address, space_id AS space, username = 'theirs' AS theirs, username = 'mine' AS mine, avatar FROM board_entries
       WHERE address IN ('named', 'nameless', 'fresh') ORDER BY address, space_id`,
    )
  expect(await names()).toEqual([
    { address: 'fresh', space: 910, theirs: false, mine: true, avatar: 'https://mine.example' },
    { address: 'named', space: 910, theirs: true, mine: false, avatar: 'https://theirs.example' },
    { address: 'named', space: 911, theirs: true, mine: false, avatar: 'https://theirs.example' },
    { address: 'nameless', space: 910, theirs: false, mine: false, avatar: '' },
    { address: 'nameless', space: 911, theirs: false, mine: false, avatar: '' },
  ])
  await post('points', sent)
  expect((await names()).filter(({ mine }) => mine)).toHaveLength(5)
})

test('adds awards to imported points', async () => {
  await send(service, 'awards', [{ key: 'a', spaceId: 900, address, points: 5 }], { token })
  const rows = await service.database.query(`SELECT points, username FROM board_entries WHERE space_id = 900`)
  expect(rows).toEqual([{ points: 125, username: 'rose' }])
})
