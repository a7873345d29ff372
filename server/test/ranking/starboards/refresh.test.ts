import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { refreshAll, refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { addSamples, createStarboard, ranksOf, type Sample } from '../starboard-arrange.ts'

let database: TestDatabase
let clock: TestClock
let board = 0
let id: string
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => {
  clock = testClock('2026-11-21T12:00:00Z')
  id = `b${++board}`
})

const refresh = () => refreshStarboard({ database, clock }, id)

describe('ranks', () => {
  test('equal scores share them, ordered by handle; the next rank counts all of them', async () => {
    await createStarboard(database, id, ['zoe', 'amy', 'bob', 'eve'])
    await addSamples(database, id, [
      ['zoe', '2026-11-21T10:00:00Z', 7],
      ['amy', '2026-11-21T10:00:00Z', 7],
      ['bob', '2026-11-21T10:00:00Z', 9],
      ['eve', '2026-11-21T10:00:00Z', 1],
    ])
    await refresh()
    const rows = await ranksOf(database, id, 1)
    expect(rows.map((row) => [row.position, row.rank, row.handle])).toEqual([
      [1, 1, 'bob'],
      [2, 2, 'amy'],
      [3, 2, 'zoe'],
      [4, 4, 'eve'],
    ])
  })

  test('use the latest sample that is not in the future, with its individual and aura', async () => {
    await createStarboard(database, id, ['amy'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T10:00:00Z', 5, 1, 2],
      ['amy', '2026-11-21T11:00:00Z', '6.25', 3, 4],
      ['amy', '2026-11-21T12:00:01Z', 99, 5, 6],
    ])
    await refresh()
    expect(await ranksOf(database, id, 1)).toMatchObject([{ score: '6.250000', individual: 3, aura: 4 }])
    clock.advance(1_000)
    await refresh()
    expect(await ranksOf(database, id, 2)).toMatchObject([{ score: '99.000000', individual: 5, aura: 6 }])
  })

  test('include users with old samples, but not users without samples', async () => {
    await createStarboard(database, id, ['amy', 'old', 'none'])
    await addSamples(database, id, [
      ['old', '2020-01-01T00:00:00Z', 3],
      ...Array.from({ length: 20 }, (_, n) => ['amy', new Date(clock.now() - n * HOUR), 5] as [string, Date, number]),
    ])
    expect(await refresh()).toMatchObject({ published: true, version: 1, userCount: 2 })
    expect((await ranksOf(database, id, 1)).map((row) => row.handle)).toEqual(['amy', 'old'])
  })
})

