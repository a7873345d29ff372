import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { QuestRecord } from '../../../src/ingest/records.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { problemsOf } from '../files.ts'

const clock = testClock()
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  clock.set('2026-11-21T12:00:00Z')
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, other_board_changes, board_moves, credentials, quest_listings CASCADE',
  )
  await importRecords({ database, clock }, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords({ database, clock }, 'credentials', [
    { id: 5, name: 'Five', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    { id: '9007199254740993', name: 'Beyond', credType: 'EVM_ADDRESS', credSource: 'CSV' },
  ])
})

const quest = (rest: Partial<QuestRecord> = {}): QuestRecord => ({
  id: 'Q',
  spaceId: 40,
  name: 'Quest',
  type: 'Drop',
  ...rest,
})
const importQuests = (...records: QuestRecord[]) => importRecords({ database, clock }, 'quests', records)
const join = (addresses: string[], questId = 'Q') =>
  importRecords(
    { database, clock },
    'participants',
    addresses.map((address) => ({ questId, address })),
  )
async function stored(id = 'Q') {
  const [row] = await database.query<{ status: string; auto_status: boolean; participants_count: number; cap: number }>(
    'SELECT status, auto_status, participants_count, cap FROM quests WHERE quest_id = $1',
    [id],
  )
  return { status: row?.status, auto: row?.auto_status, count: row?.participants_count }
}
const transitions = () =>
  database.query('SELECT from_status AS "from", to_status AS "to", reason FROM quest_transitions ORDER BY at, reason')
async function listed(): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `SELECT quest_id || ' ' || status AS line FROM quest_listings WHERE died = 9223372036854775807 ORDER BY 1`,
  )
  return rows.map((row) => row.line)
}

describe('the status of a quest', () => {
  const yesterday = new Date(Date.parse('2026-11-20T12:00:00Z'))
  const tomorrow = new Date(Date.parse('2026-11-22T12:00:00Z'))

  test('stays as the file sets it, regardless of time and cap', async () => {
    await importQuests(quest({ status: 'Active', endTime: yesterday }))
    expect(await stored()).toEqual({ status: 'Active', auto: false, count: 0 })
  })

  test.each([
    ['Active', {}],
    ['NotStarted', { startTime: tomorrow }],
    ['Expired', { endTime: yesterday }],
    ['CapReached', { cap: 10, participantsCount: 10 }],
  ])('follows from time and cap if the file sets none: %s', async (status, rest) => {
    await importQuests(quest(rest))
    expect(await stored()).toMatchObject({ status, auto: true })
    expect(await listed()).toEqual([`Q ${status}`])
  })

  test('autoStatus computes it from the given status', async () => {
    await importQuests(quest({ status: 'Active', autoStatus: true, endTime: yesterday }))
    expect(await stored()).toMatchObject({ status: 'Expired', auto: true })
  })

  test('stays if a later file does not contain it, and changes if it does', async () => {
    await importQuests(quest({ status: 'Active' }))
    await importQuests(quest({ name: 'Another name' }))
    expect(await stored()).toMatchObject({ status: 'Active', auto: false })
    clock.advance(MINUTE)
    await importQuests(quest({ status: 'Deleted' }))
    expect(await listed()).toEqual([])
    expect(await transitions()).toEqual([{ from: 'Active', to: 'Deleted', reason: 'told' }])
  })

  test('becomes automatic with an empty status, and fixed with autoStatus: false', async () => {
    await importQuests(quest({ status: 'Active', endTime: yesterday }))
    await importQuests(quest({ status: null }))
    expect(await stored()).toMatchObject({ status: 'Expired', auto: true })
    await importQuests(quest({ autoStatus: false }))
    expect(await stored()).toMatchObject({ status: 'Expired', auto: false })
  })

  test('must be in the file if a new quest has autoStatus: false', async () => {
    expect(await problemsOf(importQuests(quest({ autoStatus: false })))).toEqual([
      'line 1, status: is missing; allowed: a status, when autoStatus is false',
    ])
  })

  test('hides draft and private quests from the list until they are published', async () => {
    await importQuests(quest({ status: 'Draft' }), quest({ id: 'P', isPrivate: true, status: 'Active' }))
    expect(await listed()).toEqual([])
    await importQuests(quest({ status: 'Draft', autoStatus: true }), quest({ id: 'P', isPrivate: false }))
    expect(await listed()).toEqual(['P Active', 'Q Active'])
  })
})

describe('participants', () => {
  test('count once each', async () => {
    await importQuests(quest())
    expect(await join(['ann', 'Ann', 'bob'])).toMatchObject({ read: 3, added: 2 })
    expect(await join(['bob', 'cat'])).toMatchObject({ added: 1 })
    expect(await stored()).toMatchObject({ count: 3 })
  })

  test('are at least the imported participantsCount', async () => {
    await importQuests(quest({ participantsCount: 3 }))
    await join(['ann', 'bob'])
    expect(await stored()).toMatchObject({ count: 3 })
    await join(['cat', 'dan'])
    expect(await stored()).toMatchObject({ count: 4 })
    await importQuests(quest({ participantsCount: 1 }))
    expect(await stored()).toMatchObject({ count: 4 })
  })

  test('the import rejects those above the cap per line; the last one below it sets CapReached', async () => {
    await importQuests(quest({ cap: 3 }))
    await join(['ann'])
    expect(await problemsOf(join(['ann', 'bob', 'bob', 'cat', 'dan', 'eve']))).toEqual([
      'line 5, questId: exceeds the cap: Q takes at most 3',
      'line 6, questId: exceeds the cap: Q takes at most 3',
    ])
    expect(await stored()).toMatchObject({ count: 1, status: 'Active' })
    await join(['bob', 'cat'])
    expect(await stored()).toMatchObject({ count: 3, status: 'CapReached' })
    expect(await listed()).toEqual(['Q CapReached'])
  })

  test('the import rejects those of an unknown quest', async () => {
    expect(await problemsOf(join(['ann'], 'X'))).toEqual(['line 1, questId: "X" is not a known quest; import it first'])
  })
})

