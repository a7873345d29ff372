import { type CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findMembers } from '../../src/search/search.queries.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'
import { statementsOf } from '../support/statements.ts'

const MEMBERS = 60_000
const BEST = 2_000
const BEST_MEMBER = `0x${MEMBERS.toString(16).padStart(40, '0')}`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  // The order of addresses and names is the reverse of the order of ranks.
  await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (40, 'Space', now())`)
  await database.query(
    `INSERT INTO board_entries (space_id, sprint_id, points, address, born, username)
     SELECT 40, 0, n, '0x' || lpad(to_hex(n), 40, '0'), 1,
       CASE WHEN n % 10 = 9 THEN substr(md5('0x' || lpad(to_hex(n), 40, '0')), 1, 10) ELSE 'Member ' || n END
     FROM generate_series(1, $1::int) AS n`,
    [MEMBERS],
  )
  await database.query('VACUUM ANALYZE board_entries')
})
afterAll(() => database.drop())

const wanted = { addresses: [], beginnings: [], best: { count: BEST }, limit: 20 }

it('finds the best members by a beginning that the whole board has', async () => {
  const found = await findMembers(database.kysely, 40, { ...wanted, beginnings: ['0x000'] })
  expect(found.map(({ points }) => points)).toEqual(Array.from({ length: 20 }, (_, n) => MEMBERS - n))
})

it('finds the best members by name, and not by a short ID in place of a name', async () => {
  const find = (name: string) => findMembers(database.kysely, 40, { ...wanted, best: { count: BEST, name } })
  const found = await find('mEMBER')
  expect(found[0]).toMatchObject({ address: BEST_MEMBER, username: `Member ${MEMBERS}` })
  expect(found).toHaveLength(20)
  const [shortId] = await database.query<{ username: string }>(`SELECT username FROM board_entries WHERE points = $1`, [
    MEMBERS - 1,
  ])
  expect(await find(shortId?.username ?? '')).toEqual([])
})

it('finds a given address at any rank', async () => {
  const address = `0x${'1'.padStart(40, '0')}`
  expect(await findMembers(database.kysely, 40, { ...wanted, addresses: [address] })).toMatchObject([{ points: 1 }])
})

it.skipIf(isCluster())('reads a limited part of the board', async () => {
  const [statement] = await statementsOf(database, (kysely) =>
    findMembers(kysely, 40, {
      ...wanted,
      addresses: [BEST_MEMBER, 'nobody'],
      beginnings: ['0x000', '0x00'],
      best: { count: BEST, name: 'member' },
    }),
  )
  const scans = (await planOf(statement as CompiledQuery)).filter((node) => node['Relation Name'] !== undefined)
  expect(scans.map((node) => node['Index Name']).toSorted()).toEqual([
    'board_entries_by_rank',
    'board_entries_pkey',
    'board_entries_pkey',
    'board_entries_pkey',
  ])
  for (const { 'Actual Rows': rows, 'Rows Removed by Filter': removed = 0 } of scans)
    expect(rows + removed).toBeLessThanOrEqual(BEST)
})

interface Plan {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

async function planOf({ sql, parameters }: CompiledQuery): Promise<Plan[]> {
  const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
  const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    [...parameters],
  )
  return rows.flatMap((row) => flat(row['QUERY PLAN'][0].Plan))
}
