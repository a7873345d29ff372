import { setTimeout as sleep } from 'node:timers/promises'
import { statement } from '@questboard/pg-read-pipeline'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/connection.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('fails with UNAVAILABLE when a read uses a closed database', async () => {
  const one = statement('test.closed', 'SELECT 1 AS one')
  const own = openDatabase({ connection: database.connection, readConnections: 1, log: silentLog })
  expect(await own.read(one, [])).toEqual([{ one: 1 }])
  await own.close()
  await expect(own.read(one, [])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('fails the transaction, not the process, when its connection is lost between two statements', async () => {
  const lost = database.kysely.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx)
    await database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await sleep(50)
    await sql`SELECT 1`.execute(trx)
  })
  await expect(lost).rejects.toThrow()
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

const planMode = statement<{ mode: string }>('test.plan-mode', `SELECT current_setting('plan_cache_mode') AS mode`)

async function planModeOf(): Promise<string | undefined> {
  const own = openDatabase({ connection: database.connection, readConnections: 1, log: silentLog })
  const [row] = await own.read(planMode, [])
  await own.close()
  return row?.mode
}

test('plans a statement of the request path once, unless the database sets another mode', async () => {
  expect(await planModeOf()).toBe('force_generic_plan')
  const [row] = await database.query<{ name: string }>('SELECT current_database() AS name')
  await database.query(`ALTER DATABASE ${row?.name ?? ''} SET questboard.plan_cache_mode = 'auto'`)
  expect(await planModeOf()).toBe('auto')
})
