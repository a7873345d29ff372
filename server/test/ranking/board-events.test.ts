import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOUR } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import type { Award } from '../../src/ranking/boards.ts'
import { refreshStarboard } from '../../src/ranking/starboards/refresh.ts'
import { settleSpace } from '../../src/ranking/timed-awards.ts'
import { addSamples, createStarboard } from './starboard-arrange.ts'
import { giveAwards } from '../support/awards.ts'
import { MAX_WAITING } from '../../src/webhooks/outbox.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { ingestToken, send, statuses } from '../ingest-api/arrange.ts'
import { startService } from '../support/service.ts'
import { listen, type Listening } from '../webhooks/listen.ts'

let database: TestDatabase
const clock = testClock()
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, timed_awards, board_moves, board_entries, board_past, profiles, webhook_endpoints, webhook_messages CASCADE',
  )
  await importRecords({ database, clock }, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await importRecords({ database, clock }, 'sprints', [{ spaceId: 40, sprintId: 1 }])
  await award([
    { spaceId: 40, address: 'ada', points: 30 },
    { spaceId: 40, address: 'bob', points: 20 },
    { spaceId: 40, address: 'cyd', points: 10 },
  ])
})

const award = (awards: Award[]) => database.kysely.transaction().execute((trx) => giveAwards(trx, awards, clock))
const setPoints = (records: Parameters<typeof importRecords<'points'>>[2]) =>
  importRecords({ database, clock }, 'points', records)
const hear = (types: string[], more: Partial<Listening> = {}) =>
  listen(database, { types, subjects: ['space:40'], ...more })

