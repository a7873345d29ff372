import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { DEAD_ROW_LIFETIME } from '../../../src/lifetimes.ts'
import { dueStarboards } from '../../../src/ranking/starboards/changes.queries.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { sweepRankings } from '../../../src/ranking/starboards/sweep.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { addSamples, createStarboard, ranksOf } from '../starboard-arrange.ts'

let database: TestDatabase
let clock: TestClock
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  clock = testClock('2026-11-21T12:00:00Z')
  await database.query('TRUNCATE starboards, score_samples, starboard_entries, starboard_places CASCADE')
  await createStarboard(database, 'a', ['amy', 'bob'])
})

const due = () => dueStarboards(database.kysely, new Date(clock.now()), 5 * SECOND, MINUTE)
const refresh = () => refreshStarboard({ database, clock }, 'a')

describe('a starboard is due', () => {
  test('before its first refresh, and not after it', async () => {
    expect(await due()).toEqual(['a'])
    await refresh()
    clock.advance(HOUR)
    expect(await due()).toEqual([])
  })

  test('after new or late samples, once its pause is over', async () => {
    await addSamples(database, 'a', [['amy', '2026-11-21T11:00:00Z', 1]])
    await refresh()
    await addSamples(database, 'a', [['amy', '2026-11-21T10:00:00Z', 1]])
    expect(await due()).toEqual([])
    clock.advance(5 * SECOND)
    expect(await due()).toEqual(['a'])
    await refresh()
    clock.advance(HOUR)
    expect(await due()).toEqual([])
  })

  test('after an import of samples, unless all of them are known', async () => {
    await refresh()
    const samples = [{ starboardId: 'a', handle: 'amy', sampledAt: '2026-11-21T11:00:00Z', score: 1 }]
    clock.advance(MINUTE)
    await importRecords({ database, clock }, 'samples', samples)
    expect(await due()).toEqual(['a'])
    await refresh()
    clock.advance(MINUTE)
    await importRecords({ database, clock }, 'samples', samples)
    expect(await due()).toEqual([])
  })

  test('when the time of a future sample has come', async () => {
    await addSamples(database, 'a', [['amy', '2026-11-21T12:10:00Z', 1]])
    await refresh()
    clock.set('2026-11-21T12:09:59.999Z')
    expect(await due()).toEqual([])
    clock.advance(1)
    expect(await due()).toEqual(['a'])
  })

  test.each([
    ['24 hours', '2026-11-20T12:10:00Z'],
    ['7 days', '2026-11-14T12:10:00Z'],
    ['30 days', '2026-10-22T12:10:00Z'],
  ])('when a sample becomes older than %s', async (_, sampledAt) => {
    await addSamples(database, 'a', [['amy', sampledAt, 1]])
    await refresh()
    clock.set('2026-11-21T12:09:59.999Z')
    expect(await due()).toEqual([])
    clock.advance(1)
    expect(await due()).toEqual(['a'])
    expect(await refresh()).toMatchObject({ published: true })
    expect(await due()).toEqual([])
  })

  test('at most once per period because of time alone', async () => {
    await addSamples(database, 'a', [['amy', '2026-11-20T12:00:30Z', 1]])
    await refresh()
    clock.advance(59 * SECOND)
    expect(await due()).toEqual([])
    clock.advance(SECOND)
    expect(await due()).toEqual(['a'])
  })

  test('after a pause of one millisecond per row that the last ranking wrote', async () => {
    await addSamples(database, 'a', [['amy', '2026-11-21T11:00:00Z', 1]])
    await refresh()
    await database.query('UPDATE starboard_rankings SET rows_written = 100000')
    await addSamples(database, 'a', [['amy', '2026-11-21T11:30:00Z', 2]])
    clock.advance(99 * SECOND)
    expect(await due()).toEqual([])
    clock.advance(SECOND)
    expect(await due()).toEqual(['a'])
  })
})

describe('past rankings', () => {
  test('end after all cursors to them have expired, except the current one', async () => {
    for (const score of [1, 2, 3]) {
      await addSamples(database, 'a', [
        ['amy', new Date(clock.now()), score],
        ['bob', new Date(clock.now()), 4 - score],
      ])
      await refresh()
      clock.advance(MINUTE)
    }
    // Version 1 was superseded two minutes ago, version 2 one minute ago.
    clock.advance(DEAD_ROW_LIFETIME - 2 * MINUTE)
    expect(await sweepRankings(database.kysely, clock.now())).toBe(0)
    clock.advance(1)
    expect(await sweepRankings(database.kysely, clock.now())).toBe(1)
    expect(await ranksOf(database, 'a', 1)).toEqual([])
    expect(await ranksOf(database, 'a', 2)).toHaveLength(2)
    clock.advance(365 * 24 * HOUR)
    expect(await sweepRankings(database.kysely, clock.now())).toBe(1)
    expect(await database.query('SELECT version FROM starboard_rankings')).toEqual([{ version: 3 }])
    expect(await ranksOf(database, 'a', 3)).toHaveLength(2)
    expect(await database.query('SELECT DISTINCT generation FROM starboard_entries')).toEqual([{ generation: 3 }])
  })

  test('stay while the previous ranks of the current ranking come from them', async () => {
    const others = Array.from({ length: 300 }, (_, n) => `user${n}`)
    await createStarboard(database, 'b', ['amy', ...others])
    await addSamples(
      database,
      'b',
      others.map((handle, n) => [handle, new Date(clock.now()), n]),
    )
    const refreshed = () => refreshStarboard({ database, clock }, 'b')
    await refreshed()
    for (const score of [250.5, 100.5]) {
      clock.advance(MINUTE)
      await addSamples(database, 'b', [['amy', new Date(clock.now()), score]])
      await refreshed()
    }
    clock.advance(HOUR)
    const before = await ranksOf(database, 'b', 3)
    expect(before.find(({ handle }) => handle === 'amy')).toMatchObject({ rank: 200, previous_rank: 50 })
    expect(before.find(({ handle }) => handle === 'user150')).toMatchObject({ rank: 150, previous_rank: 151 })
    expect(await sweepRankings(database.kysely, clock.now())).toBe(1)
    expect(await ranksOf(database, 'b', 3)).toEqual(before)
    expect(
      await database.query(`SELECT DISTINCT version FROM starboard_places WHERE starboard_id = 'b' ORDER BY 1`),
    ).toEqual([{ version: 2 }, { version: 3 }])
  })
})
