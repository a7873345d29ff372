import { afterAll, expect, it } from 'vitest'
import { sql } from 'kysely'
import { declaredWrites } from '../../src/database/prepared-write.ts'
import { beginAwards } from '../../src/ranking/awards.queries.ts'
import '../../src/ranking/board-totals.ts'
import { createTestDatabase, isCluster } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const addMembers = () =>
  database.query(`INSERT INTO board_entries (space_id, sprint_id, points, address, born, username, avatar)
    SELECT 40, 0, n, 'member' || n, 1, 'name', '' FROM generate_series(1, 20) AS n`)

interface Plan {
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}
const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]

/** The scans of the board in the plan that a connection keeps for the statement. */
const scansOfBoard = () =>
  database.kysely.transaction().execute(async (trx) => {
    await beginAwards(trx, 0)
    const text = declaredWrites().find(({ name }) => name === 'awards.places')?.text ?? ''
    await sql`PREPARE places (integer, integer[], text[]) AS ${sql.raw(text)}`.execute(trx)
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
      EXPLAIN (FORMAT JSON) EXECUTE places (40, '{0}', '{ann}')`.execute(trx)
    await sql`DEALLOCATE places`.execute(trx)
    return rows
      .flatMap((row) => flat(row['QUERY PLAN'][0].Plan))
      .filter((node) => node['Relation Name'] === 'board_entries')
  })

it.skipIf(isCluster()).each([
  ['an empty table', async () => {}],
  ['a table that was analyzed while it was empty', () => database.query('ANALYZE board_entries')],
  ['a new board', addMembers],
  ['a small board', () => database.query('ANALYZE board_entries')],
])('looks up each member by the primary key, also with a plan for %s', async (_, prepare) => {
  await prepare()
  expect(await scansOfBoard()).toMatchObject([
    {
      'Index Name': 'board_entries_pkey',
      'Index Cond': expect.stringMatching(/space_id = .*sprint_id = .*address /) as string,
    },
  ])
})