describe('points.awarded', () => {
  test('reports each award at or above the threshold, with the total after all awards', async () => {
    const { heard } = await hear(['points.awarded'], { minPoints: 5 })
    await award([
      { spaceId: 40, address: 'ada', points: 5 },
      { spaceId: 40, sprintId: 1, address: 'ada', points: 7 },
      { spaceId: 40, address: 'bob', points: 4 },
      { spaceId: 40, address: 'cyd', points: -6 },
      { spaceId: 41, address: 'ada', points: 100 },
    ])
    expect(await heard()).toEqual([
      {
        type: 'points.awarded',
        timestamp: new Date(clock.now()).toISOString(),
        data: {
          spaceId: 40,
          version: 2,
          cause: 'award',
          omitted: 0,
          awards: [
            { address: 'ada', username: expect.any(String) as string, sprintId: null, points: 5, total: 42 },
            { address: 'ada', username: expect.any(String) as string, sprintId: 1, points: 7, total: 42 },
          ],
        },
      },
    ])
  })

  test('reports points that become available, and those that expire, at their times', async () => {
    const { heard } = await hear(['points.awarded'], { minPoints: 5 })
    const at = (hours: number) => new Date(clock.now() + hours * HOUR)
    const times = { availableAt: at(1), expiresAt: at(2) }
    const timed = [
      { key: 'large', sprintId: 1, address: 'ada', points: 8, ...times },
      { key: 'small', sprintId: 0, address: 'bob', points: 4, ...times },
    ]
    await database.kysely.transaction().execute((trx) => applyEvents(trx, 40, timed, clock))
    for (let i = 0; i < 2; i++) {
      clock.advance(HOUR)
      await database.kysely.transaction().execute((trx) => settleSpace(trx, 40, { clock, lockWait: 1_000 }))
    }
    const [large] = [{ address: 'ada', username: expect.any(String) as string, sprintId: 1 }]
    expect((await heard()).map(({ data }) => data)).toEqual([
      { spaceId: 40, version: 3, cause: 'availability', omitted: 0, awards: [{ ...large, points: 8, total: 38 }] },
      { spaceId: 40, version: 4, cause: 'expiry', omitted: 0, awards: [{ ...large, points: -8, total: 30 }] },
    ])
  })

  test('puts a hundred awards into one message and the rest into the next', async () => {
    const { heard } = await hear(['points.awarded'])
    await award(Array.from({ length: 101 }, (_, i) => ({ spaceId: 40, address: `m${i}`, points: 1 })))
    const lengths = (await heard()).map(({ data }) => (data.awards as unknown[]).length)
    expect(lengths.toSorted((a, b) => a - b)).toEqual([1, 100])
  })

  test('reports awards that cancel each other out without a change of rank', async () => {
    const { heard } = await hear(['points.awarded', 'rank.entered', 'rank.left'])
    await award([
      { spaceId: 40, address: 'ada', points: 7 },
      { spaceId: 40, address: 'ada', points: -7 },
    ])
    expect((await heard()).map(({ data }) => data)).toMatchObject([
      { version: 2, awards: [{ address: 'ada', points: 7, total: 30 }] },
    ])
  })

  test('reports repeated awards of the ingest API once', async () => {
    const { heard } = await hear(['points.awarded', 'rank.entered'], { boards: 'sprints' })
    const service = await startService({ database, clock })
    const token = await ingestToken(service)
    const items = [
      { key: 'a', spaceId: 40, address: 'ada', points: 5, sprintId: 1 },
      { key: 'b', spaceId: 40, address: 'bob', points: 6, sprintId: 99 },
    ]
    for (const expected of ['applied', 'duplicate'])
      expect(statuses(await send(service, 'awards', items, { token }))).toEqual([expected, 'refused'])
    await service.stop()
    expect((await heard()).map(({ data }) => data)).toMatchObject([
      { cause: 'award', awards: [{ address: 'ada', sprintId: 1, points: 5, total: 35 }] },
      { sprintId: 1, members: [{ address: 'ada', rank: 1, points: 5 }] },
    ])
  })

  test('disables an endpoint with too many pending messages, except those of owners and operators', async () => {
    const [stranger, owner, operator] = [
      await hear(['points.awarded']),
      await hear(['points.awarded']),
      await hear(['points.awarded']),
    ]
    const [{ account_id: accountId } = {}] = await database.query<{ account_id?: string }>(
      'SELECT account_id FROM webhook_endpoints WHERE endpoint_id = $1',
      [owner.endpointId],
    )
    await database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [accountId])
    await database.query('UPDATE webhook_endpoints SET by_operator = true WHERE endpoint_id = $1', [
      operator.endpointId,
    ])
    await database.query(
      `INSERT INTO webhook_messages (endpoint_id, event_type, payload, created_at, next_attempt_at)
       SELECT endpoint_id, 'waits', '', now(), now() FROM webhook_endpoints, generate_series(1, $1)`,
      [MAX_WAITING - 1],
    )
    const state = () =>
      database.query<{ endpoint_id: string; waiting: number; reason: string | null; heard: number }>(
        `SELECT endpoint_id, disabled_reason AS reason,
           (SELECT count(*) FROM webhook_messages m WHERE m.endpoint_id = e.endpoint_id AND state = 'pending') AS waiting,
           (SELECT count(*) FROM webhook_subscriptions s WHERE s.endpoint_id = e.endpoint_id) AS heard
         FROM webhook_endpoints e ORDER BY array_position($1::uuid[], endpoint_id)`,
        [[stranger.endpointId, owner.endpointId, operator.endpointId]],
      )
    await award([{ spaceId: 40, address: 'ada', points: 1 }])
    expect(await state()).toMatchObject(Array(3).fill({ waiting: MAX_WAITING, reason: null, heard: 1 }))
    await award([{ spaceId: 40, address: 'ada', points: 1 }])
    const goesOn = { waiting: MAX_WAITING + 1, reason: null, heard: 1 }
    const reason = expect.stringMatching(
      /^more than 2000 messages waited.* neither own nor manage all of their subjects$/,
    ) as string
    expect(await state()).toMatchObject([{ waiting: 0, reason, heard: 0 }, goesOn, goesOn])
  })

  test('does not report an award that is rolled back', async () => {
    const { heard } = await hear(['points.awarded', 'rank.entered'])
    const failing = database.kysely.transaction().execute(async (trx) => {
      await giveAwards(trx, [{ spaceId: 40, address: 'new', points: 99 }], clock)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await heard()).toEqual([])
  })

  test('reports by how much an import raised overall totals, the largest increase first', async () => {
    const { heard } = await hear(['points.awarded'], { minPoints: 5 })
    await setPoints([
      { spaceId: 40, address: 'ada', points: 36 },
      { spaceId: 40, address: 'bob', points: 24 },
      { spaceId: 40, address: 'dan', points: 8, username: 'Dan' },
      { spaceId: 40, address: 'cyd', points: 1 },
      { spaceId: 40, sprintId: 1, address: 'ada', points: 50 },
    ])
    const [message, ...others] = await heard()
    expect(others).toEqual([])
    expect(message?.data).toMatchObject({
      cause: 'import',
      version: 2,
      omitted: 0,
      awards: [
        { address: 'dan', username: 'Dan', sprintId: null, points: 8, total: 8 },
        { address: 'ada', points: 6, total: 36 },
      ],
    })
  })
})

