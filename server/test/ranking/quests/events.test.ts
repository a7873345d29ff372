import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { applyDueTransitions } from '../../../src/ranking/quests/transitions.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase } from '../../support/database.ts'
import { listen } from '../../webhooks/listen.ts'

const database = await createTestDatabase()
const clock = testClock()
afterAll(() => database.drop())

const OWNER = '00000000-0000-4000-8000-00000000000a'
beforeAll(async () => {
  await database.query(`INSERT INTO accounts VALUES ($1, 'owner', now())`, [OWNER])
  await importRecords({ database, clock }, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [OWNER])
})

describe('quest.status_changed', () => {
  beforeEach(() => database.query('TRUNCATE quest_participants, quest_claims, quests, webhook_endpoints CASCADE'))
  const quest = (id: string, more: object = {}) =>
    importRecords({ database, clock }, 'quests', [{ id, spaceId: 40, name: id, type: 'Drop', ...more }])
  const inMinutes = (minutes: number) => new Date(clock.now() + minutes * 60_000).toISOString()
  const hear = (more: object = {}) =>
    listen(database, { subjects: ['space:40'], types: ['quest.status_changed'], ...more })
  const steps = async ({ heard }: Awaited<ReturnType<typeof hear>>) =>
    (await heard()).map(({ data }) => [data.from, data.to, data.reason, data.changedAt])

  test('reports each step that was due while no instance ran, with its time', async () => {
    await quest('GC1', { startTime: inMinutes(1), endTime: inMinutes(2) })
    const listener = await hear()
    const [start, end] = [inMinutes(1), inMinutes(2)]
    clock.advance(10 * 60_000)
    await applyDueTransitions({ database, clock })
    expect(await steps(listener)).toEqual([
      ['Active', 'Expired', 'end', end],
      ['NotStarted', 'Active', 'start', start],
    ])
  })

  test('reports that an import of participants reached a cap', async () => {
    await quest('GC2', { cap: 1 })
    const listener = await hear()
    await importRecords({ database, clock }, 'participants', [{ questId: 'GC2', address: 'ada' }])
    expect(await steps(listener)).toEqual([['Active', 'CapReached', 'cap', inMinutes(0)]])
  })

  test('reports imported changes and new quests, but no change between Draft and Deleted', async () => {
    const listener = await hear()
    await quest('GC3', { status: 'Active' })
    await quest('GC3', { status: 'CapReached' })
    await quest('GC4', { status: 'Draft' })
    await quest('GC4', { status: 'Deleted' })
    await quest('GC4', { status: 'Active' })
    await quest('GC5')
    await quest('GC5')
    expect((await steps(listener)).map((step) => step.slice(0, 3))).toEqual([
      ['Active', 'CapReached', 'told'],
      [null, 'Active', 'told'],
      ['Deleted', 'Active', 'told'],
      ['Draft', 'Active', 'published'],
    ])
  })

  test('reports a private quest only to the account that owns the space', async () => {
    const stranger = await hear()
    const owner = await hear({ accountId: OWNER })
    await quest('GC6', { status: 'Active', isPrivate: true })
    await quest('GC7', { status: 'Active', spaceId: 41 })
    expect(await stranger.heard()).toEqual([])
    expect((await owner.heard()).map(({ data }) => data.questId)).toEqual(['GC6'])
  })
})
