import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY, HOUR, SECOND } from '../../src/clock.ts'
import { sweepsFor } from '../../src/schedule/sweeps.ts'
import { deleteUnusedClients } from '../../src/schedule/unused-clients.queries.ts'
import { createTestDatabase, type TestDatabase, waitingSessions } from '../support/database.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const RETENTION = { auditRetention: 30 * DAY }
const ACCOUNT = '11111111-1111-4111-8111-111111111111'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Inserts clients with metadata documents that were fetched at the time of the parameter. */
function insertClients(...names: string[]): string {
  return `INSERT INTO apps (client_id, owner_account_id, name, purpose, status, redirect_uris, scopes, public_client,
      s256_only, expiring_tokens, created_at, metadata_url, metadata_at)
    SELECT name, '00000000-0000-0000-0000-000000000000', name, '', 'approved', '{https://chat.example/}', '{mcp}', true, true, true, $1,
      'https://chat.example/' || name, $1
    FROM unnest('{${names.join()}}'::text[]) AS name`
}

/** Runs every sweep at `age` before or after NOW. */
async function sweepAt(offset: number): Promise<void> {
  for (const { run } of sweepsFor(RETENTION)) await run(database.kysely, NOW + offset, { now: () => NOW + offset })
}

const count = async (table: string): Promise<number> => (await database.query(`SELECT 1 FROM ${table}`)).length

test('docs/limits.md lists every table in its section about retention', async () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')
  const section = manual.slice(manual.indexOf('\n## Retention\n'))
  const tables = await database.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  )
  expect(tables.map(({ table_name }) => table_name).filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})

test.each<[string, number, string]>([
  [
    'security_events',
    30 * DAY,
    `INSERT INTO security_events (account_id, happened_at, event_id, event)
     SELECT '${ACCOUNT}', $1, gen_random_uuid(), 'session.started' FROM generate_series(1, 3)`,
  ],
  [
    'token_usage',
    400 * DAY + 12 * HOUR, // days end at midnight
    `INSERT INTO token_usage SELECT '${ACCOUNT}', ($1::timestamptz AT TIME ZONE 'UTC')::date, 'q', 200, 1, $1`,
  ],
  [
    'persisted_documents',
    30 * DAY,
    `INSERT INTO persisted_documents VALUES ('${ACCOUNT}', sha256('x'), 'x', $1::timestamptz - interval '1 year', $1)`,
  ],
  [
    'token_requests',
    7 * DAY,
    `INSERT INTO token_requests SELECT '${ACCOUNT}', $1, n, 'q', 200, 1, NULL FROM generate_series(1, 3) AS n`,
  ],
  [
    'grants',
    180 * DAY,
    `INSERT INTO grants (family, client_id, account_id, scopes, shared, created_at, last_used_at)
     VALUES ('\\x0000000000000001', 'someclient', '${ACCOUNT}', '{}', '{}', $1, $1)`,
  ],
  ['apps', DAY, insertClients('unusedone')],
])('%s: keeps rows until their age, then deletes them', async (table, age, insert) => {
  await database.query(insert, [new Date(NOW)])
  const kept = await count(table)
  await sweepAt(age - SECOND)
  expect(await count(table)).toBe(kept)
  await sweepAt(age + SECOND)
  expect(await count(table)).toBe(0)
})

test('keeps a grant whose token does not expire, however long it is unused', async () => {
  await database.query(
    `INSERT INTO grants (family, client_id, account_id, scopes, shared, created_at, last_used_at)
     VALUES ('\\x0000000000000002', 'someclient', '${ACCOUNT}', '{}', '{}', $1, $1)`,
    [new Date(NOW)],
  )
  await database.query(
    `INSERT INTO access_tokens VALUES ('\\x0000000000000002', decode(repeat('ab', 32), 'hex'), '{}', $1, NULL)`,
    [new Date(NOW)],
  )
  await sweepAt(3000 * DAY)
  expect(await count('grants')).toBe(1)
})

describe('clients with a metadata document', () => {
  const left = async () =>
    (await database.query<{ client_id: string }>('SELECT client_id FROM apps ORDER BY client_id')).map(
      ({ client_id }) => client_id,
    )
  const before = new Date(NOW + SECOND)
  beforeEach(async () => {
    await database.query('DELETE FROM apps')
    await database.query('DELETE FROM consents')
    await database.query('DELETE FROM grants')
  })

  test('stay while an account uses them, or while they are suspended', async () => {
    await database.query(insertClients('consented', 'isgranted', 'suspended', 'unusedone'), [new Date(NOW)])
    await database.query("UPDATE apps SET status = 'suspended' WHERE client_id = 'suspended'")
    await database.query(
      `INSERT INTO consents (account_id, client_id, scopes, shared, granted_at)
       VALUES ('${ACCOUNT}', 'consented', '{mcp}', '{}', $1)`,
      [new Date(NOW)],
    )
    await database.query(
      `INSERT INTO grants (family, client_id, account_id, scopes, shared, created_at, last_used_at)
       VALUES ('\\x0000000000000003', 'isgranted', '${ACCOUNT}', '{}', '{}', $1, $1)`,
      [new Date(NOW)],
    )
    await sweepAt(DAY + SECOND)
    expect(await left()).toEqual(['consented', 'isgranted', 'suspended'])
  })

  test('the sweep deletes them in batches, also if the first batch of them is in use', async () => {
    const used = ['clienta1x', 'clienta2x', 'clienta3x', 'clientc1x']
    await database.query(insertClients(...used, 'clientb1x', 'clientb2x', 'clientd1x', 'clientd2x', 'clientd3x'), [
      new Date(NOW),
    ])
    await database.query(
      `INSERT INTO consents (account_id, client_id, scopes, shared, granted_at)
       SELECT '${ACCOUNT}', name, '{mcp}', '{}', $1 FROM unnest('{${used.join()}}'::text[]) AS name`,
      [new Date(NOW)],
    )
    const deleted = []
    for (let n = 0; n < 4; n++) deleted.push(await deleteUnusedClients(database.kysely, before, 2))
    expect(deleted).toEqual([2, 2, 1, 0])
    expect(await left()).toEqual(used)
  })

  test('stay if an operator suspends them during the sweep', async () => {
    await database.query(insertClients('unusedone', 'unusedtwo'), [new Date(NOW)])
    let deleting: Promise<number> | undefined
    await database.kysely.transaction().execute(async (operator) => {
      await operator.updateTable('apps').set({ status: 'suspended' }).where('client_id', '=', 'unusedone').execute()
      deleting = deleteUnusedClients(database.kysely, before, 2)
      // On a cluster, the statement that waits names the shard, not the table.
      await expect.poll(() => waitingSessions(database)).toBe(1)
    })
    expect(await deleting).toBe(1)
    expect(await left()).toEqual(['unusedone'])
  })
})
