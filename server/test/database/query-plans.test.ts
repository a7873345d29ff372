import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// Loads every module of the request path, and with them their statements.
import '../../src/app.ts'
import { declaredStatements } from '@questboard/pg-read-pipeline'
import { CROWD, crowd } from '../support/crowd.ts'
import { createTestDatabase } from '../support/database.ts'

const TOKEN = '00000000-0000-4000-8000-000000000002'
const HASH = `\\x${'ab'.repeat(32)}`
const HOLDER = `0x${'0'.repeat(36)}1234`
const NOW = '2026-11-21T12:00:00Z'

/** Values of every statement, as a request would send them. */
const values: Record<string, (string | number)[]> = {
  'token.by-hash': [`{"${HASH.replace('\\', '\\\\')}"}`],
  'quota.lease': [TOKEN, 'day', 20_000, 1_000, 100],
  'holders.holds': [500, HOLDER, HOLDER, 'Discord'],
  'holders.linked-names': [HOLDER, 'Discord'],
  'credential.by-id': [500],
  'credential.campaign': ['GC77', 500],
  'quest.by-id': ['GC77'],
  'quest.any-due': [NOW],
  'quest.catalogue': [0, '{}', '{}'],
  'quest.page': [5, '{}', '{}', NOW, 'GC77', 21],
  'quest.page-of-space': [5, '{Active}', '{Drop}', NOW, 'GC77', 21, 40],
  'quest.groups': ['GC77'],
  'quest.conditions': ['GC77'],
  'quest.rewards': ['GC77'],
  'space.by-id': [40],
  'space.exists': [40, 1],
  'space.first-page': [40, 0, 51],
  'space.page-after': [40, 0, 5, 9_000, HOLDER, 51],
  'space.page-before': [40, 0, 5, 9_000, HOLDER, 50],
  'space.version': [40],
  'space.past-page-after': [40, 0, 3, 9_000, HOLDER, 51, ~8_500],
  'space.past-page-before': [40, 0, 3, 9_000, HOLDER, 50, ~9_500],
  'space.ties-before': [40, 0, 5, 9_000, HOLDER],
  'starboard.by-id': ['1'],
  'starboard.current-ranking': ['1'],
  'starboard.page': ['1', 5, 10_000, 51],
  'starboard.user': ['1', 5, 'user_77'],
  'starboard.linked-user': ['1', HOLDER],
  'starboard.owner-of': [HOLDER, 'EVMAddress'],
  'starboard.shown-of': [TOKEN],
  'health.alive': [],
}

/** Declared by other doors than the query: their own tests look at them. */
const elsewhere = /^(attempts|identity|ingest-token|oauth|operator|sync|test)\./

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Plan[]
}

const database = await createTestDatabase()
const client = new Client(database.connection)
let crowded: Set<string>

