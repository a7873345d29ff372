import type { RawBuilder } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// Loads every module of the request path, which declares its statements.
import '../../../src/app.ts'
import { declaredStatements } from '@questboard/pg-read-pipeline'
import { systemClock } from '../../../src/clock.ts'
import { claimsQuery, participantsQuery } from '../../../src/content/quests/participants.queries.ts'
import { readNewest } from '../../../src/ledger/read-entries.ts'
import { readReversalStates } from '../../../src/ledger/reversals.ts'
import { membersQuery } from '../../../src/snapshots/sources.queries.ts'
import { shortIdQuery } from '../../../src/search/search.queries.ts'
import { CROWD, crowd } from '../../support/crowd.ts'
import { createTestDatabase } from '../../support/database.ts'
import { statementsOf } from '../../support/statements.ts'

const TOKEN = '00000000-0000-4000-8000-000000000002'
const HASH = `\\x${'ab'.repeat(32)}`
const HOLDER = `0x${'0'.repeat(36)}1234`
const NOW = '2026-11-21T12:00:00Z'

/** Values for every statement, as requests send them. */
const values: Record<string, (string | number)[]> = {
  'token.by-hash': [`{"${HASH.replace('\\', '\\\\')}"}`],
  'quota.lease': [TOKEN, 'day', 20_000, 1_000, 100],
  'boards.responds': [40],
  'webhooks.listened': ['space:40', '{points.awarded}'],
  'holders.holds': [500, HOLDER, HOLDER],
  'holders.holds-linked': [500, HOLDER, HOLDER, 'Discord'],
  'holders.linked-names': [HOLDER, 'Discord'],
  'claims.credentials': ['{500}'],
  'claims.participation': ['GC77', `{${HOLDER}}`, TOKEN],
  'claims.owner-responds-0': [HOLDER],
  'claims.owner-responds-1': [HOLDER],
  'claims.quest': ['GC77'],
  'claims.quest-space': ['GC77'],
  'claims.read-conditions': ['GC77'],
  'claims.read-credential': [500],
  'verify.condition': ['GC77', 500],
  'verify.credential': [500],
  'verify.checks': [500, `{${HOLDER}}`, NOW],
  'public-pages.space-of-slug': ['forty'],
  'public-pages.version-of-board': [40, 1],
  'public-pages.version-of-quests': [40],
  'credential.by-id': [500],
  'credential.campaign': ['GC77', 500],
  'quest.by-id': ['GC77'],
  'quest.any-due': [NOW],
  'quest.catalogue': [0, '{}', '{}'],
  'quest.page': [5, '{}', '{}', NOW, 'GC77', 21],
  'quest.page-of-space': [5, '{Active}', '{Drop}', NOW, 'GC77', 21, 40],
  'quest.starts': [5, '{}', NOW, 'GC77', 21],
  'quest.starts-of-space': [5, '{Drop}', NOW, 'GC77', 21, 40],
  'quest.groups': ['GC77'],
  'quest.conditions': ['GC77'],
  'quest.credential-kind': [500],
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
  'space.member-rank': [40, 0, HOLDER],
  'space.member-ranks': [40, 0, `{${HOLDER},nobody}`],
  'space.around': [40, 0, HOLDER, 50],
  'space.changes': [40, 0, 2_000, 0, 2_000, 0, 1_999, NOW, '2026-11-20T12:00:00Z', 51],
  'space.sprints': [40],
  'space.history': [40, HOLDER, TOKEN, Number.MAX_SAFE_INTEGER, 0, 51],
  'space.history-before': [40, HOLDER, TOKEN, 2_000, 1, 51],
  'space.sprint-history': [40, HOLDER, TOKEN, Number.MAX_SAFE_INTEGER, 0, 51, 1],
  'space.sprint-history-before': [40, HOLDER, TOKEN, 2_000, 1, 51, 1],
  'starboard.by-id': ['1'],
  'starboard.current-ranking': ['1'],
  'starboard.page': ['1', 5, '9000', 'user_77', 51],
  'token.publishable-by-hash': [`{"${HASH.replace('\\', '\\\\')}"}`],
  'persisted-document.by-hash': [TOKEN, HASH],
  'starboard.user': ['1', 5, 'user_77'],
  'starboard.linked-user': ['1', HOLDER],
  'starboard.owner-of': [HOLDER, 'EVMAddress'],
  'starboard.shown-of': [TOKEN],
  'health.alive': [],
  'team.member': [40, TOKEN],
}

