import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../../src/clock.ts'
import { sweepHolderLists } from '../../../src/ingest/holders-sweep.ts'
import { createPendingLists } from '../../../src/ingest/replace-holders.queries.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { importText, problemsOf } from '../files.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`
const C = `0x${'c'.repeat(40)}`
const BIG = '9223372036854775807'
const clock = testClock()
let database: TestDatabase
let deps: Parameters<typeof importText>[0]
beforeAll(async () => {
  database = await createTestDatabase()
  deps = { database, clock }
})
afterAll(() => database.drop())
beforeEach(async () => {
  clock.set('2026-11-21T12:00:00Z')
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, credentials, credential_holders CASCADE',
  )
  await importText(
    deps,
    [
      'id,name,credType,credSource,lastUpdate,lastSync',
      '5,Five,EVM_ADDRESS,CSV,1,2',
      `${BIG},Big,EVM_ADDRESS,CSV,1,2`,
      '7,Seven,TWITTER,TWITTER_FOLLOW,1,2',
      '8,Eight,SOLANA_ADDRESS,CSV,1,2',
    ].join('\n'),
  )
})

const list = (lines: string[], id = '5', replace = false) =>
  importText(deps, lines.join('\n'), { credentialId: id, replace })

async function holdersOf(id: string): Promise<string[]> {
  const rows = await database.query<{ address: string }>(
    'SELECT address FROM credential_holders JOIN credentials USING (credential_id, generation) WHERE credential_id = $1 ORDER BY 1',
    [id],
  )
  return rows.map((row) => row.address)
}
async function stateOf(id: string) {
  const [row] = await database.query<{ item_count: number; last_sync: Date; last_update: Date; sync_status: string }>(
    'SELECT item_count, last_sync, last_update, sync_status FROM credentials WHERE credential_id = $1',
    [id],
  )
  return {
    count: row?.item_count,
    sync: row?.last_sync.getTime(),
    update: row?.last_update.getTime(),
    status: row?.sync_status,
  }
}

test('sets lastUpdate when the description changes, not when only lastSync or syncStatus change', async () => {
  const importCredential = (more: string, values: string) =>
    importText(deps, `id,name,credType,credSource${more}\n5,Five,EVM_ADDRESS,CSV${values}`)
  await importCredential(',description,syncStatus,lastSync', ',,SYNCING,3')
  expect(await stateOf('5')).toMatchObject({ update: 1_000, sync: 3_000, status: 'SYNCING' })
  clock.advance(HOUR)
  await importCredential(',description', ',Another text')
  expect(await stateOf('5')).toMatchObject({ update: clock.now(), sync: 3_000 })
  clock.advance(HOUR)
  expect(await importCredential(',description', ',Another text')).toMatchObject({ changed: 0 })
  expect(await stateOf('5')).toMatchObject({ update: clock.now() - HOUR })
  await importCredential(',description,lastUpdate', ',A third text,9')
  expect(await stateOf('5')).toMatchObject({ update: 9_000 })
})

describe('an import of holders', () => {
  test('adds them in canonical form and counts them exactly', async () => {
    expect(await list([A, B, `EVM:${A.toUpperCase().replace('X', 'x')}`])).toMatchObject({ read: 3, added: 2 })
    expect(await list([B, C])).toMatchObject({ read: 2, added: 1 })
    expect(await holdersOf('5')).toEqual([A, B, C])
    expect(await stateOf('5')).toMatchObject({ count: 3 })
  })

  test('sets lastSync always, and lastUpdate only when the list changes', async () => {
    await list([A])
    const first = clock.now()
    expect(await stateOf('5')).toMatchObject({ sync: first, update: first })
    clock.advance(MINUTE)
    await list([A])
    expect(await stateOf('5')).toMatchObject({ sync: first + MINUTE, update: first })
  })

  test('accepts credential ids above 2^53 without rounding, and names a value that is not an id', async () => {
    expect(await importText(deps, `{"credentialId":${BIG},"address":"${A}"}`)).toMatchObject({ added: 1 })
    expect(await importText(deps, `credentialId,address\n${BIG},${B}\n`)).toMatchObject({ added: 1 })
    expect(await holdersOf(BIG)).toEqual([A, B])
    expect(await problemsOf(importText(deps, '{"credentialId":9223372036854775808,"address":"0x"}'))).toEqual([
      'line 1, credentialId: "9223372036854775808" is not a known credential; import it first',
    ])
    expect(await problemsOf(importText(deps, '{"credentialId":{"toString":null},"address":"0x"}'))).toEqual([
      String.raw`line 1, credentialId: "{\"toString\":null}" is not a known credential; import it first`,
    ])
  })

  test('validates each holder by the type of its credential', async () => {
    const solana = 'So11111111111111111111111111111111111111112'
    const lines = [
      'credentialId,address',
      `5,${A}`,
      '5,mira',
      '7,@Mira',
      `8,${solana}`,
      `8,${A}`,
      `6,${A}`,
      'x,y',
      `,${A}`,
      '5,',
    ]
    expect(await problemsOf(importText(deps, lines.join('\n')))).toEqual([
      'line 3, address: "mira" is not allowed; allowed: an EVM address: 0x and 40 hex digits',
      `line 6, address: "${A}" is not allowed; allowed: a Solana address: base58 of 32 bytes`,
      'line 7, credentialId: "6" is not a known credential; import it first',
      'line 8, credentialId: "x" is not a known credential; import it first',
      'line 9, credentialId: is missing; allowed: a whole number from 0 to 9223372036854775807, at most 19 digits',
      'line 10, address: is missing; allowed: an EVM address: 0x and 40 hex digits',
    ])
    expect(await holdersOf('5')).toEqual([])
    await importText(deps, ['credentialId,address', `5,${A}`, '7,@Mira', `8,${solana}`].join('\n'))
    expect([await holdersOf('7'), await holdersOf('8')]).toEqual([['mira'], [solana]])
  })

  test('rejects an unknown credential', async () => {
    await expect(list([A], '6')).rejects.toThrow('The credential 6 is not known; import it first (kind credentials).')
    await expect(list([A], 'six')).rejects.toThrow('"six" is not a credential id')
    await expect(importText(deps, A)).rejects.toThrow('add --credential ID')
  })

  test('counts exactly during concurrent imports', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `0x${String(n).padStart(40, '0')}`)
    await Promise.all([list(lines.slice(0, 200)), list(lines.slice(100)), list(lines.slice(50, 250))])
    expect((await holdersOf('5')).length).toBe(300)
    expect(await stateOf('5')).toMatchObject({ count: 300 })
  })
})

describe('a replacement', () => {
  test('replaces the whole list; the sweeper deletes the old rows', async () => {
    await list([A, B])
    clock.advance(MINUTE)
    expect(await list([B, C, C], '5', true)).toMatchObject({ read: 3, added: 1 })
    expect(await holdersOf('5')).toEqual([B, C])
    expect(await stateOf('5')).toEqual({ count: 2, sync: clock.now(), update: clock.now(), status: 'SYNCED' })
    expect(await database.query('SELECT FROM credential_holders')).toHaveLength(4)
    expect(await sweepHolderLists(database.kysely, clock.now())).toBe(2)
    expect(await database.query('SELECT FROM credential_holders')).toHaveLength(2)
    expect(await database.query('SELECT FROM credential_generations')).toEqual([])
    expect(await holdersOf('5')).toEqual([B, C])
  })

  test('replaces only the lists of the credentials in the file', async () => {
    await importText(deps, `credentialId,address\n5,${A}\n7,mira\n${BIG},${A}\n`)
    await importText(deps, `credentialId,address\n5,${B}\n7,zoe\n7,ann\n`, { replace: true })
    expect([await holdersOf('5'), await holdersOf('7'), await holdersOf(BIG)]).toEqual([[B], ['ann', 'zoe'], [A]])
  })

  test('keeps the old list and the state of the credential if a line is invalid', async () => {
    await list([A, B])
    const before = await stateOf('5')
    clock.advance(MINUTE)
    expect(await problemsOf(list([C, 'nobody', 'no one'], '5', true))).toHaveLength(2)
    expect(await holdersOf('5')).toEqual([A, B])
    expect(await stateOf('5')).toEqual(before)
    await sweepHolderLists(database.kysely, clock.now())
    expect(await database.query('SELECT FROM credential_holders')).toHaveLength(2)
  })

  test('rejects an empty file', async () => {
    await list([A])
    await expect(list([''], '5', true)).rejects.toThrow('The file is empty.')
    await expect(importText(deps, 'address\n', { credentialId: '5', replace: true })).rejects.toThrow('no records')
    expect(await holdersOf('5')).toEqual([A])
  })

  test('shows the old list and the status SYNCING until the new list is complete', async () => {
    await list([A])
    const kysely = database.kysely
    const [pending] = await kysely.transaction().execute((trx) => createPendingLists(trx, ['5'], new Date(clock.now())))
    await database.query('INSERT INTO credential_holders VALUES (5, $1, $2)', [pending?.generation, B])
    expect(await holdersOf('5')).toEqual([A])
    expect(await stateOf('5')).toMatchObject({ status: 'SYNCING', count: 1 })
    // The process of the first replacement ends here. The sweeper deletes its rows after an hour.
    expect(await list([C], '5', true)).toMatchObject({ added: 1 })
    expect(await holdersOf('5')).toEqual([C])
    await sweepHolderLists(kysely, clock.now() + HOUR - MINUTE)
    expect((await database.query('SELECT FROM credential_holders')).length).toBe(2)
    await sweepHolderLists(kysely, clock.now() + HOUR + MINUTE)
    expect(await database.query('SELECT address FROM credential_holders')).toEqual([{ address: C }])
  })

  test('restores the status of the credential after an abandoned replacement', async () => {
    await database.kysely.transaction().execute((trx) => createPendingLists(trx, ['5'], new Date(clock.now())))
    expect(await stateOf('5')).toMatchObject({ status: 'SYNCING' })
    await sweepHolderLists(database.kysely, clock.now() + HOUR + MINUTE)
    expect(await stateOf('5')).toMatchObject({ status: 'SYNCED' })
  })

  test('counts exactly when many lines need several transactions', async () => {
    const lines = Array.from(
      { length: 130_000 },
      (_, n) => `0x${((n * 7919) % 120_000).toString(16).padStart(40, '0')}`,
    )
    expect(await list(lines, '5', true)).toMatchObject({ read: 130_000, added: 120_000 })
    expect(await stateOf('5')).toMatchObject({ count: 120_000 })
    const [count] = await database.query('SELECT count(*) AS n FROM credential_holders')
    expect(count).toEqual({ n: 120_000 })
  })
})
