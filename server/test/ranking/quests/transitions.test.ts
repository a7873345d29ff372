import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOUR } from '../../../src/clock.ts'
import {
  applyDueTransitions,
  awaitingDueTransitions,
  nextDueTransition,
  settleQuests,
} from '../../../src/ranking/quests/transitions.ts'
import { type TestClock, testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { createQuest, createSpace, listedStatus, questOf, transitionsOf } from '../quest-arrange.ts'

let database: TestDatabase
let clock: TestClock
beforeAll(async () => {
  database = await createTestDatabase()
  await createSpace(database)
})
afterAll(() => database.drop())
beforeEach(async () => {
  clock = testClock('2026-11-21T12:00:00Z')
  await database.query('TRUNCATE quest_participants, quest_claims, quest_listings, quest_transitions, quests CASCADE')
})

const apply = () => applyDueTransitions({ database, clock })
const settle = (...ids: string[]) => database.kysely.transaction().execute((trx) => settleQuests(trx, ids, clock.now()))

describe('when a quest is written', () => {
  test('publishes an automatic draft at once and schedules its start', async () => {
    await createQuest(database, 'q', { status: 'Draft', start_time: '2026-11-21T13:00:00Z' })
    await settle('q')
    expect(await questOf(database, 'q')).toEqual({
      status: 'NotStarted',
      next_transition_at: new Date('2026-11-21T13:00:00Z'),
    })
    expect(await transitionsOf(database, 'q')).toEqual([
      ['Draft', 'NotStarted', 'published', '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'],
    ])
    expect(await listedStatus(database, 'q')).toBe('NotStarted')
  })

  test('lists a quest without autoStatus and schedules no transition', async () => {
    await createQuest(database, 'q', {
      status: 'Active',
      auto_status: false,
      end_time: '2020-01-01T00:00:00Z',
      next_transition_at: '2020-01-01T00:00:00Z',
    })
    expect(await settle('q')).toEqual([])
    expect(await questOf(database, 'q')).toEqual({ status: 'Active', next_transition_at: null })
    expect(await listedStatus(database, 'q')).toBe('Active')
  })

  test('sets CapReached in the transaction of the last participant', async () => {
    await createQuest(database, 'q', {
      status: 'Active',
      end_time: '2026-11-22T00:00:00Z',
      cap: 2,
      participants_count: 1,
    })
    await settle('q')
    expect(await questOf(database, 'q')).toMatchObject({ status: 'Active' })
    await database.kysely.transaction().execute(async (trx) => {
      await trx.updateTable('quests').set({ participants_count: 2 }).where('quest_id', '=', 'q').execute()
      await settleQuests(trx, ['q'], clock.now())
    })
    expect(await questOf(database, 'q')).toEqual({
      status: 'CapReached',
      next_transition_at: new Date('2026-11-22T00:00:00Z'),
    })
    expect(await listedStatus(database, 'q')).toBe('CapReached')
    expect((await transitionsOf(database, 'q')).map((one) => one.slice(0, 3))).toEqual([
      ['Active', 'CapReached', 'cap'],
    ])
  })

  test('rolls a transition back with its transaction', async () => {
    await createQuest(database, 'q', { status: 'Draft' })
    const rolledBack = database.kysely.transaction().execute(async (trx) => {
      await settleQuests(trx, ['q'], clock.now())
      throw new Error('the import failed')
    })
    await expect(rolledBack).rejects.toThrow('the import failed')
    expect(await questOf(database, 'q')).toMatchObject({ status: 'Draft' })
    expect(await transitionsOf(database, 'q')).toEqual([])
  })
})

describe('when time passes', () => {
  test('applies missed transitions in order, with the times they were due', async () => {
    await createQuest(database, 'q', {
      status: 'NotStarted',
      start_time: '2026-11-21T13:00:00Z',
      end_time: '2026-11-21T14:00:00Z',
    })
    await settle('q')
    clock.advance(48 * HOUR)
    expect(await apply()).toMatchObject([
      { questId: 'q', from: 'NotStarted', to: 'Active' },
      { questId: 'q', from: 'Active', to: 'Expired' },
    ])
    expect(await transitionsOf(database, 'q')).toEqual([
      ['NotStarted', 'Active', 'start', '2026-11-21T13:00:00.000Z', '2026-11-23T12:00:00.000Z'],
      ['Active', 'Expired', 'end', '2026-11-21T14:00:00.000Z', '2026-11-23T12:00:00.000Z'],
    ])
    expect(await questOf(database, 'q')).toEqual({ status: 'Expired', next_transition_at: null })
    expect(await listedStatus(database, 'q')).toBe('Expired')
  })

  test('applies no transition before it is due', async () => {
    await createQuest(database, 'q', { status: 'Active', end_time: '2026-11-21T13:00:00Z' })
    await settle('q')
    clock.set('2026-11-21T12:59:59.999Z')
    expect(await apply()).toEqual([])
    expect(await nextDueTransition(database)).toBe(Date.parse('2026-11-21T13:00:00Z'))
    clock.advance(1)
    expect(await apply()).toHaveLength(1)
    expect(await nextDueTransition(database)).toBeUndefined()
  })

  test('applies transitions of private quests without listing them', async () => {
    await createQuest(database, 'q', { status: 'Active', end_time: '2026-11-21T13:00:00Z' })
    await database.query(`UPDATE quests SET is_private = true WHERE quest_id = 'q'`)
    await settle('q')
    clock.advance(HOUR)
    await apply()
    expect(await questOf(database, 'q')).toMatchObject({ status: 'Expired' })
    expect(await listedStatus(database, 'q')).toBeUndefined()
  })

  test('does not date an end in the past before the previous transition', async () => {
    await createQuest(database, 'q', { status: 'Draft' })
    await settle('q')
    clock.advance(HOUR)
    await database.query(`UPDATE quests SET end_time = '2026-11-20T00:00:00Z' WHERE quest_id = 'q'`)
    await settle('q')
    expect((await transitionsOf(database, 'q')).map((one) => [one[1], one[3]])).toEqual([
      ['Active', '2026-11-21T12:00:00.000Z'],
      ['Expired', '2026-11-21T12:00:00.000Z'],
    ])
  })

  test('applies and records each transition once on concurrent instances', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `q${n}`)
    await database.query(
      `INSERT INTO quests (quest_id, space_id, name, type, status, auto_status, start_time, end_time, next_transition_at, created_at)
       SELECT id, 7, id, 'Drop', 'NotStarted', true, '2026-11-21T11:00:00Z', '2026-11-21T11:30:00Z', '2026-11-21T11:00:00Z', '2026-01-01T00:00:00Z'
       FROM unnest($1::text[]) AS id`,
      [ids],
    )
    const applied = (await Promise.all(Array.from({ length: 6 }, apply))).flat()
    // Each instance skips quests that another one has locked.
    expect(applied).toHaveLength(2 * ids.length)
    expect(new Set(applied.map((one) => `${one.questId} ${one.to}`)).size).toBe(2 * ids.length)
    const counts = await database.query(
      `SELECT status, count(*) AS quests, (SELECT count(*) FROM quest_transitions) AS transitions,
         (SELECT count(*) FROM quest_listings WHERE died = 9223372036854775807 AND status = 'Expired') AS listed
       FROM quests GROUP BY status`,
    )
    expect(counts).toEqual([{ status: 'Expired', quests: 1_200, transitions: 2_400, listed: 1_200 }])
  })

  test('skips a quest that another transaction has locked', async () => {
    await createQuest(database, 'held', {
      status: 'Active',
      end_time: '2026-11-21T11:00:00Z',
      next_transition_at: '2026-11-21T11:00:00Z',
    })
    await createQuest(database, 'free', {
      status: 'Active',
      end_time: '2026-11-21T11:00:00Z',
      next_transition_at: '2026-11-21T11:00:00Z',
    })
    await database.kysely.transaction().execute(async (trx) => {
      await trx.selectFrom('quests').select('quest_id').where('quest_id', '=', 'held').forUpdate().execute()
      expect((await apply()).map((one) => one.questId)).toEqual(['free'])
    })
    expect((await apply()).map((one) => one.questId)).toEqual(['held'])
  })

  test('shares one attempt among readers that wait for a locked quest, for at most a second', async () => {
    const due = '2026-11-21T11:00:00Z'
    await createQuest(database, 'held', { status: 'Active', end_time: due, next_transition_at: due })
    const settled = awaitingDueTransitions({ database, clock })
    let statements = 0
    const count = () => statements++
    database.pool.on('acquire', count)
    await database.kysely.transaction().execute(async (trx) => {
      await trx.selectFrom('quests').select('quest_id').where('quest_id', '=', 'held').forUpdate().execute()
      await Promise.all(Array.from({ length: 20 }, settled))
    })
    database.pool.off('acquire', count)
    expect(statements).toBeLessThan(300)
    await Promise.all([settled(), settled()])
    expect(await questOf(database, 'held')).toMatchObject({ status: 'Expired' })
  })
})