describe('rank.entered and rank.left', () => {
  const ranks = ['rank.entered', 'rank.left']

  test('report the net change of the first places once per transaction', async () => {
    const { heard } = await hear(ranks, { top: 2, boards: 'overall' })
    await award([
      { spaceId: 40, address: 'cyd', points: 15 },
      { spaceId: 40, address: 'ada', points: 1 },
      { spaceId: 40, address: 'eve', points: 100 },
      { spaceId: 40, address: 'eve', points: -99 },
    ])
    const about = { spaceId: 40, sprintId: null, top: 2, version: 2 }
    expect((await heard()).map(({ type, data }) => [type, data])).toEqual([
      ['rank.entered', { ...about, members: [expect.objectContaining({ address: 'cyd', rank: 2, points: 25 })] }],
      ['rank.left', { ...about, members: [expect.objectContaining({ address: 'bob', previousRank: 2, points: 20 })] }],
    ])
  })

  test('do not occur when the first places stay the same', async () => {
    const { heard } = await hear(ranks, { top: 2 })
    await award([{ spaceId: 40, address: 'ada', points: 1 }])
    expect(await heard()).toEqual([])
  })

  test('give equal points the same rank and break ties by the order of the board', async () => {
    const { heard } = await hear(ranks, { top: 3 })
    await award([
      { spaceId: 40, address: 'abe', points: 20 },
      { spaceId: 40, address: 'cab', points: 20 },
    ])
    const [entered, left] = await heard()
    expect(entered?.data.members).toMatchObject([{ address: 'abe', rank: 2 }])
    expect(left?.data.members).toMatchObject([{ address: 'cyd', previousRank: 3 }])
  })

  test('treat sprints and the overall board as separate boards that an endpoint can select', async () => {
    const all = await hear(['rank.entered'])
    const overall = await hear(['rank.entered'], { boards: 'overall' })
    const sprints = await hear(['rank.entered'], { boards: 'sprints' })
    await award([{ spaceId: 40, sprintId: 1, address: 'new', points: 1 }])
    const boards = async (one: typeof all) => (await one.heard()).map(({ data }) => data.sprintId)
    expect(await boards(all)).toEqual(expect.arrayContaining([1, null]))
    expect(await boards(overall)).toEqual([null])
    expect(await boards(sprints)).toEqual([1])
  })

  test('report a large import as one change', async () => {
    const { heard } = await hear(ranks, { top: 100, boards: 'overall' })
    await setPoints(Array.from({ length: 300 }, (_, i) => ({ spaceId: 40, address: `m${i}`, points: 100 + i })))
    const told = await heard()
    expect(told.map(({ type, data }) => [type, (data.members as unknown[]).length])).toEqual([
      ['rank.entered', 100],
      ['rank.left', 3],
    ])
  })

  test('respect the different limits of two endpoints', async () => {
    const one = await hear(ranks, { top: 1 })
    const three = await hear(ranks, { top: 3 })
    await award([{ spaceId: 40, address: 'cyd', points: 15 }])
    expect(await one.heard()).toEqual([])
    expect(await three.heard()).toEqual([])
    await award([{ spaceId: 40, address: 'cyd', points: 15 }])
    expect((await one.heard()).map(({ type }) => type)).toEqual(ranks)
    expect(await three.heard()).toEqual([])
  })

  test('reports when a starboard publishes a ranking', async () => {
    const { heard } = await hear(ranks, { subjects: ['starboard:s1'], top: 2 })
    await createStarboard(database, 's1', ['ann', 'ben', 'cat'])
    const at = () => new Date(clock.now())
    await addSamples(database, 's1', [
      ['ann', at(), 3],
      ['ben', at(), 2],
      ['cat', at(), 1],
    ])
    await refreshStarboard({ database, clock }, 's1')
    expect((await heard()).map(({ type }) => type)).toEqual(['rank.entered'])
    clock.advance(60_000)
    await addSamples(database, 's1', [['cat', at(), '2.5']])
    await refreshStarboard({ database, clock }, 's1')
    const about = { starboardId: 's1', top: 2, version: 2 }
    expect((await heard()).map(({ data }) => data)).toEqual([
      { ...about, members: [{ handle: 'cat', username: 'cat', rank: 2, score: '2.5' }] },
      { ...about, members: [{ handle: 'ben', username: 'ben', previousRank: 2, score: '2' }] },
    ])
  })
})
