import { afterAll, beforeAll, expect, test } from 'vitest'
import { analyzeGrownTables } from '../../src/schedule/statistics.queries.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  // Otherwise autovacuum can be first.
  await database.query('ALTER TABLE credential_holders SET (autovacuum_enabled = false)')
})
afterAll(() => database.drop())

/** Adds holders, and waits until PostgreSQL has counted them. */
async function addHolders(from: number, to: number): Promise<void> {
  await database.query(
    `INSERT INTO credential_holders (credential_id, generation, address) SELECT 1, 1, 'h' || n FROM generate_series(${from}, ${to}) n`,
  )
  await expect
    .poll(async () => {
      const [row] = await database.query<{ rows: number }>(
        `SELECT n_live_tup::int AS rows FROM pg_stat_user_tables WHERE relname = 'credential_holders'`,
      )
      return row?.rows
    })
    .toBeGreaterThanOrEqual(to)
}
const estimate = async () => {
  const [row] = await database.query<{ rows: number }>(
    `SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'credential_holders'`,
  )
  return row?.rows
}

test.skipIf(isCluster())(
  'analyzes a table that has rows and no statistics, and again when it has doubled',
  async () => {
    await addHolders(1, 400)
    expect(await analyzeGrownTables(database.kysely)).not.toContain('credential_holders')
    await addHolders(401, 1_000)
    expect(await analyzeGrownTables(database.kysely)).toContain('credential_holders')
    expect(await estimate()).toBe(1_000)
    await addHolders(1_001, 1_900)
    expect(await analyzeGrownTables(database.kysely)).not.toContain('credential_holders')
    await addHolders(1_901, 2_000)
    expect(await analyzeGrownTables(database.kysely)).toContain('credential_holders')
    expect(await estimate()).toBe(2_000)
  },
)
