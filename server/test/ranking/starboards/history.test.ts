import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAY, HOUR } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { thinHistories } from '../../../src/ranking/starboards/history.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { addSamples, createStarboard, ranksOf, type Sample } from '../starboard-arrange.ts'

let database: TestDatabase
const clock = testClock()
const now = clock.now()
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query('TRUNCATE starboards CASCADE')
  await createStarboard(database, 'b', ['ann', 'bob', 'cat'])
})

const ago = (days: number, hours = 0) => new Date(now - days * DAY - hours * HOUR)
const kept = async () =>
  (
    await database.query<{ handle: string; sampled_at: Date }>(
      'SELECT handle, sampled_at FROM score_samples ORDER BY handle, sampled_at DESC',
    )
  ).map(({ handle, sampled_at }) => `${handle} ${(now - sampled_at.getTime()) / DAY}`)

test('keeps all samples of the last 45 days, and older ones once per user and day', async () => {
  const samples: Sample[] = [1, 44, 47, 60].flatMap((days) => [
    ['ann', ago(days, 6), 1],
    ['ann', ago(days, 3), 2],
    ['ann', ago(days), 3],
  ])
  await addSamples(database, 'b', [...samples, ['bob', ago(60, 6), 1]])
  expect(await thinHistories(database.kysely, now)).toBe(4)
  expect(await kept()).toEqual([
    'ann 1',
    'ann 1.125',
    'ann 1.25',
    'ann 44',
    'ann 44.125',
    'ann 44.25',
    'ann 47',
    'ann 60',
    'bob 60.25',
  ])
  expect(await thinHistories(database.kysely, now)).toBe(0)
})

test('deletes samples older than two years, except the newest that a ranking can use', async () => {
  await addSamples(database, 'b', [
    ['ann', ago(800), 1],
    ['ann', ago(700), 2],
    ['bob', ago(900), 1],
    ['bob', ago(800), 2],
    ['cat', ago(800), 5],
    ['cat', ago(1), 7],
  ])
  await thinHistories(database.kysely, now)
  expect(await kept()).toEqual(['ann 700', 'bob 800', 'cat 1', 'cat 800'])
})

test('thins late samples in the next run', async () => {
  await addSamples(database, 'b', [['ann', ago(50), 3]])
  await thinHistories(database.kysely, now)
  const sample = (hours: number) => ({ starboardId: 'b', handle: 'ann', sampledAt: ago(90, hours), score: 1 })
  await importRecords({ database, clock }, 'samples', [sample(0), sample(1), sample(2)])
  expect(await thinHistories(database.kysely, now)).toBe(2)
  expect(await kept()).toEqual(['ann 50', 'ann 90'])
})

test('does not change rankings, now and later', async () => {
  const samples = Array.from({ length: 600 }, (_, i): Sample => {
    const handle = ['ann', 'bob', 'cat'][i % 3] as string
    return [handle, ago((i * 37) % 900, i % 24), (i * 7919) % 1000]
  })
  await addSamples(database, 'b', samples)
  await createStarboard(database, 'whole', ['ann', 'bob', 'cat'])
  await addSamples(database, 'whole', samples)
  for (const days of [0, 10, 19, 2]) {
    clock.advance(days * DAY)
    await thinHistories(database.kysely, clock.now())
    const outcome = await refreshStarboard({ database, clock }, 'b')
    await database.query(`DELETE FROM score_samples WHERE starboard_id = 'whole'`)
    await addSamples(database, 'whole', samples)
    const whole = await refreshStarboard({ database, clock }, 'whole')
    expect(await ranksOf(database, 'b', outcome.version)).toEqual(await ranksOf(database, 'whole', whole.version))
  }
})
