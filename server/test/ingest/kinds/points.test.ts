import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DB } from '../../../src/database/tables.ts'
import { readEffects } from '../../../src/ingest/kinds/points.queries.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** The most memory that the process of the connection has used, in MB. */
async function peakMemory(trx: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ status: string }>`SELECT pg_read_file('/proc/self/status') AS status`.execute(trx)
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(rows[0]?.status ?? '')?.[1]) / 1024
}

test.skipIf(isCluster())('reads the new names of a large file without keeping them all in memory', async () => {
  await database.kysely.transaction().execute(async (trx) => {
    await sql`SET LOCAL work_mem = '4MB'`.execute(trx)
    await sql`CREATE TEMP TABLE staged (line integer, space_id integer, sprint_id integer, address text)`.execute(trx)
    await sql`
      INSERT INTO staged SELECT line, 1 + line % 2, 0, 'member' || line FROM generate_series(1, 500000) AS line`.execute(
      trx,
    )
    await sql`ANALYZE staged`.execute(trx)
    const before = await peakMemory(trx)
    expect(await readEffects(trx)).toEqual({
      spaceIds: [1, 2],
      newNames: { count: 500_000, examples: ['member1', 'member2', 'member3', 'member4', 'member5'] },
    })
    expect((await peakMemory(trx)) - before).toBeLessThan(20)
  })
})