beforeAll(async () => {
  await client.connect()
  await crowd(database)
  const rows = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples > 1500`,
  )
  crowded = new Set(rows.map(({ name }) => name))
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

async function planOf(name: string, mode: 'force_custom_plan' | 'force_generic_plan'): Promise<Plan[]> {
  const text = declaredStatements().find((one) => one.name === name)?.text ?? ''
  const given = (values[name] ?? []).map((value) => client.escapeLiteral(String(value)))
  await client.query(`DEALLOCATE ALL`)
  await client.query(`SET plan_cache_mode = ${mode}`)
  await client.query(`PREPARE one AS ${text}`)
  const execute = given.length === 0 ? 'EXECUTE one' : `EXECUTE one (${given.join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${execute}`)
  return flat((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan)
}

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)]
}

const statements = declaredStatements()
  .map(({ name }) => name)
  .filter((name) => !elsewhere.test(name))

test('every statement of the query is looked at', () => {
  expect(statements.toSorted()).toEqual(Object.keys(values).toSorted())
})

test('the tables of the query are crowded', () => {
  for (const table of [
    'board_entries',
    'board_past',
    'boards',
    'credential_holders',
    'credentials',
    'linked_names',
    'quest_conditions',
    'quest_listings',
    'quests',
    'server_tokens',
    'spaces',
    'starboard_links',
    'starboard_ranks',
    'starboard_users',
  ])
    expect(crowded, table).toContain(table)
  expect(CROWD).toBeGreaterThanOrEqual(50_000)
})

describe.each(['force_custom_plan', 'force_generic_plan'] as const)('with plan_cache_mode = %s', (mode) => {
  test.each(statements)('%s scans no large table from one end to the other', async (name) => {
    const scans = (await planOf(name, mode)).filter(
      (node) => node['Node Type'] === 'Seq Scan' && crowded.has(node['Relation Name'] ?? ''),
    )
    expect(scans).toEqual([])
  })

  test.each(['space.first-page', 'space.page-after', 'space.page-before'])(
    '%s is one index-only scan of the board from its place on, without a sort',
    async (name) => {
      const plan = await planOf(name, mode)
      const boards = plan.filter((node) => node['Relation Name'] === 'board_entries')
      expect(boards).toHaveLength(1)
      expect(boards[0]).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': 'board_entries_by_rank' })
      expect(boards[0]?.['Index Cond']).toMatch(/space_id = .*sprint_id = /)
      if (name !== 'space.first-page') expect(boards[0]?.['Index Cond']).toMatch(/ROW\(descent, address\) [<>] ROW\(/)
      expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([])
    },
  )

  test.each(['space.past-page-after', 'space.past-page-before'])(
    '%s merges two ranges of the order of the board, of those who stand and those who stood, without a sort',
    async (name) => {
      const plan = await planOf(name, mode)
      const boards = plan.filter((node) => node['Relation Name']?.startsWith('board_'))
      expect(boards.map((node) => node['Index Name']).toSorted()).toEqual(['board_entries_by_rank', 'board_past_pkey'])
      for (const { 'Index Cond': range } of boards)
        expect(range).toMatch(/ROW\(descent, address\) [<>] ROW\(.*descent [<>]= .*born <= /)
      expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([])
    },
  )

  test('space.ties-before reads only the members with the same points', async () => {
    const [board] = (await planOf('space.ties-before', mode)).filter(
      (node) => node['Relation Name'] === 'board_entries',
    )
    expect(board?.['Node Type']).toBe('Index Only Scan')
    expect(board?.['Index Cond']).toMatch(/descent = .*address < /)
  })

  test('holders.holds looks up the address, its account, and each linked name with the whole key', async () => {
    const plan = await planOf('holders.holds', mode)
    const holders = plan.filter((node) => node['Relation Name'] === 'credential_holders')
    expect(holders).toHaveLength(2)
    for (const node of holders) {
      expect(node['Node Type']).toBe('Index Only Scan')
      expect(node['Index Cond']).toMatch(/credential_id = .*generation = .*address = /)
      expect(node.Filter).toBeUndefined()
    }
    const names = plan.filter((node) => node['Relation Name'] === 'linked_names')
    const conditions = names.map((node) => node['Index Cond'])
    expect(conditions).toEqual([expect.stringMatching(/^\(name = /), expect.stringMatching(/account_id = .*kind = /)])
    expect(names[1]?.['Node Type']).toBe('Index Only Scan')
  })

  test('starboard.page reads the ranks from its position on, without a sort', async () => {
    const plan = await planOf('starboard.page', mode)
    const ranks = plan.find((node) => node['Index Cond']?.includes('"position" >'))
    expect(ranks?.['Index Cond']).toMatch(/starboard_id = .*version = /)
    expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([])
  })

  test.each(['quest.page', 'quest.page-of-space'])(
    '%s reads the listings in their order, from its place on',
    async (name) => {
      const plan = await planOf(name, mode)
      const listings = plan.filter((node) => node['Relation Name'] === 'quest_listings')
      expect(listings.map((node) => node['Node Type'])).toEqual(['Index Only Scan'])
      expect(listings[0]?.['Index Cond']).toMatch(/created_at <= /)
    },
  )
})
