import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { examineStatements } from '../../src/doctor/statements.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const examined = async () =>
  (await examineStatements(database.connection, systemClock, 10_000)).map(({ state, says }) => [state, says])
const stored = () =>
  database.query(`
    SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM spaces) AS spaces,
      (SELECT count(*) FROM board_entries) AS entries, (SELECT count(*) FROM starboard_entries) AS ranks,
      (SELECT count(*) FROM quota_windows) AS windows`)

test('runs one statement of every kind and stores nothing', async () => {
  expect(await examined()).toEqual([
    ['ok', 'query, award, claim, ban, list, erasure, ranking, sweep, import, merge work'],
  ])
  expect(await stored()).toEqual([{ accounts: 0, spaces: 0, entries: 0, ranks: 0, windows: 0 }])
})

test.each([
  ['quota_windows', ['query']],
  ['ledger_entries', ['award', 'claim', 'ban', 'erasure', 'import']],
  ['starboard_entries', ['ranking']],
  ['board_entries', ['award', 'claim', 'ban', 'erasure', 'import']],
  ['merged_accounts', ['merge']],
  ['banned_entries', ['ban']],
])('names the kinds that fail when %s refuses rows', async (table, kinds) => {
  await database.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused in %', regexp_replace(TG_TABLE_NAME, '_[0-9]+$', ''); END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
  try {
    expect(await examined()).toEqual(kinds.map((kind) => ['problem', `${kind} fails: refused in ${table}`]))
  } finally {
    await database.query('DROP FUNCTION refuse CASCADE')
  }
})

test('records no version of a space of the installation', async () => {
  await importRecords({ database, clock: systemClock }, 'spaces', [{ spaceId: 5, name: 'Five' }])
  await importRecords({ database, clock: systemClock }, 'points', [{ spaceId: 5, address: 'ann', points: 1 }])
  await database.query(`
    UPDATE space_versions SET version = version + 1 WHERE space_id = 5;
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'version of space 5'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON space_version_times FOR EACH ROW WHEN (NEW.space_id = 5) EXECUTE FUNCTION refuse()`)
  try {
    expect(await examined()).toMatchObject([['ok', expect.stringContaining('sweep')]])
  } finally {
    await database.query('DROP FUNCTION refuse CASCADE')
  }
})

test('does not wait for a change of the list of quests', async () => {
  await database.kysely.transaction().execute(async (trx) => {
    await trx.updateTable('quest_catalogue').set({ version: 1 }).execute()
    expect(await examined()).toMatchObject([['ok', expect.stringContaining('claim')]])
  })
})

test('names the sweep that fails', async () => {
  await database.query('ALTER TABLE token_usage RENAME TO token_usage_gone')
  try {
    const says = 'sweep fails: sweep usage: relation "token_usage" does not exist'
    expect(await examined()).toEqual([['problem', says]])
  } finally {
    await database.query('ALTER TABLE token_usage_gone RENAME TO token_usage')
  }
})
