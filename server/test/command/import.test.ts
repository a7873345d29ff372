import { gzipSync } from 'node:zlib'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConfiguredDatabase } from '../../src/database/open.ts'
import { STOP_SIGNALS } from '../../src/lifetimes.ts'
import { silentLog } from '../../src/logging/log.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { temporaryFile } from '../ingest/files.ts'
import { questboard, startQuestboard, urlOf } from './questboard.ts'

let database: TestDatabase
let environment: Record<string, string>
beforeAll(async () => {
  database = await createTestDatabase()
  environment = { DATABASE_URL: urlOf(database.connection) }
})
afterAll(() => database.drop())

test('imports a file and prints the counts', async () => {
  const spaces = await temporaryFile('spaces.csv', 'spaceId,name\n40,Forty\n')
  const first = await questboard(['import', spaces], environment)
  expect(first.stdout).toMatch(/^spaces: 1 line read, 1 added, 0 changed, 0 unchanged \(0:0\d, [\d,]+ lines\/s\)\n$/)
  expect(first).toMatchObject({ code: 0, stderr: `importing spaces from ${spaces}\n` })
  const points = gzipSync('{"spaceId":40,"address":"ann","points":3}\n')
  const second = await questboard(['import', '-', '--kind', 'points'], environment, points)
  expect(second).toMatchObject({ code: 0, stderr: 'importing points from standard input\n' })
  expect(await database.query('SELECT address, points FROM board_entries')).toEqual([{ address: 'ann', points: 3 }])
})

test('writes one entry to the audit log for each file that it stores', async ({ onTestFinished }) => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const environment = { DATABASE_URL: urlOf(database.connection) }
  const entries = () =>
    database.query(
      `SELECT account_id, address, details FROM security_events WHERE event = 'data.imported' ORDER BY happened_at`,
    )
  const starboards = await temporaryFile('starboards.csv', 'id,name,type\n7,Seven,TWITTER\n8,Eight,TWITTER\n')
  const refused = await temporaryFile('starboards.csv', 'id,name,type\n9,Nine,NONE\n')
  const empty = await temporaryFile('starboards.csv', 'id,name,type\n')
  for (const args of [[starboards, '--dry-run'], [refused], [empty]]) await questboard(['import', ...args], environment)
  expect(await entries()).toEqual([])
  const holders = await temporaryFile('holders.txt', `0x${'a'.repeat(40)}\n0x${'b'.repeat(40)}\n`)
  const replacement = ['import', holders, '--credential', '77', '--replace']
  await database.query(
    `INSERT INTO credentials (credential_id, name, cred_type, cred_source, last_update, last_sync)
     VALUES (77, 'Crew', 'EVM_ADDRESS', 'CSV', now(), now())`,
  )
  for (const args of [['import', starboards], replacement]) {
    const { code, stderr } = await questboard(args, environment)
    expect(code, stderr).toBe(0)
  }
  const byCommand = { account_id: '00000000-0000-0000-0000-000000000000', address: '' }
  expect(await entries()).toEqual([
    { ...byCommand, details: { kind: 'starboards', read: '2', added: '2', by: 'command' } },
    { ...byCommand, details: { kind: 'holders', read: '2', added: '2', by: 'command' } },
  ])
})

test('counts awards that were undone before, whose keys stay used', async () => {
  await questboard(['import', '-', '--kind', 'spaces'], environment, 'spaceId,name\n41,Forty-one\n')
  const awards = 'spaceId,address,points,key\n41,ann,3,k1\n41,bob,3,k2\n'
  const add = () => questboard(['import', '-', '--kind', 'awards'], environment, awards)
  expect((await add()).stdout).toContain('2 added, 0 changed, 0 unchanged (0:')
  const reversed = await questboard(['ledger', 'reverse', '41', '1-1', '--reason', 'Wrong'], environment)
  expect(reversed.code, reversed.stderr).toBe(0)
  expect((await add()).stdout).toContain('0 added, 0 changed, 2 unchanged (1 undone before)')
})

test('says how many awards are for banned members', async () => {
  await questboard(['import', '-', '--kind', 'spaces'], environment, 'spaceId,name\n42,Forty-two\n')
  const ban = ['ban', 'create', '--address', 'bob', '--space', '42', '--reason', 'Bots']
  expect(await questboard(ban, environment)).toMatchObject({ code: 0 })
  const awards = 'spaceId,address,points,key\n42,ann,3,k1\n42,bob,3,k2\n'
  const { stdout } = await questboard(['import', '-', '--kind', 'awards'], environment, awards)
  expect(stdout).toContain('2 added (1 for banned members: they count when the ban ends), 0 changed')
})

