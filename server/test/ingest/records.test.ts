import { afterAll, beforeAll, expect, test } from 'vitest'
import { MINUTE } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import type { KindName } from '../../src/ingest/kinds.ts'
import { ImportRefusedError } from '../../src/ingest/problems.ts'
import type { Records } from '../../src/ingest/records.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`
const everything: { [K in KindName]: Records[K][] } = {
  spaces: [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one', description: 'Tab\there, line\nthere, back\\slash' },
  ],
  sprints: [{ spaceId: 40, sprintId: 1, name: 'One', startTime: '2026-11-01T00:00:00Z', endTime: 1_798_761_600 }],
  points: [
    { spaceId: 40, address: A, points: 5, username: 'alice' },
    { spaceId: 40, sprintId: 1, address: A, points: 3 },
    { spaceId: 41, address: 'Bob', points: -7 },
  ],
  awards: [{ key: 'order 1', spaceId: 41, address: B, points: 2 }],
  starboards: [{ id: '1', name: 'Board', type: 'TWITTER', tags: ['a,b', '"quoted"', 'back\\slash'] }],
  users: [{ starboardId: '1', username: 'Alice', followersCount: 12, verifiedType: 'blue' }],
  samples: [{ starboardId: '1', handle: '@Bob', sampledAt: 1_763_700_000, score: 1.5 }],
  links: [{ starboardId: '1', evmAddress: A, handle: 'ALICE' }],
  credentials: [{ id: 123_456_789_012_345_678n, name: 'Cred', credType: 'EVM_ADDRESS', credSource: 'CSV' }],
  holders: [
    { credentialId: '123456789012345678', address: A },
    { credentialId: '123456789012345678', address: A.replaceAll('a', 'A') },
  ],
  quests: [
    {
      id: 'GC1',
      spaceId: 40,
      name: 'Quest',
      type: 'Drop',
      cap: 2,
      credentialGroups: [
        {
          conditionRelation: 'ALL',
          conditions: [{ credentialId: '123456789012345678' }],
          rewards: [{ rewardType: 'OAT', rewardCount: 1 }],
        },
      ],
    },
  ],
  participants: [
    { questId: 'GC1', address: A },
    { questId: 'GC1', address: A },
  ],
}

let database: TestDatabase
const clock = testClock()
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function importAll(): Promise<Record<string, { added: number; changed: number }>> {
  const reports: Record<string, { added: number; changed: number }> = {}
  for (const kind of Object.keys(everything) as KindName[]) {
    const { added, changed } = await importRecords({ database, clock }, kind, everything[kind] as never)
    reports[kind] = { added, changed }
  }
  return reports
}

/**
 * Every row of every table as text, with the transaction that wrote it, so that a rewritten row differs. A cluster does not
 * return the transactions of distributed rows.
 */
async function everyRow(except: string[]): Promise<Record<string, string[]>> {
  const tables = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  const rows: Record<string, string[]> = {}
  for (const { name } of tables.filter((table) => !except.includes(table.name)))
    rows[name] = (
      await database.query<{ row: string }>(
        `SELECT ${isCluster() ? '' : `xmin || ' ' || `}t::text AS row FROM ${name} t ORDER BY 1`,
      )
    ).map(({ row }) => row)
  return rows
}

test('changes no row and uses no version for the same records', async () => {
  const first = await importAll()
  expect(first).toMatchObject({ points: { added: 3, changed: 0 }, holders: { added: 1 }, participants: { added: 1 } })
  // The import of holders updates `last_sync` of the credential.
  const before = await everyRow(['credentials'])
  clock.advance(MINUTE)
  const second = await importAll()
  for (const kind of Object.keys(second)) expect(second[kind], kind).toEqual({ added: 0, changed: 0 })
  expect(await everyRow(['credentials'])).toEqual(before)
})

test('stores the values of the records exactly', async () => {
  expect(
    await database.query(
      `SELECT space_id, sprint_id, address, points, username FROM board_entries
       WHERE address <> $1 ORDER BY space_id, sprint_id`,
      [B],
    ),
  ).toEqual([
    { space_id: 40, sprint_id: 0, address: A, points: 5, username: 'alice' },
    { space_id: 40, sprint_id: 1, address: A, points: 3, username: 'alice' },
    { space_id: 41, sprint_id: 0, address: 'bob', points: -7, username: '9f9d51bc70' },
  ])
  expect(await database.query(`SELECT description FROM spaces WHERE space_id = 41`)).toEqual([
    { description: 'Tab\there, line\nthere, back\\slash' },
  ])
  expect(await database.query(`SELECT tags FROM starboards`)).toEqual([{ tags: ['a,b', '"quoted"', 'back\\slash'] }])
  expect(await database.query(`SELECT credential_id::text AS id, item_count FROM credentials`)).toEqual([
    { id: '123456789012345678', item_count: 1 },
  ])
  expect(await database.query(`SELECT group_id, expression, credential_id::text AS id FROM quest_conditions`)).toEqual([
    { group_id: '1', expression: 'Cred', id: '123456789012345678' },
  ])
  expect(await database.query(`SELECT start_time, end_time FROM sprints`)).toEqual([
    { start_time: new Date('2026-11-01T00:00:00Z'), end_time: new Date('2027-01-01T00:00:00Z') },
  ])
})

test('reports every problem with record, field and allowed values, and stores nothing', async () => {
  const before = await everyRow([])
  const refused = importRecords({ database, clock }, 'points', [
    { spaceId: 40, address: B, points: 1 },
    { spaceId: 99, address: B, points: 1 },
    { spaceId: 40, sprintId: 9, address: B, points: 3_000_000_000 },
    { spaceId: 40, sprintId: 9, address: B, points: 2 },
    { spaceId: 40, address: '', points: 1, wallet: B } as never,
    { spaceId: 40, address: B.toUpperCase().replace('X', 'x'), points: 2 },
  ])
  await expect(refused).rejects.toThrow(ImportRefusedError)
  expect(((await refused.catch((error: ImportRefusedError) => error)) as ImportRefusedError).problems).toEqual([
    {
      line: 2,
      field: 'spaceId',
      reason: '"99" is not a known space; import it first',
      code: 'NOT_FOUND',
      fault: { code: 'unknown_reference', parameters: { value: '99' } },
    },
    {
      line: 3,
      field: 'points',
      reason: '"3000000000" is not allowed; allowed: a whole number from -2147483648 to 2147483647',
      fault: { code: 'out_of_range', parameters: { min: -2_147_483_648, max: 2_147_483_647 } },
    },
    {
      line: 4,
      field: 'sprintId',
      reason: 'sprint 9 of space 40 is not known; import it first (kind sprints)',
      fault: { code: 'unknown_reference', parameters: { value: '9' } },
      code: 'NOT_FOUND',
    },
    {
      line: 5,
      field: 'wallet',
      reason: 'is not a field of this kind; allowed: spaceId, sprintId, address, points, username, avatar',
      fault: {
        code: 'not_a_column',
        parameters: { allowed: ['spaceId', 'sprintId', 'address', 'points', 'username', 'avatar'] },
      },
    },
    {
      line: 5,
      field: 'address',
      reason: 'is missing; allowed: an address or name of 1 to 90 bytes, without control characters',
      fault: { code: 'missing', parameters: {} },
    },
    {
      line: 6,
      field: 'address',
      reason: 'has the same key as line 1; a key may occur once in a file',
      fault: { code: 'same_as_line', parameters: { line: 1 } },
      code: 'CONFLICT',
    },
  ])
  expect(await everyRow([])).toEqual(before)
})