/** Statements of other routes; their own tests check them. */
const elsewhere = /^(attempts|identity|ingest-token|oauth|operator|sync|test)\./

interface Plan {
  'Node Type': string
  'Plan Rows': number
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
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

async function planOfQuery(query: RawBuilder<unknown>): Promise<Plan[]> {
  const { sql, parameters } = query.compile(database.kysely)
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${sql}`, [
    ...parameters,
  ])
  return flat((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan)
}

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)]
}

const statements = declaredStatements()
  .map(({ name }) => name)
  .filter((name) => !elsewhere.test(name))

test('lists values for every statement of the query service', () => {
  expect(statements.toSorted()).toEqual(Object.keys(values).toSorted())
})

test('fills the tables of the query service with many rows', () => {
  for (const table of [
    'board_entries',
    'board_past',
    'boards',
    'credential_holders',
    'credentials',
    'entries_2026_11',
    'linked_names',
    'other_board_changes',
    'quest_conditions',
    'quest_listings',
    'quests',
    'server_tokens',
    'spaces',
    'starboard_entries',
    'starboard_links',
    'starboard_places',
    'starboard_users',
  ])
    expect(crowded, table).toContain(table)
  expect(CROWD).toBeGreaterThanOrEqual(50_000)
})

test('the look-up of a short ID is one index-only range scan of the board', async () => {
  const plan = await planOfQuery(shortIdQuery({ spaceId: 40 }, '0123456789', 1_000))
  const scans = plan.filter((node) => node['Relation Name'] !== undefined)
  expect(scans).toMatchObject([{ 'Node Type': 'Index Only Scan', 'Index Name': 'board_entries_by_rank' }])
  expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([])
})

async function fillQuest(): Promise<void> {
  await database.query(`INSERT INTO quest_participants
    SELECT 'GC77', 'p' || lpad(n::text, 6, '0'), timestamptz '${NOW}' FROM generate_series(1, 20000) n ON CONFLICT DO NOTHING`)
  await database.query(`INSERT INTO quest_claims
    SELECT quest_id, address, NULL, NULL, 5, 0, joined_at FROM quest_participants WHERE quest_id = 'GC77'
    ON CONFLICT DO NOTHING`)
  await database.query('ANALYZE quest_participants, quest_claims')
}

test('a page of participants reads ranges and addresses of the primary keys', async () => {
  await fillQuest()
  const addresses = Array.from({ length: 1_000 }, (_, index) => `other-${index}`)
  const page = { after: 'p000100', limit: 51 }
  for (const query of [
    participantsQuery('GC77', page),
    participantsQuery('GC77', { ...page, among: { addresses, beginnings: ['p01', 'P01'] } }),
    claimsQuery('GC77', addresses.slice(0, 51)),
  ]) {
    const scans = (await planOfQuery(query)).filter((node) => node['Index Cond'] ?? node['Relation Name'])
    expect(scans).not.toEqual([])
    for (const scan of scans.filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')) {
      expect(scan['Index Name']).toMatch(/_pkey$/)
      expect(scan['Index Cond']).toContain('(address ')
    }
  }
})

test('the first members of a snapshot come in the order of the indexes', async () => {
  await fillQuest()
  const source = { name: 'Space', asOf: new Date(NOW), spaceId: 40 }
  const wanted = [
    [membersQuery({ ...source, kind: 'space', sprintId: 0, version: 3 }, { limit: 20 }), 'board_'],
    [membersQuery({ ...source, kind: 'space', sprintId: 0, version: 3 }, { limit: 20, leftOut: true }), 'board_'],
    [membersQuery({ ...source, kind: 'credential', credentialId: '500', generation: 1 }, { limit: 20 }), 'credential_'],
    [membersQuery({ ...source, kind: 'quest', questId: 'GC77' }, { limit: 20 }), 'quest_'],
  ] as const
  for (const [query, tables] of wanted) {
    const plan = await planOfQuery(query)
    const scans = plan.filter((node) => node['Relation Name']?.startsWith(tables))
    expect(scans).not.toEqual([])
    for (const scan of scans) expect(scan['Node Type']).toMatch(/^Index (Only )?Scan$/)
    for (const sort of plan.filter((node) => node['Node Type'].includes('Sort')))
      expect(sort['Plan Rows']).toBeLessThanOrEqual(40)
  }
})

/** A ledger of 100,000 entries with later changes of many of them, in addition to those of the crowd. */
async function fillLedger(spaceId: number): Promise<void> {
  await database.query(`INSERT INTO ledger_entries (space_id, sprint_id, version, entered_at, position, points_after,
      sprint_after, source, address, reverses, award, pending)
    SELECT ${spaceId}, n % 2, n, timestamptz '2026-10-02Z' + n * interval '30 seconds', 1, n, n % 2,
      CASE n % 50 WHEN 0 THEN 'reversal' WHEN 1 THEN 'availability' WHEN 2 THEN 'removal' ELSE 'award' END,
      'm' || n % 10, CASE n % 50 WHEN 0 THEN n - 3 || '-1' END, CASE n % 50 WHEN 1 THEN n - 4 || '-1' END,
      CASE n % 10 WHEN 7 THEN 5 END
    FROM generate_series(1, 100000) AS n`)
  await database.query(`INSERT INTO timed_awards (space_id, version, position, entered_at, sprint_id, address, available, due_at)
    SELECT space_id, version, position, entered_at, sprint_id, address, version % 20 = 7, '2030-01-01'
    FROM ledger_entries WHERE space_id = ${spaceId} AND pending IS NOT NULL`)
  await database.query(`UPDATE space_versions SET version = 100000 WHERE space_id = ${spaceId}`)
  await database.query('VACUUM ANALYZE ledger_entries')
  await database.query('VACUUM ANALYZE timed_awards')
}

test('a page of the ledger looks up the later changes of its entries in indexes', async () => {
  const spaceId = 41
  await fillLedger(spaceId)
  const { entries } = await readNewest(
    database.kysely,
    { spaceId },
    { before: { version: 10_000, position: 0 }, first: 50 },
    systemClock,
  )
  expect(entries).toHaveLength(50)
  const statements = await statementsOf(database, async (kysely) => {
    await readReversalStates(kysely, spaceId, entries)
  })
  for (const { sql, parameters } of statements) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [
      ...parameters,
    ])
    const scans = flat((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'])
    const read = scans.map((node) => {
      const { 'Actual Rows': found = 0, 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops = 0 } = node
      return (found + removed) * loops
    })
    expect(scans, sql).not.toEqual([])
    expect(sum(read), sql).toBeLessThanOrEqual(2 * entries.length)
  }
  expect(statements.filter(({ sql }) => sql.includes('ledger_entries')).length).toBeGreaterThanOrEqual(5)
})

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0)

describe.each(['force_custom_plan', 'force_generic_plan'] as const)('with plan_cache_mode = %s', (mode) => {
  test.each(statements)('%s scans no large table sequentially', async (name) => {
    const scans = (await planOf(name, mode)).filter(
      (node) => node['Node Type'] === 'Seq Scan' && crowded.has(node['Relation Name'] ?? ''),
    )
    expect(scans).toEqual([])
  })

  test.each(['space.first-page', 'space.page-after', 'space.page-before'])(
    '%s is one index-only range scan of the board without a sort',
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
    '%s merges two range scans, of current and past entries, without a sort',
    async (name) => {
      const plan = await planOf(name, mode)
      const boards = plan.filter((node) => node['Relation Name']?.startsWith('board_'))
      expect(boards.map((node) => node['Index Name']).toSorted()).toEqual(['board_entries_by_rank', 'board_past_pkey'])
      for (const { 'Index Cond': range } of boards)
        expect(range).toMatch(/ROW\(descent, address\) [<>] ROW\(.*descent [<>]= .*born <= /)
      expect(plan.filter((node) => node['Node Type'].includes('Sort'))).toEqual([])
    },
  )

  test('space.around reads both sides of the member with range scans without a sort', async () => {
    const plan = await planOf('space.around', mode)
    const sides = plan.filter((node) => node['Index Cond']?.includes('ROW(descent, address)'))
    expect(sides.map((node) => node['Index Name'])).toEqual(['board_entries_by_rank', 'board_entries_by_rank'])
    expect(sides[0]?.['Index Cond']).not.toBe(sides[1]?.['Index Cond'])
  })

  test.each(['space.history', 'space.history-before', 'space.sprint-history', 'space.sprint-history-before'])(
    '%s reads the entries of the member from each partition in their order',
    async (name) => {
      const plan = await planOf(name, mode)
      const entries = plan.filter((node) => node['Relation Name']?.startsWith('entries_'))
      expect(entries.map((node) => node['Index Cond'])).toEqual(
        Array(2).fill(expect.stringMatching(/space_id = .*address = .*version [<>]=/)),
      )
      // Only entries of one version need a sort. A planner that expects few entries sorts all of them.
      if (mode === 'force_generic_plan') expect(plan.map((node) => node['Node Type'])).not.toContain('Sort')
    },
  )

  test('space.changes reads ranges of changes in their order, and looks each member up', async () => {
    const plan = await planOf('space.changes', mode)
    const indexOf = (table: string) => plan.filter((node) => node['Relation Name']?.startsWith(table))
    for (const node of [...indexOf('entries_'), ...indexOf('other_board_changes')])
      expect(node['Index Cond']).toMatch(/space_id = .*ROW\(version, "position"\) >= ROW\(/)
    expect(indexOf('entries_')).not.toEqual([])
    expect(indexOf('board_entries').map((node) => node['Index Name'])).toEqual(['board_entries_pkey'])
  })

  test('space.ties-before reads only the members with the same points', async () => {
    const [board] = (await planOf('space.ties-before', mode)).filter(
      (node) => node['Relation Name'] === 'board_entries',
    )
    expect(board?.['Node Type']).toBe('Index Only Scan')
    expect(board?.['Index Cond']).toMatch(/descent = .*address < /)
  })

  test('holders.holds looks up the address and its account, without a join', async () => {
    const plan = await planOf('holders.holds', mode)
    const scans = plan.filter((node) => ['credential_holders', 'linked_names'].includes(node['Relation Name'] ?? ''))
    expect(scans.map((node) => [node['Node Type'], node['Index Cond']])).toEqual([
      ['Index Only Scan', expect.stringMatching(/credential_id = .*generation = .*address = /)],
      ['Index Only Scan', expect.stringMatching(/^\(name = /)],
    ])
  })

  test('holders.holds-linked looks up the address, its account, and each linked name with the whole key', async () => {
    const plan = await planOf('holders.holds-linked', mode)
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

  test.each(['starboard.page', 'starboard.user'])(
    '%s reads ranges of the entries in their order, and looks places and users up',
    async (name) => {
      const plan = await planOf(name, mode)
      const scans = plan.filter((node) => node['Relation Name'] !== undefined)
      for (const { 'Node Type': type } of scans) expect(type).toMatch(/^Index (Only )?Scan$/)
      const ranges = scans.flatMap((node) => (node['Index Cond']?.includes('ROW(descent') ? node['Index Name'] : []))
      expect([...new Set(ranges)].sort()).toEqual(['starboard_entries_pkey', 'starboard_places_pkey'])
      const hashed = scans.some((node) => node['Index Name'] === 'starboard_entries_of_user')
      expect(hashed).toBe(name === 'starboard.user')
    },
  )

  test.each(['quest.page', 'quest.page-of-space'])(
    '%s is a range scan of the listings in their order',
    async (name) => {
      const plan = await planOf(name, mode)
      const listings = plan.filter((node) => node['Relation Name'] === 'quest_listings')
      expect(listings.map((node) => node['Node Type'])).toEqual(['Index Only Scan'])
      expect(listings[0]?.['Index Cond']).toMatch(/created_at <= /)
    },
  )

  test.each(['quest.starts', 'quest.starts-of-space'])('%s reads only quests that have not started', async (name) => {
    const plan = await planOf(name, mode)
    const listings = plan.filter((node) => node['Relation Name'] === 'quest_listings')
    expect(listings.map((node) => node['Index Name'])).toEqual(['quest_listings_by_start'])
    expect(listings[0]?.['Index Cond']).toMatch(/COALESCE.* >= /)
  })
})
