import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { distribute, readPlan } from '../../src/distribution/distribute.ts'
import { canHold, type Placement, placements } from '../../src/distribution/placements.ts'
import { planDistribution } from '../../src/distribution/plan.ts'
import { readForeignKeys, readTables } from '../../src/distribution/catalogue.queries.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let client: Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new Client(database.connection)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const columnOf = (table: string) => {
  const placement: Placement | undefined = (placements as Record<string, Placement>)[table]
  return placement?.kind === 'distributed' ? placement.column : undefined
}

describe('the plan, held against the catalogue of the migrated schema', () => {
  test('every table has its place, and every place a table', async () => {
    expect((await readTables(client)).map(({ name }) => name).toSorted()).toEqual(Object.keys(placements).toSorted())
  })

  test('every primary key, unique constraint and unique index of a distributed table contains its column', async () => {
    const keys = await database.query<{ table: string; key: string; columns: string[] }>(`
      SELECT i.indrelid::regclass::text AS table, i.indexrelid::regclass::text AS key,
             ARRAY(SELECT a.attname::text FROM pg_attribute a
                   WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])) AS columns
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE c.relnamespace = 'public'::regnamespace AND (i.indisunique OR i.indisprimary OR i.indisexclusion)`)
    const distributed = keys.filter(({ table }) => columnOf(table) !== undefined)
    expect(new Set(distributed.map(({ table }) => table)).size).toBe(
      Object.keys(placements).filter((table) => columnOf(table) !== undefined).length,
    )
    expect(distributed.filter(({ table, columns }) => !columns.includes(columnOf(table) ?? ''))).toEqual([])
  })

  test('every foreign key is between tables of one column, or leads to a table that is on every node, or is known to end', async () => {
    const ended = (await readForeignKeys(client)).filter((key) => !canHold(key))
    expect(ended.map(({ table, columns, target }) => `${table}.${columns.join()} → ${target}`)).toEqual([
      'credentials.owner_account_id → accounts',
      'ingest_tokens.account_id → accounts',
      'server_tokens.account_id → accounts',
      'spaces.owner_account_id → accounts',
      'starboards.owner_account_id → accounts',
      'webhook_endpoints.account_id → accounts',
    ])
  })

  test('columns that bring tables together are of one type, never null, and of a collation that tells all texts apart', async () => {
    const columns = await database.query<{ table: string; column: string; type: string; fit: boolean }>(`
      SELECT c.relname AS table, a.attname AS column, a.atttypid::regtype::text AS type,
             a.attnotnull AND coalesce(l.collisdeterministic, true) AS fit
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation l ON l.oid = a.attcollation
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0`)
    const used = columns.filter(({ table, column }) => columnOf(table) === column)
    for (const [column, group] of Map.groupBy(used, (one) => one.column))
      expect(new Set(group.map(({ type, fit }) => `${type} ${fit}`)).size, column).toBe(1)
    expect(used.filter(({ fit }) => !fit)).toEqual([])
  })

  test('nothing is there that distributed tables may not have: triggers, sequences, partitions, inheritance', async () => {
    expect(
      await database.query(`
        SELECT tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('S', 'p', 'v', 'm')
        UNION ALL
        SELECT inhrelid::regclass::name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`),
    ).toEqual([])
  })
})

describe('what is done', () => {
  const facts = async () => ({ tables: await readTables(client), foreignKeys: await readForeignKeys(client) })

  test('what is there already is left, and keys that a run has dropped come back in the next', async () => {
    const { tables, foreignKeys } = await facts()
    const [key] = foreignKeys.filter(({ table }) => table === 'boards')
    const placed = new Map(Object.entries(placements).filter(([name]) => name !== 'point_events'))
    const plan = planDistribution({
      tables,
      foreignKeys: foreignKeys.filter((one) => one !== key),
      placed,
      waitingKeys: key ? [key] : [],
    })
    expect(plan.moves.map(({ name }) => name)).toEqual(['point_events'])
    expect([plan.drop, plan.end, plan.problems]).toEqual([[], [], []])
    expect(plan.comeBack).toEqual([key])
    expect(
      planDistribution({ tables, foreignKeys, placed: new Map(Object.entries(placements)), waitingKeys: [] }),
    ).toMatchObject({
      moves: [],
      drop: [],
      comeBack: [],
    })
  })

  test('a table that lies elsewhere, or that nobody knows, is a problem and is not moved', async () => {
    const { tables, foreignKeys } = await facts()
    const placed = new Map<string, Placement>([['boards', { kind: 'distributed', column: 'sprint_id' }]])
    const more = [...tables, { name: 'notes', rows: 0, bytes: 0 }]
    expect(planDistribution({ tables: more, foreignKeys, placed, waitingKeys: [] }).problems).toEqual([
      'boards is by sprint_id; it belongs by space_id',
      'notes is no table of this version of Questboard, which does not say where it belongs',
    ])
  })

  test('cut short after foreign keys were dropped, it goes on: all that can be held stand again, valid', async () => {
    const before = await readForeignKeys(client)
    const first = await readPlan(client)
    // There is no Citus here, so the first table cannot be moved.
    await expect(distribute(client, first, () => {})).rejects.toThrow(/create_reference_table/)
    const onCoordinator = before.filter(({ target }) => target === 'webhook_endpoints')
    expect(await readForeignKeys(client)).toEqual(onCoordinator)
    const second = await readPlan(client)
    expect(second.comeBack.length).toBe(before.length - 6 - onCoordinator.length)
    await distribute(client, { ...second, moves: [] }, () => {})
    expect(await readForeignKeys(client)).toEqual(before.filter((key) => canHold(key)))
    expect((await readPlan(client)).comeBack.length).toBe(second.comeBack.length) // all of them would be dropped again
    expect(await database.query(`SELECT FROM installation WHERE name LIKE 'distribution%'`)).toEqual([])
    for (const { table, name, definition } of before.filter((key) => !canHold(key)))
      await database.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  })
})

test('questboard database distribute, on a server without Citus: shows the plan, says what to install, and changes nothing', async () => {
  const run = (option: string) =>
    questboard(['database', 'distribute', option], { DATABASE_URL: urlOf(database.connection) })
  const [asked, done] = await Promise.all([run('--plan'), run('--yes')])
  for (const { stdout } of [asked, done]) {
    for (const table of Object.keys(placements)) expect(stdout).toMatch(new RegExp(`^ {2}${table} `, 'm'))
    expect(stdout).toMatch(/by space_id, each value on one node:\n( {2}\w+ .* rows .*\n)*? {2}board_entries /)
    expect(stdout).toMatch(/on every node:\n( {2}.*\n)*? {2}spaces /)
    expect(stdout).toContain('server_tokens (account_id) → accounts')
  }
  expect([asked.code, asked.stderr]).toEqual([0, ''])
  expect(asked.stdout).toContain('Cannot be done here: this database has no Citus.')
  expect(done.code).toBe(1)
  expect(done.stderr.trim()).toMatch(
    /^This PostgreSQL has no Citus\. Install .*shared_preload_libraries.*CREATE EXTENSION citus.*docs\/scale\.md/,
  )
  expect((await readForeignKeys(client)).length).toBeGreaterThan(30)
})