describe('comparisons', () => {
  test('use the scores 24 hours, 7 days and 30 days ago, or null', async () => {
    await createStarboard(database, id, ['amy', 'new'])
    await addSamples(database, id, [
      ['amy', '2026-10-22T12:00:00Z', 1], // exactly 30 days ago
      ['amy', '2026-11-14T12:00:00.001Z', 2], // a millisecond less than 7 days ago
      ['amy', '2026-11-20T11:00:00Z', 4],
      ['amy', '2026-11-21T11:00:00Z', 8],
      ['new', '2026-11-21T11:00:00Z', 3],
    ])
    await refresh()
    expect(await ranksOf(database, id, 1)).toMatchObject([
      { handle: 'amy', score_24h: '4.000000', score_7d: '1.000000', score_30d: '1.000000' },
      { handle: 'new', score_24h: null, score_7d: null, score_30d: null },
    ])
  })

  test('are the same whether all users have samples at the same time or not', async () => {
    const moments = ['2026-10-20', '2026-11-13', '2026-11-20', '2026-11-21'].map((day) => `${day}T00:00:00Z`)
    await createStarboard(database, 'together', ['ann', 'ben'])
    await addSamples(
      database,
      'together',
      moments.flatMap((at, n): Sample[] => [
        ['ann', at, 10 * n + 1],
        ['ben', at, 20 * n + 1],
      ]),
    )
    const expected = [
      {
        handle: 'ben',
        rank: 1,
        score: '61.000000',
        score_24h: '41.000000',
        score_7d: '21.000000',
        score_30d: '1.000000',
      },
      {
        handle: 'ann',
        rank: 2,
        score: '31.000000',
        score_24h: '21.000000',
        score_7d: '11.000000',
        score_30d: '1.000000',
      },
    ]
    const ranked = async (version: number) => ranksOf(database, 'together', version)
    const at = (iso: string) => ({ database, clock: testClock(iso) })
    await refreshStarboard(at('2026-11-21T01:00:00Z'), 'together')
    expect(await ranked(1)).toMatchObject(expected)
    // The new user has only the newest sample, so the times differ at the other edges.
    await database.query(
      `INSERT INTO starboard_users (starboard_id, handle, username) VALUES ('together', 'cat', 'cat')`,
    )
    await addSamples(database, 'together', [['cat', moments[3] as string, 5]])
    await refreshStarboard(at('2026-11-21T02:00:00Z'), 'together')
    expect(await ranked(2)).toMatchObject([...expected, { handle: 'cat', rank: 3, score_24h: null, score_30d: null }])
  })

  test('of the first ranking use the samples before the newest time', async () => {
    await createStarboard(database, id, ['amy', 'bob', 'new'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T09:00:00Z', 1],
      ['bob', '2026-11-21T10:00:00Z', 5],
      ['amy', '2026-11-21T11:00:00Z', 9],
      ['new', '2026-11-21T11:00:00Z', 7],
    ])
    await refresh()
    expect(await ranksOf(database, id, 1)).toMatchObject([
      { handle: 'amy', rank: 1, previous_rank: 2, previous_score: '1.000000' },
      { handle: 'new', rank: 2, previous_rank: null, previous_score: null },
      { handle: 'bob', rank: 3, previous_rank: 1, previous_score: '5.000000' },
    ])
  })

  test('of newer samples use the published ranking', async () => {
    await createStarboard(database, id, ['amy', 'bob'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T10:00:00Z', 2],
      ['bob', '2026-11-21T10:00:00Z', 1],
    ])
    await refresh()
    clock.advance(HOUR)
    await addSamples(database, id, [['bob', '2026-11-21T12:30:00Z', 3]])
    await refresh()
    expect(await ranksOf(database, id, 2)).toMatchObject([
      { handle: 'bob', rank: 1, previous_rank: 2, previous_score: '1.000000' },
      { handle: 'amy', rank: 2, previous_rank: 1, previous_score: '2.000000' },
    ])
  })

  test('of late samples keep the previous values of the published ranking', async () => {
    await createStarboard(database, id, ['amy', 'bob', 'cat'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T09:00:00Z', 1],
      ['bob', '2026-11-21T09:00:00Z', 2],
      ['amy', '2026-11-21T11:00:00Z', 4],
    ])
    await refresh()
    await addSamples(database, id, [
      ['bob', '2026-11-21T10:00:00Z', 6],
      ['cat', '2026-11-21T10:00:00Z', 5],
    ])
    expect(await refresh()).toMatchObject({ published: true, version: 2, userCount: 3 })
    expect(await ranksOf(database, id, 2)).toMatchObject([
      { handle: 'bob', rank: 1, score: '6.000000', previous_rank: 1, previous_score: '2.000000' },
      { handle: 'cat', rank: 2, previous_rank: null, previous_score: null },
      { handle: 'amy', rank: 3, previous_rank: 2, previous_score: '1.000000' },
    ])
  })

  test('of a round that arrives in two parts use the round before', async () => {
    await createStarboard(database, id, ['amy', 'bob'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T10:00:00Z', 2],
      ['bob', '2026-11-21T10:00:00Z', 1],
    ])
    await refresh()
    await addSamples(database, id, [['amy', '2026-11-21T11:00:00Z', 3]])
    await refresh()
    await addSamples(database, id, [['bob', '2026-11-21T11:00:00Z', 4]])
    await refresh()
    expect(await ranksOf(database, id, 3)).toMatchObject([
      { handle: 'bob', score: '4.000000', previous_rank: 2, previous_score: '1.000000' },
      { handle: 'amy', score: '3.000000', previous_rank: 1, previous_score: '2.000000' },
    ])
  })
})