test('exits with status 1 for a rejected file and prints the invalid lines to standard error', async () => {
  const refused = await questboard(
    ['import', '-', '--kind', 'points'],
    environment,
    'spaceId,address,points\n40,bob,x\n',
  )
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'importing points from standard input\nNothing was stored: 1 problem\n' +
      'line 2, points: "x" is not allowed; allowed: a whole number from -2147483648 to 2147483647\n',
  })
  const missing = await questboard(['import', '/no/such/file.csv'], environment)
  expect(missing).toMatchObject({ code: 1, stderr: 'The file /no/such/file.csv does not exist.\n' })
  const unknown = await questboard(['import', '-', '--kind', 'pints'], environment)
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('Allowed choices are spaces, sprints, points')
})

test.each(STOP_SIGNALS)('stops an import on %s while it waits for input, and stores nothing', async (signal) => {
  const child = startQuestboard(['import', '-', '--kind', 'spaces'], environment)
  child.stdin.write('spaceId,name\n77,Never\n')
  await child.says('importing spaces')
  child.kill(signal)
  const { code, stderr } = await child.finished
  expect(code).toBe(130)
  expect(stderr).toContain('Stopped. Nothing was stored.')
  expect(await database.query('SELECT FROM spaces WHERE space_id = 77')).toEqual([])
})

test('exits with status 2 for an invalid setting and names it', async () => {
  const { code, stderr } = await questboard(['config'], { PORT: 'many' })
  expect(code).toBe(2)
  expect(stderr).toContain('PORT')
})

test('prints every setting with `config` and masks the password of the database', async () => {
  const { code, stdout, stderr } = await questboard(['config'], {
    DATABASE_URL: 'postgres://me:hunter2@db.example/board',
    PORT: '81',
  })
  expect(code).toBe(0)
  expect(stderr).toMatch(/^These are the settings that this command uses\./)
  expect(stdout).toContain('PORT=81  (from the environment)')
  expect(stdout).toContain('HOST=0.0.0.0  (default)')
  expect(stdout).toContain('DATABASE_URL=postgres://me:***@db.example/board')
  expect(stdout).not.toContain('hunter2')
})

test('shares the embedded server with a running service, and does not stop it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-command-'))
  const settings = { databaseUrl: undefined, dataDir, readConnections: 1 }
  const service = await openConfiguredDatabase(settings, silentLog)
  try {
    expect(await questboard(['migrate'], { QUESTBOARD_DATA_DIR: dataDir })).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
    })
    const imported = await questboard(['import', '-'], { QUESTBOARD_DATA_DIR: dataDir }, '{"spaceId":1,"name":"One"}')
    expect(imported.stdout).toContain('spaces: 1 line read, 1 added')
    const plan = await questboard(['database', 'distribute', '--plan'], { QUESTBOARD_DATA_DIR: dataDir })
    expect(plan.stdout).toMatch(/^Not possible here: the embedded database is one server.*Set DATABASE_URL to/)
    expect(plan).toMatchObject({ code: 1, stderr: '' })
    const { rows } = await service.database.pool.query('SELECT name FROM spaces')
    expect(rows).toEqual([{ name: 'One' }])
  } finally {
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('resumes a killed replacement and counts exactly', async () => {
  await questboard(
    ['import', '-', '--kind', 'credentials'],
    environment,
    'id,name,credType,credSource\n5,Five,EVM_ADDRESS,CSV\n',
  )
  const lines = Array.from(
    { length: 210_000 },
    (_, n) => `0x${((n * 7919) % 205_000).toString(16).padStart(40, '0')}\n`,
  )
  const file = await temporaryFile('holders.txt', lines.join(''))
  const replace = ['import', file, '--credential', '5', '--replace']
  const killed = startQuestboard(replace, environment)
  const stored = async () => (await database.query('SELECT chunks, generation FROM credential_generations'))[0]
  await expect.poll(stored, { interval: 20 }).toMatchObject({ chunks: 1 })
  killed.kill('SIGKILL')
  await killed.finished
  const started = (await stored()) as { generation: number }
  const state = () => database.query('SELECT item_count, sync_status, generation FROM credentials')
  expect(await state()).toMatchObject([{ item_count: 0, sync_status: 'SYNCING' }])
  const resumed = await questboard(replace, environment)
  expect(resumed.stdout).toMatch(/^holders: 210,000 lines read, 205,000 added/)
  // The second run completed the generation that the killed run had started.
  expect(await state()).toEqual([{ item_count: 205_000, sync_status: 'SYNCED', generation: started.generation }])
  expect(await database.query('SELECT count(*) AS n FROM credential_holders')).toEqual([{ n: 205_000 }])
  expect(await database.query('SELECT FROM credential_generations')).toEqual([])
})
