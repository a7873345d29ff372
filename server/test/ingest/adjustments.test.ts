import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { importText, problemsOf, temporaryFile } from './files.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`
const C = `0x${'c'.repeat(40)}`

let database: TestDatabase
let deps: Parameters<typeof importText>[0]
beforeAll(async () => {
  database = await createTestDatabase()
  deps = { database, clock: testClock() }
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, board_moves, board_entries, board_past, other_board_changes, credentials, credential_holders CASCADE',
  )
  await importText(deps, 'spaceId,name\n40,Forty\n')
  await importText(deps, 'id,name,credType,credSource\n5,Five,EVM_ADDRESS,CSV\n', { kind: 'credentials' })
})

const adjusted = (map: Record<string, string>, set: Record<string, string> = {}, ignoreUnknown = false) => ({
  adjustments: { map: new Map(Object.entries(map)), set: new Map(Object.entries(set)), ignoreUnknown },
})
const points = () => database.query('SELECT address, points FROM board_entries ORDER BY points DESC, address')

describe('--map, --set and --ignore-unknown', () => {
  it.each([
    ['CSV', `wallet,score,note\n${A},5,x\n${B},3,y\n`],
    ['NDJSON', `{"wallet":"${A}","score":5,"note":"x"}\n{"wallet":"${B}","score":3}\n`],
  ])('map, set and ignore columns of %s', async (_, content) => {
    const options = adjusted({ wallet: 'address', score: 'points' }, { spaceId: '40' }, true)
    expect(await importText(deps, content, { kind: 'points', ...options })).toMatchObject({ read: 2, added: 2 })
    expect(await points()).toEqual([
      { address: A, points: 5 },
      { address: B, points: 3 },
    ])
  })

  it('detect the kind from the mapped field names', async () => {
    const options = adjusted({ wallet: 'address' }, { spaceId: '40' })
    expect(await importText(deps, `wallet,points\n${A},5\n`, options)).toMatchObject({ kind: 'points', added: 1 })
  })

  it('reject unknown fields, columns that are missing from the header, and set fields that the file also has', async () => {
    const file = `wallet,points\n${A},5\n`
    const points = { kind: 'points' } as const
    await expect(importText(deps, file, { ...points, ...adjusted({ wallet: 'adress' }) })).rejects.toThrow(
      '--map: "adress" is not a field of points; allowed: spaceId',
    )
    await expect(
      importText(deps, file, { ...points, ...adjusted({ wallet: 'address' }, { space: '40' }) }),
    ).rejects.toThrow('--set: "space" is not a field of points')
    const missing = adjusted({ wallet: 'address', name: 'username' }, { spaceId: '40' })
    expect(await problemsOf(importText(deps, file, { ...points, ...missing }))).toEqual([
      'line 1, name: is named by --map and missing from the header',
    ])
    const twice = adjusted({ wallet: 'address' }, { spaceId: '40', points: '7' })
    expect(await problemsOf(importText(deps, file, { ...points, ...twice }))).toEqual([
      'line 1, points: is in the file; leave --set out',
    ])
  })

  it('report an unknown header of a holder list instead of importing it as a holder', async () => {
    const file = `wallet,amount\n${A},1\n`
    await expect(importText(deps, file, { credentialId: '5' })).rejects.toThrow(
      'The first line is not a header with known fields: "wallet", "amount". Name the column of the holders, such as --map wallet=address',
    )
    const options = { credentialId: '5', ...adjusted({ wallet: 'address' }, {}, true) }
    expect(await importText(deps, file, options)).toMatchObject({ kind: 'holders', added: 1 })
  })
})

describe('a dry run', () => {
  it('counts what would change and stores nothing', async () => {
    await importText(deps, `spaceId,address,points\n40,${A},5\n`)
    const file = `spaceId,address,points\n40,${A},6\n40,${B},1\n`
    expect(await importText(deps, file, { dryRun: true })).toMatchObject({ read: 2, added: 1, changed: 1 })
    expect(await points()).toEqual([{ address: A, points: 5 }])
    expect(await problemsOf(importText(deps, `spaceId,address,points\n41,${A},6\n`, { dryRun: true }))).toEqual([
      expect.stringContaining('line 2, spaceId: "41" is not a known space'),
    ])
  })

  it('keeps the list that a replacement would replace', async () => {
    await importText(deps, `${A}\n${B}`, { credentialId: '5' })
    await importText(deps, C, { credentialId: '5', replace: true, dryRun: true })
    expect(await database.query('SELECT item_count, sync_status FROM credentials')).toEqual([
      { item_count: 2, sync_status: 'SYNCED' },
    ])
  })
})

describe('an import of awards', () => {
  const file = `key,spaceId,address,points\nq1,40,${A},5\nq2,40,${A},3\nq3,40,${B},-1\n`

  it('applies an award once per key', async () => {
    expect(await importText(deps, file)).toMatchObject({ kind: 'awards', read: 3, added: 3 })
    expect(await importText(deps, file)).toMatchObject({ read: 3, added: 0, changed: 0 })
    const more = `${file}q4,40,${B},11\n`
    expect(await importText(deps, more)).toMatchObject({ read: 4, added: 1 })
    expect(await points()).toEqual([
      { address: B, points: 10 },
      { address: A, points: 8 },
    ])
  })

  it('rejects all awards if a key belongs to a different award', async () => {
    await importText(deps, file)
    const conflicting = `key,spaceId,address,points\nq9,40,${C},1\nq1,40,${A},6\n`
    expect(await problemsOf(importText(deps, conflicting))).toEqual([
      'line 3, key: was used for another award; give each award a different key',
    ])
    expect(await points()).toHaveLength(2)
  })
})

it('reports 0 added if a replacement contains the same list', async () => {
  const replace = (...lines: string[]) => importText(deps, lines.join('\n'), { credentialId: '5', replace: true })
  expect(await replace(A, B)).toMatchObject({ read: 2, added: 2 })
  expect(await replace(A, B)).toMatchObject({ read: 2, added: 0 })
  expect(await replace(B, C)).toMatchObject({ read: 2, added: 1 })
})

it('imports several files in order, and names the rejected file; the files before it stay imported', async () => {
  const sprints = await temporaryFile('sprints.csv', 'spaceId,sprintId\n50,1\n')
  const spaces = await temporaryFile('spaces.csv', 'spaceId,name\n50,Fifty\n')
  const environment = { DATABASE_URL: urlOf(database.connection) }
  const done = await questboard(['import', spaces, sprints, '--json'], environment)
  expect(JSON.parse(done.stdout)).toMatchObject([
    { file: spaces, kind: 'spaces', added: 1 },
    { file: sprints, kind: 'sprints', added: 1 },
  ])
  const bad = await temporaryFile('sprints.csv', 'spaceId,sprintId\n51,1\n')
  const refused = await questboard(['import', spaces, bad], environment)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${bad}: Nothing was stored`) as string })
  expect(refused.stdout).toContain('1 line read, 0 added')
})
