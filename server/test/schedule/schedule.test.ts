import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../src/clock.ts'
import { DEAD_ROW_LIFETIME, QUOTA_WINDOW_RETENTION } from '../../src/lifetimes.ts'
import { claimTask } from '../../src/schedule/schedule.queries.ts'
import { type Jobs, startJobs } from '../../src/jobs/jobs.ts'
import { systemRandom } from '../../src/random.ts'
import { scheduleJobs } from '../../src/schedule/schedule.ts'
import { applyDueTransitions, settleQuests } from '../../src/ranking/quests/transitions.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { holdLocks } from '../support/held.ts'
import { createQuest, createSpace, questOf, transitionsOf } from '../ranking/quest-arrange.ts'
import { addSamples, createStarboard, ranksOf } from '../ranking/starboard-arrange.ts'

let database: TestDatabase
let clock: TestClock
let log: Record<string, unknown>[]
let running: Jobs[]
beforeAll(async () => {
  database = await createTestDatabase()
  await createSpace(database)
})
afterAll(() => database.drop())
beforeEach(async () => {
  clock = testClock('2026-11-21T12:00:00Z')
  log = []
  running = []
  await database.query(
    'TRUNCATE quest_participants, quest_claims, starboards, score_samples, starboard_entries, starboard_places, quests, scheduled_tasks CASCADE',
  )
})
afterEach(() => Promise.all(running.map((schedule) => schedule.stop())))

function start(): Jobs {
  const lines = { write: (line: string) => log.push(JSON.parse(line) as Record<string, unknown>) }
  const deps = { database, clock, log: pino({ level: 'debug' }, lines) }
  const schedule = startJobs(
    deps,
    scheduleJobs({ ...deps, random: systemRandom, starboardRefreshInterval: MINUTE, auditRetention: 30 * DAY }),
  )
  running.push(schedule)
  return schedule
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 15 s')
    await sleep(20)
  }
}

test('expires a quest once while several instances run', async () => {
  await createQuest(database, 'q', { status: 'Active', end_time: '2026-11-21T13:00:00Z' })
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  start()
  start()
  clock.advance(HOUR)
  await eventually(async () => (await questOf(database, 'q'))?.status === 'Expired')
  expect(await transitionsOf(database, 'q')).toHaveLength(1)
  expect(log).toContainEqual(expect.objectContaining({ questId: 'q', to: 'Expired', at: '2026-11-21T13:00:00.000Z' }))
})

