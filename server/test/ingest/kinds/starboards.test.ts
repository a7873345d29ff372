import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { StarboardRecord } from '../../../src/ingest/records.ts'
import { testClock } from '../../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { importText, problemsOf } from '../files.ts'

const clock = testClock()
const [A, B, C] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
let database: TestDatabase
let deps: Parameters<typeof importText>[0]
beforeAll(async () => {
  database = await createTestDatabase()
  deps = { database, clock }
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query('TRUNCATE starboards CASCADE')
  await importRecords(deps, 'starboards', [{ id: 's', name: 'Board', type: 'TWITTER' }])
})

const starboard = (rest: Partial<StarboardRecord>) =>
  importRecords(deps, 'starboards', [{ id: 's', name: 'Board', type: 'TWITTER', ...rest }])
const users = () => database.query('SELECT username, followers_count, is_public FROM starboard_users ORDER BY handle')

test('requires a name for a reward and an end after the stored start', async () => {
  expect(await problemsOf(starboard({ rewardDescription: 'Much' }))).toEqual([
    'line 1, rewardName: is missing; allowed: a text, when any other field of the reward is given',
  ])
  await starboard({ rewardName: 'Prize', rewardStartTime: '2026-11-02T00:00:00Z' })
  expect(await problemsOf(starboard({ rewardEndTime: '2026-11-01T00:00:00Z' }))).toEqual([
    'line 1, rewardEndTime: is before the start; allowed: the time of the start or later',
  ])
  expect(await problemsOf(starboard({ rewardName: null }))).toHaveLength(1)
  await starboard({ rewardName: null, rewardStartTime: null })
  expect(await database.query('SELECT reward_name FROM starboards')).toEqual([{ reward_name: null }])
})

test('keeps the fields of a user that the file does not contain, such as a private profile', async () => {
  await importText(deps, 'starboardId,username,followersCount,isPublic\ns,Mira,10,false\n', { kind: 'users' })
  await importText(deps, 'starboardId,username,followersCount\ns,@mira,11\n', { kind: 'users' })
  expect(await users()).toEqual([{ username: 'mira', followers_count: 11, is_public: false }])
  await importText(deps, 'starboardId,username,followersCount,isPublic\ns,Mira,,\n', { kind: 'users' })
  expect(await users()).toEqual([{ username: 'Mira', followers_count: 0, is_public: true }])
})

test('rejects a user that occurs twice in a file, in upper or lower case', async () => {
  expect(await problemsOf(importText(deps, 'starboardId,username\ns,Mira\ns,@MIRA\n', { kind: 'users' }))).toEqual([
    'line 3, username: has the same key as line 2; a key may occur once in a file',
  ])
})

test('adds the user of a sample, and updates a sample that has another score', async () => {
  const sample = (columns: string, values: string) =>
    importText(deps, `starboardId,handle,sampledAt,${columns}\ns,Zoe,1795262400,${values}\n`)
  expect(await sample('score,aura', '1.00000049,7')).toMatchObject({ kind: 'samples', added: 1 })
  expect(await sample('score', '1.0000004')).toMatchObject({ added: 0, changed: 0 })
  expect(await sample('score', '2')).toMatchObject({ added: 0, changed: 1 })
  expect(await database.query('SELECT handle, score, aura FROM score_samples')).toEqual([
    { handle: 'zoe', score: '2.000000', aura: 7 },
  ])
  expect(await users()).toEqual([{ username: 'Zoe', followers_count: 0, is_public: true }])
})

test('keeps the order of links; new and moved links follow at the end', async () => {
  await importText(deps, 'starboardId,username\ns,mira\ns,zoe\n', { kind: 'users' })
  const link = (...lines: string[]) =>
    importText(deps, ['starboardId,evmAddress,handle', ...lines].join('\n'), { kind: 'links' })
  const linked = async (handle: string) =>
    (
      await database.query<{ evm_address: string }>(
        'SELECT evm_address FROM starboard_links WHERE handle = $1 ORDER BY linked_order',
        [handle],
      )
    ).map((row) => row.evm_address)
  await link(`s,${B},mira`, `s,${A},Mira`)
  expect(await linked('mira')).toEqual([B, A])
  expect(await link(`s,${C},mira`, `s,${A},mira`, `s,${B},mira`)).toMatchObject({ added: 1, changed: 0 })
  expect(await linked('mira')).toEqual([B, A, C])
  await link(`s,${B},zoe`)
  expect(await link(`s,EVM:${B.replaceAll('b', 'B')},mira`)).toMatchObject({ changed: 1 })
  expect([await linked('mira'), await linked('zoe')]).toEqual([[A, C, B], []])
  expect(await problemsOf(link(`s,${A},nobody`, `x,${A},mira`, 's,0x12,mira'))).toEqual([
    'line 2, handle: "nobody" is not a known user of this starboard; import it first',
    'line 3, starboardId: "x" is not a known starboard; import it first',
    'line 3, handle: "mira" is not a known user of this starboard; import it first',
    'line 4, evmAddress: "0x12" is not allowed; allowed: an EVM address: 0x and 40 hex digits',
  ])
})

test('stores tags as separate values, whatever characters they contain', async () => {
  const tags = ['a,b', 'NULL', '"', '{}']
  await starboard({ tags })
  expect(await database.query('SELECT tags FROM starboards')).toEqual([{ tags }])
  await importText(deps, 'id,name,type,tags\ns,Board,TWITTER,one|two\n', { kind: 'starboards' })
  expect(await database.query('SELECT tags FROM starboards')).toEqual([{ tags: ['one', 'two'] }])
  expect(await problemsOf(starboard({ tags: ['', 'x'.repeat(101)] }))).toEqual([
    expect.stringMatching(/^line 1, tags: .* is not allowed; allowed: at most 50 tags of 1 to 100 characters/),
  ])
})