describe('credential groups', () => {
  const group = {
    conditionRelation: 'ALL' as const,
    conditions: [{ credentialId: 5 }, { credentialId: '9007199254740993', expression: 'is beyond' }],
    rewards: [{ rewardType: 'OAT', rewardCount: 1 }],
  }
  const parts = () =>
    database.query(
      `SELECT g.group_id, g.position, c.position AS at, c.expression, c.credential_id::text AS credential
       FROM quest_credential_groups g JOIN quest_conditions c USING (quest_id, group_id) ORDER BY 2, 3`,
    )

  test('keep order and exact ids; a missing expression becomes the name of the credential', async () => {
    await importQuests(
      quest({
        credentialGroups: [
          { id: 'z', ...group },
          { ...group, conditions: [] },
        ],
      }),
    )
    expect(await parts()).toEqual([
      { group_id: 'z', position: 1, at: 1, expression: 'Five', credential: '5' },
      { group_id: 'z', position: 1, at: 2, expression: 'is beyond', credential: '9007199254740993' },
    ])
    expect(await database.query('SELECT group_id FROM quest_credential_groups ORDER BY position')).toEqual([
      { group_id: 'z' },
      { group_id: '2' },
    ])
  })

  test('the file replaces them as a whole, and keeps them if it does not contain them', async () => {
    await importQuests(quest({ credentialGroups: [group, { ...group, id: 'b' }] }))
    expect(await importQuests(quest())).toMatchObject({ changed: 0 })
    expect(await parts()).toHaveLength(4)
    const other = { ...group, id: 'b', conditions: [{ credentialId: 5, expression: 'has it' }], rewards: [] }
    expect(await importQuests(quest({ credentialGroups: [other] }))).toMatchObject({ changed: 1 })
    expect(await parts()).toEqual([{ group_id: 'b', position: 1, at: 1, expression: 'has it', credential: '5' }])
    expect(await database.query('SELECT FROM quest_rewards')).toEqual([])
    expect(await importQuests(quest({ credentialGroups: [other] }))).toMatchObject({ added: 0, changed: 0 })
    expect(await importQuests(quest({ credentialGroups: [] }))).toMatchObject({ changed: 1 })
    expect(await database.query('SELECT FROM quest_credential_groups')).toEqual([])
  })

  test('report problems with their path', async () => {
    const wrong = [
      { ...group, conditionRelation: 'SOME', rewards: [{ rewardType: 'OAT', rewardCount: -1, note: 'x' }] },
      { ...group, id: 'b', conditions: [{ credentialId: 'five' }] },
    ]
    const [problem] = await problemsOf(importQuests(quest({ credentialGroups: wrong as never })))
    for (const place of ['[0].conditionRelation', '[0].rewards[0]', '[1].conditions[0].credentialId'])
      expect(problem).toContain(place)
    expect(problem).toContain('must be one of ALL, ANY')
    expect(problem).toContain('has the unknown field "note"; allowed: expression, rewardType, rewardCount')
    expect(problem).toContain('[0].rewards[0].rewardCount must be a whole number from 0 to 2147483647')
    expect(await problemsOf(importQuests(quest({ credentialGroups: 'no list' as never })))).toEqual([
      'line 1, credentialGroups: must be a list of at most 100 groups',
    ])
    const twice = [
      { ...group, id: 'a' },
      { ...group, id: 'a' },
    ]
    expect(await problemsOf(importQuests(quest({ credentialGroups: twice })))).toEqual([
      'line 1, credentialGroups: must give each group a different id',
    ])
    const unknown = [{ ...group, conditions: [{ credentialId: 6 }] }]
    expect(await problemsOf(importQuests(quest({ credentialGroups: unknown })))).toEqual([
      'line 1, credentialGroups: the credential "6" of a condition is not known; import it first',
    ])
  })
})

test('rejects an end before the stored start', async () => {
  await importQuests(quest({ startTime: '2026-11-21T00:00:00Z', status: 'Active' }))
  expect(await problemsOf(importQuests(quest({ endTime: '2026-11-20T00:00:00Z' })))).toEqual([
    'line 1, endTime: is before the start; allowed: the time of the start or later',
  ])
})

test('uses one version of the list for a thousand quests in one file', async () => {
  const many = Array.from({ length: 1_000 }, (_, n) =>
    quest({ id: `Q${n}`, createdAt: clock.now() / 1000 - (n * DAY) / 1e6 }),
  )
  const version = async () =>
    (await database.query<{ version: number }>('SELECT version FROM quest_catalogue'))[0]?.version ?? 0
  const before = await version()
  expect(await importQuests(...many)).toMatchObject({ added: 1_000 })
  expect(await listed()).toHaveLength(1_000)
  expect(await version()).toBe(before + 1)
  await importQuests(...many)
  expect(await version()).toBe(before + 1)
})