test('stops without waiting for a lock that a sweep needs', async () => {
  const blocker = await holdLocks(database.pool, ['LOCK TABLE rank_days, quota_windows IN ACCESS EXCLUSIVE MODE'])
  const schedule = start()
  const waiting = () => database.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'rank_days'::regclass`)
  await eventually(async () => (await waiting()).length > 0)
  await schedule.stop()
  await blocker.release()
  const [settings] = await database.query<{ lock_timeout: string }>('SHOW lock_timeout')
  expect(settings?.lock_timeout).toBe('0')
})

test('gives a due task to one of several concurrent callers, and to no caller before it is due again', async () => {
  const claims = async (now: number) => {
    const taken = Array.from({ length: 8 }, () => claimTask(database.kysely, 'a task', new Date(now), MINUTE))
    return (await Promise.all(taken)).filter((mine) => mine).length
  }
  const now = clock.now()
  expect(await claims(now)).toBe(1)
  expect(await claims(now + MINUTE - 1)).toBe(0)
  expect(await claims(now + MINUTE)).toBe(1)
})

test('takes over a task that a fast clock has claimed for longer than its period', async () => {
  const claim = (now: number) => claimTask(database.kysely, 'a task', new Date(now), MINUTE)
  expect(await claim(clock.now() + 30 * DAY)).toBe(true)
  expect(await claim(clock.now())).toBe(true)
  expect(await claim(clock.now())).toBe(false)
})

test("changes and deletes nothing while the clock differs from the database's, and logs both times", async () => {
  const real = testClock(new Date().toISOString())
  clock = Object.assign(real, { maxDifference: HOUR })
  const inAMonth = new Date(clock.now() + 30 * DAY).toISOString()
  await createQuest(database, 'q', { status: 'Active', end_time: inAMonth })
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  await database.query('DELETE FROM quota_windows')
  await database.query(`INSERT INTO quota_windows VALUES (gen_random_uuid(), 'second', $1, 1, 1)`, [
    Math.floor(clock.now() / 1000),
  ])
  clock.advance(60 * DAY)
  const wrong = start()
  const process = new Date(clock.now()).toISOString()
  await eventually(async () => log.some((line) => line.level === 50 && line.process === process && line.database))
  expect(await applyDueTransitions({ database, clock })).toEqual([])
  await sleep(200)
  await wrong.stop()
  expect(await questOf(database, 'q')).toMatchObject({ status: 'Active' })
  expect(await database.query('SELECT FROM quota_windows')).toHaveLength(1)
  expect(await database.query('SELECT FROM scheduled_tasks')).toEqual([])
  expect(log.filter((line) => line.level === 50)).toHaveLength(1)

  clock.advance(-60 * DAY)
  start()
  await eventually(async () => (await database.query('SELECT FROM scheduled_tasks')).length > 0)
  expect(log.filter((line) => line.level === 50)).toHaveLength(1)
  await database.query('DELETE FROM quota_windows')
})

test('ranks new samples automatically', async () => {
  await createStarboard(database, 'a', ['amy'])
  start()
  await addSamples(database, 'a', [['amy', '2026-11-21T11:00:00Z', 1]])
  clock.advance(MINUTE)
  await eventually(async () => (await ranksOf(database, 'a', 1)).length === 1)
})

test('deletes rows that no cursor can reach, and quota windows that ended an hour ago', async () => {
  await createQuest(database, 'q', { status: 'Active', auto_status: false })
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  await database.query(`UPDATE quests SET status = 'Expired'`)
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  const seconds = clock.now() / 1000
  await database.query(
    `INSERT INTO quota_windows (token_id, period, window_start, leased, granted) SELECT gen_random_uuid(), period, start, 1, 1
     FROM (VALUES ('second', $1::bigint), ('day', $2::bigint), ('second', $3::bigint), ('day', $4::bigint)) AS windows (period, start)`,
    [seconds, Math.floor(seconds / 86_400), seconds - QUOTA_WINDOW_RETENTION / 1000, Math.floor(seconds / 86_400) - 1],
  )
  clock.advance(DEAD_ROW_LIFETIME + 1)
  start()
  await eventually(async () => (await database.query('SELECT FROM quota_windows')).length === 2)
  await eventually(async () => (await database.query('SELECT FROM quest_listings')).length === 1)
  const left = await database.query<{ start: number }>('SELECT window_start AS start FROM quota_windows')
  expect(new Set(left.map((row) => row.start))).toEqual(new Set([Math.floor(seconds / 86_400), seconds]))
})

test('logs a failure and continues', async () => {
  await createQuest(database, 'q', { status: 'Active', end_time: '2026-11-21T13:00:00Z' })
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  await database.query('ALTER TABLE quest_transitions RENAME TO elsewhere')
  clock.advance(HOUR)
  start()
  await eventually(async () => log.some((line) => line.job === 'quest transitions' && line.level === 50))
  expect(await questOf(database, 'q')).toMatchObject({ status: 'Active' })
  await database.query('ALTER TABLE elsewhere RENAME TO quest_transitions')
  await eventually(async () => (await questOf(database, 'q'))?.status === 'Expired')
})

test('stop waits for running jobs and starts no new ones', async () => {
  await createQuest(database, 'q', { status: 'Active', end_time: '2026-11-21T13:00:00Z' })
  await database.kysely.transaction().execute((trx) => settleQuests(trx, ['q'], clock.now()))
  const schedule = start()
  await schedule.stop()
  clock.advance(HOUR)
  await sleep(1_200)
  expect(await questOf(database, 'q')).toMatchObject({ status: 'Active' })
  const [row] = await database.query<{ busy: number }>(
    `SELECT count(*)::int AS busy FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`,
  )
  expect(row).toEqual({ busy: 0 })
})
