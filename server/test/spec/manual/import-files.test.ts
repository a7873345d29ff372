import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '../../../src/ingest/import-file.ts'
import { kindNames, kinds } from '../../../src/ingest/kinds.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const docs = join(import.meta.dirname, '../../../../docs')
const MIRA = '0x52908400098527886e0f7030069857d2e4169ee7'
const WHALE = '0xde709f2102306220921060314715629080e2fb77'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const files = [
  'spaces.csv',
  'sprints.csv',
  'points.csv',
  'awards.csv',
  'starboards.ndjson',
  'users.csv',
  'samples.csv',
  'links.csv',
  'credentials.ndjson',
  'holders.csv',
  'quests.ndjson',
  'quests.csv',
  'participants.csv',
]
const importExample = (name: string, credentialId?: string, replace?: boolean) =>
  importFile({ database, clock: testClock() }, join(docs, 'examples/import', name), {
    standardInput: process.stdin,
    credentialId,
    replace,
  })

test('imports every example file of the manual as the kind in its name; a second import changes nothing', async () => {
  for (const name of files) {
    const { kind, read, added } = await importExample(name)
    expect(name.startsWith(kind)).toBe(true)
    expect(added, name).toBe(read)
    expect(await importExample(name), name).toMatchObject({ read, added: 0, changed: 0 })
  }
  expect(new Set(files.map((name) => name.split('.')[0]))).toEqual(new Set(kindNames))
})

test('stores the values of the example files', async () => {
  expect(await database.query('SELECT description FROM spaces WHERE space_id = 7002')).toEqual([
    { description: 'Says "hello" on\ntwo lines' },
  ])
  expect(
    await database.query(
      `SELECT sprint_id, points, username FROM board_entries WHERE space_id = 7001 AND address = $1 ORDER BY 1`,
      [MIRA],
    ),
  ).toEqual([
    { sprint_id: 0, points: 1250, username: 'mira' },
    { sprint_id: 1, points: 400, username: 'mira' },
  ])
  expect(await database.query(`SELECT tags, reward_name FROM starboards ORDER BY starboard_id`)).toEqual([
    { tags: ['defi', 'community'], reward_name: 'Season 1' },
    { tags: [], reward_name: null },
  ])
  expect(
    await database.query(
      `SELECT u.username, is_public, score, individual, aura FROM starboard_users u
       JOIN score_samples USING (starboard_id, handle) ORDER BY score DESC`,
    ),
  ).toEqual([
    { username: 'Mira_Builds', is_public: true, score: '812.500000', individual: 500, aura: 312 },
    { username: 'quietwhale', is_public: false, score: '790.000000', individual: 640, aura: 150 },
    { username: 'newcomer', is_public: true, score: '3.250000', individual: 0, aura: 0 },
  ])
  expect(
    await database.query(`SELECT evm_address FROM starboard_links WHERE handle = 'mira_builds' ORDER BY linked_order`),
  ).toEqual([{ evm_address: MIRA }, { evm_address: '0x27b1fdb04752bbc536007a920d24acb045561c26' }])
  expect(
    await database.query(`SELECT credential_id::text AS id, item_count FROM credentials ORDER BY credential_id`),
  ).toEqual([
    { id: '7100', item_count: 1 },
    { id: '365478901234567890', item_count: 2 },
  ])
  expect(
    await database.query(`SELECT quest_id, status, auto_status, participants_count FROM quests ORDER BY quest_id`),
  ).toEqual([
    { quest_id: 'GCaurora01', status: 'Active', auto_status: true, participants_count: 2 },
    { quest_id: 'GCaurora02', status: 'Expired', auto_status: false, participants_count: 412 },
    { quest_id: 'GCaurora03', status: 'Active', auto_status: false, participants_count: 0 },
  ])
  expect(
    await database.query(`SELECT expression FROM quest_conditions WHERE quest_id = 'GCaurora01' ORDER BY position`),
  ).toEqual([{ expression: 'holds the Aurora NFT' }, { expression: 'Aurora Discord member' }])
  expect(await database.query(`SELECT quest_id FROM quest_listings ORDER BY 1`)).toEqual([
    { quest_id: 'GCaurora01' },
    { quest_id: 'GCaurora02' },
  ])
})

test('imports a list of addresses without a header as holders', async () => {
  expect(await importExample('holders.txt', '365478901234567890')).toMatchObject({ kind: 'holders', read: 3, added: 1 })
  expect(await importExample('holders.txt', '365478901234567890', true)).toMatchObject({ read: 3, added: 0 })
  const holders = await database.query<{ address: string }>(
    `SELECT address FROM credential_holders h JOIN credentials c USING (credential_id, generation)
     WHERE credential_id = 365478901234567890 ORDER BY 1`,
  )
  expect(holders.map((row) => row.address)).toEqual(['0x27b1fdb04752bbc536007a920d24acb045561c26', MIRA, WHALE])
})

test('documents every kind with all fields and the required ones', async () => {
  const text = await readFile(join(docs, 'import.md'), 'utf8')
  for (const name of kindNames) {
    const section = text.split(/^### /m).find((part) => part.startsWith(`${name}\n`)) ?? ''
    const rows = [...section.matchAll(/^\| `(\w+)` +\|.*\| ([^|]*?) +\|$/gm)].map(([, field, fallback]) => ({
      field,
      fallback,
    }))
    expect(
      rows.map(({ field }) => field),
      name,
    ).toEqual(Object.keys(kinds[name].fields))
    for (const { field = '', fallback } of rows)
      if (field !== 'credentialId')
        expect(fallback === 'required', `${name}.${field}`).toBe(kinds[name].fields[field]?.fallback === undefined)
    expect(section).toContain(`examples/import/${name}.`)
  }
})