describe('a refresh', () => {
  test('publishes no version without a change', async () => {
    await createStarboard(database, id, ['amy'])
    await addSamples(database, id, [['amy', '2026-11-21T11:00:00Z', 1]])
    expect(await refresh()).toMatchObject({ published: true, version: 1 })
    clock.advance(MINUTE)
    expect(await refresh()).toMatchObject({ published: false, version: 1, userCount: 1 })
  })

  test('publishes a version for a sample with the same score, which resets the comparison', async () => {
    await createStarboard(database, id, ['amy'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T10:00:00Z', 1],
      ['amy', '2026-11-21T11:00:00Z', 2],
    ])
    await refresh()
    clock.advance(HOUR)
    await addSamples(database, id, [['amy', '2026-11-21T12:30:00Z', 2]])
    expect(await refresh()).toMatchObject({ published: true, version: 2 })
    expect(await ranksOf(database, id, 2)).toMatchObject([{ previous_score: '2.000000' }])
  })

  test('publishes a version when a sample becomes older than a period', async () => {
    await createStarboard(database, id, ['amy'])
    await addSamples(database, id, [['amy', '2026-11-20T13:00:00Z', 1]])
    await refresh()
    expect(await ranksOf(database, id, 1)).toMatchObject([{ score_24h: null }])
    clock.advance(HOUR)
    expect(await refresh()).toMatchObject({ published: true, version: 2 })
    expect(await ranksOf(database, id, 2)).toMatchObject([{ score_24h: '1.000000' }])
  })

  test('publishes no version for a starboard without samples', async () => {
    await createStarboard(database, id, ['amy'])
    expect(await refresh()).toEqual({ starboardId: id, published: false, version: 0, userCount: 0 })
  })

  test('publishes one version in concurrent instances', async () => {
    await createStarboard(database, id, ['amy', 'bob'])
    await addSamples(database, id, [
      ['amy', '2026-11-21T11:00:00Z', 1],
      ['bob', '2026-11-21T11:00:00Z', 2],
    ])
    const outcomes = await Promise.all(Array.from({ length: 4 }, refresh))
    expect(outcomes.filter((outcome) => outcome.published)).toHaveLength(1)
    expect(await database.query('SELECT version FROM starboard_rankings WHERE starboard_id = $1', [id])).toEqual([
      { version: 1 },
    ])
  })

  test('fails for an unknown starboard', async () => {
    await expect(refreshStarboard({ database, clock }, 'nowhere')).rejects.toThrow('Starboard not found')
  })

  test('of every starboard publishes and reports versions', async () => {
    await createStarboard(database, id, ['amy'])
    await addSamples(database, id, [['amy', '2026-11-21T11:00:00Z', 1]])
    const reported: string[] = []
    const outcomes = await refreshAll({ database, clock }, (outcome) => reported.push(outcome.starboardId))
    expect(outcomes).toContainEqual({ starboardId: id, published: true, version: 1, userCount: 1 })
    expect(reported).toEqual(outcomes.map((outcome) => outcome.starboardId))
  })
})

describe('a refresh writes', () => {
  const users = Array.from({ length: 40 }, (_, n) => `user${n}`)
  const entries = async () =>
    database.query(
      'SELECT from_version AS version, count(*)::int AS entries FROM starboard_entries WHERE starboard_id = $1 GROUP BY 1 ORDER BY 1',
      [id],
    )
  const sampled = (handles: string[], score: number) =>
    addSamples(
      database,
      id,
      handles.map((handle, n): Sample => [handle, new Date(clock.now()), score + n]),
    )

  test('only the entries of the users that changed, until a quarter of all have changed', async () => {
    await createStarboard(database, id, users)
    await sampled(users, 0)
    await refresh()
    for (const score of [100, 200]) {
      clock.advance(MINUTE)
      await sampled(users.slice(0, 4), score)
      expect(await refresh()).toMatchObject({ published: true, userCount: 40 })
    }
    expect(await entries()).toEqual([
      { version: 1, entries: 40 },
      { version: 2, entries: 4 },
      { version: 3, entries: 4 },
    ])
    clock.advance(MINUTE)
    await sampled(users.slice(0, 4), 300)
    expect(await refresh()).toMatchObject({ version: 4 })
    expect((await entries()).at(-1)).toEqual({ version: 4, entries: 40 })
    expect((await ranksOf(database, id, 4)).slice(0, 2)).toMatchObject([
      { handle: 'user3', rank: 1, previous_rank: 1, score: '303.000000', previous_score: '203.000000' },
      { handle: 'user2', rank: 2, previous_rank: 2 },
    ])
  })

  test('the entries of all users after 1,000 versions, because a look-up of a user reads all its entries', async () => {
    await createStarboard(database, id, users)
    await sampled(users, 0)
    await refresh()
    for (const table of ['starboard_rankings', 'starboard_places'])
      await database.query(`UPDATE ${table} SET version = 1000 WHERE starboard_id = $1`, [id])
    for (const score of [100, 200]) {
      clock.advance(MINUTE)
      await sampled(['user0'], score)
      await refresh()
    }
    expect(await entries()).toEqual([
      { version: 1, entries: 40 },
      { version: 1001, entries: 1 },
      { version: 1002, entries: 40 },
    ])
  })

  test('the entries of all users if the future samples of more than a quarter arrive at once', async () => {
    await createStarboard(database, id, users)
    await sampled(users, 0)
    await addSamples(
      database,
      id,
      users.slice(0, 12).map((handle): Sample => [handle, new Date(clock.now() + HOUR), 100]),
    )
    await refresh()
    clock.advance(HOUR)
    expect(await refresh()).toMatchObject({ version: 2 })
    expect((await entries()).at(-1)).toEqual({ version: 2, entries: 40 })
  })
})
