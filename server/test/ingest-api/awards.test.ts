import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAY, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { sweepEvents } from '../../src/ranking/awards.ts'
import { ask } from '../support/ask.ts'
import { createPersonas } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken, send, statuses } from './arrange.ts'

let service: TestService
let second: TestService
let token: string
let reader: string
beforeAll(async () => {
  service = await startService()
  second = await startService({ database: service.database, clock: service.clock })
  token = await ingestToken(service)
  reader = (await createPersonas(service.deps)).business
})
afterAll(async () => {
  await second.stop()
  await service.stop()
})
beforeEach(async () => {
  await service.database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, timed_awards, board_moves, board_entries, board_past, other_board_changes, profiles, space_version_times CASCADE',
  )
  await importRecords(service.deps, 'spaces', [
    { spaceId: 40, name: 'Forty' },
    { spaceId: 41, name: 'Forty-one' },
  ])
  await importRecords(service.deps, 'sprints', [{ spaceId: 40, sprintId: 1 }])
})

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const award = (key: string, n: number, points: number, more: object = {}) => ({
  key,
  spaceId: 40,
  address: address(n),
  points,
  ...more,
})
const board = async (spaceId = 40, sprintId = 0) =>
  service.database.query<{ address: string; points: number }>(
    `SELECT address, points FROM board_entries
     WHERE space_id = $1 AND sprint_id = $2 ORDER BY points DESC, address`,
    [spaceId, sprintId],
  )

test('shows awards on the boards in the next read', async () => {
  const sent = await send(
    service,
    'awards',
    [award('a', 1, 10), award('b', 2, 5, { sprintId: 1 }), award('c', 1, -3)],
    {
      token,
    },
  )
  expect(sent.status).toBe(200)
  expect(sent.body).toEqual({
    summary: { applied: 3, duplicate: 0, unchanged: 0, refused: 0 },
    results: [0, 1, 2].map((index) => ({ index, status: 'applied' })),
  })
  const query = `{ space(id: 40) { loyaltyPointsRanks { totalCount list { rank points address { address } } } } }`
  const { data } = await ask<{ space: { loyaltyPointsRanks: unknown } }>(service.url, query, { token: reader })
  expect(data.space.loyaltyPointsRanks).toEqual({
    totalCount: 2,
    list: [
      { rank: 1, points: 7, address: { address: address(1) } },
      { rank: 2, points: 5, address: { address: address(2) } },
    ],
  })
  expect(await board(40, 1)).toEqual([{ address: address(2), points: 5 }])
})

test('reports a repeated key as duplicate, in one batch and later, with any spelling of the address', async () => {
  const upper = { ...award('a', 0xab, 10), address: `EVM:${address(0xab).toUpperCase().replace('0X', '0x')}` }
  expect(statuses(await send(service, 'awards', [award('a', 0xab, 10), upper], { token }))).toEqual([
    'applied',
    'duplicate',
  ])
  expect(statuses(await send(second, 'awards', [upper], { token }))).toEqual(['duplicate'])
  expect(await board()).toEqual([{ address: address(0xab), points: 10 }])
})

const long = `0x${'1'.padStart(64, '0')}`
test.each([
  ['Aptos, special', long, ['0x1', ' 0x1 ', long]],
  ['Aptos, without leading zeros', `0x0${'a1'.repeat(31)}b`, [`0x${'a1'.repeat(31)}b`]],
  ['Flow, without 0x', '0x1654653399040a61', ['1654653399040a61', '1654653399040A61', '0x1654653399040A61']],
  ['a text like a Flow address with wrong check bits', '1654653399040a62', ['1654653399040A62', '@1654653399040a62']],
  ['a handle that looks like digits', '0xfee', ['0xFEE', '@0xfee']],
])('keeps one entry per member for all spellings of an address: %s', async (_, canonical, spellings) => {
  const items = [canonical, ...spellings].map((address, index) => ({ ...award(String(index), 1, 1), address }))
  expect(statuses(await send(service, 'awards', items, { token }))).toEqual(items.map(() => 'applied'))
  expect(await board()).toEqual([{ address: canonical, points: items.length }])
})

test('counts items in the metrics', async () => {
  await send(service, 'awards', [award('a', 1, 10), award('a', 1, 10), award('b', 1, 10, { spaceId: 99 })], { token })
  const figures = await (await fetch(`${service.url}/metrics`)).text()
  for (const status of ['applied', 'duplicate', 'refused'])
    expect(figures).toMatch(new RegExp(`questboard_ingest_items_total\\{kind="awards",status="${status}"\\} [1-9]`))
})

test('accepts the same key in two spaces', async () => {
  const items = [award('a', 1, 10), award('a', 1, 10, { spaceId: 41 })]
  expect(statuses(await send(service, 'awards', items, { token }))).toEqual(['applied', 'applied'])
})

test.each([
  ['other points', { points: 11 }],
  ['another member', { address: address(2) }],
  ['a sprint', { sprintId: 1 }],
])('rejects a key that is used again with %s', async (_, change) => {
  await send(service, 'awards', [award('a', 1, 10)], { token })
  const { body } = await send(service, 'awards', [{ ...award('a', 1, 10), ...change }], { token })
  expect(body.results).toMatchObject([{ index: 0, status: 'refused', error: { code: 'CONFLICT', field: 'key' } }])
  expect(await board()).toEqual([{ address: address(1), points: 10 }])
})

test('applies awards once if two instances receive them at the same time', async () => {
  const batches = Array.from({ length: 24 }, (_, n) =>
    Array.from({ length: 50 }, (_, i) => award(`k${(n % 3) * 50 + i}`, i % 7, 1)),
  )
  const sent = await Promise.all(batches.map((items, n) => send(n % 2 ? service : second, 'awards', items, { token })))
  expect(sent.map(({ status }) => status)).toEqual(batches.map(() => 200))
  expect(sent.reduce((sum, { body }) => sum + body.summary.applied, 0)).toBe(150)
  expect(sent.reduce((sum, { body }) => sum + body.summary.duplicate, 0)).toBe(24 * 50 - 150)
  expect((await board()).reduce((sum, { points }) => sum + points, 0)).toBe(150)
})

test('rejects an invalid item with its field and applies the others', async () => {
  const items = [
    award('1', 1, 1),
    { ...award('2', 1, 1), key: undefined },
    award('3', 1, 1, { spaceId: 99 }),
    award('4', 1, 1, { sprintId: 2 }),
    award('5', 1, 2_147_483_648),
    award('6', 1, 1.5),
    award('7', 1, 1, { address: '' }),
    award('8', 1, 1, { address: 'x'.repeat(91) }),
    award('9', 1, 1, { note: 'x' }),
    award('k'.repeat(201), 1, 1),
    award('a\u0000', 1, 1),
    'text',
    null,
    award('13', 2, 1),
  ]
  const { body } = await send(service, 'awards', items, { token })
  const shown = body.results.map(({ status, error }) => (error ? `${error.code} ${error.field ?? ''}` : status))
  expect(shown).toEqual([
    'applied',
    'INVALID_ARGUMENT key',
    'NOT_FOUND spaceId',
    'NOT_FOUND sprintId',
    'INVALID_ARGUMENT points',
    'INVALID_ARGUMENT points',
    'INVALID_ARGUMENT address',
    'INVALID_ARGUMENT address',
    'INVALID_ARGUMENT note',
    'INVALID_ARGUMENT key',
    'INVALID_ARGUMENT key',
    'INVALID_ARGUMENT ',
    'INVALID_ARGUMENT ',
    'applied',
  ])
  expect(body.results[5]?.error).toEqual({
    code: 'INVALID_ARGUMENT',
    field: 'points',
    message: 'points: "1.5" is not allowed; allowed: a whole number from -2147483648 to 2147483647',
    allowed: 'a whole number from -2147483648 to 2147483647',
  })
  expect(await board()).toEqual([
    { address: address(1), points: 1 },
    { address: address(2), points: 1 },
  ])
})

test('rejects only the award that exceeds 32 bits, and keeps its key unused', async () => {
  const items = [award('a', 1, 2_147_483_000), award('b', 1, 1_000), award('c', 1, -1_000), award('b', 1, 1_000)]
  const { body } = await send(service, 'awards', items, { token })
  expect(body.results.map(({ status, error }) => error?.code ?? status)).toEqual([
    'applied',
    'OUT_OF_RANGE',
    'applied',
    'applied',
  ])
  expect(await board()).toEqual([{ address: address(1), points: 2_147_483_000 }])
})

test('rejects awards for spaces outside the scope of the token', async () => {
  const narrow = await ingestToken(service, { spaces: [41] })
  const items = [award('a', 1, 1), award('a', 1, 1, { spaceId: 41 })]
  const { body } = await send(service, 'awards', items, { token: narrow })
  expect(body.results).toMatchObject([
    { status: 'refused', error: { code: 'PERMISSION_DENIED', field: 'spaceId' } },
    { status: 'applied' },
  ])
})

test('remembers keys for 35 days', async () => {
  const start = service.clock.now()
  await send(service, 'awards', [award('a', 1, 1)], { token })
  service.clock.advance(35 * DAY)
  expect(statuses(await send(service, 'awards', [award('a', 1, 1)], { token }))).toEqual(['duplicate'])
  service.clock.advance(SECOND)
  expect(statuses(await send(service, 'awards', [award('a', 1, 1)], { token }))).toEqual(['applied'])
  service.clock.set(new Date(start).toISOString())
})

test('accepts times between which the points count, and rejects times that cannot be', async () => {
  const at = (days: number) => new Date(service.clock.now() + days * DAY).toISOString()
  const items = [
    award('later', 1, 5, { availableAt: at(1), expiresAt: at(2) }),
    award('now', 1, 7, { availableAt: at(-1), expiresAt: at(1) }),
    award('text', 1, 1, { availableAt: 'tomorrow' }),
    award('order', 1, 1, { availableAt: at(2), expiresAt: at(1) }),
    award('past', 1, 1, { expiresAt: at(-1) }),
    award('later', 1, 5, { availableAt: at(1) }),
  ]
  const { body } = await send(service, 'awards', items, { token })
  const refused = (field: string, code: string) => ({ status: 'refused', error: { code, field } })
  expect(body.results).toMatchObject([
    { status: 'applied' },
    { status: 'applied' },
    refused('availableAt', 'INVALID_ARGUMENT'),
    refused('expiresAt', 'INVALID_ARGUMENT'),
    refused('expiresAt', 'OUT_OF_RANGE'),
    refused('key', 'CONFLICT'),
  ])
  expect(await board()).toEqual([{ address: address(1), points: 7 }])
  expect(statuses(await send(service, 'awards', items.slice(0, 2), { token }))).toEqual(['duplicate', 'duplicate'])
})

test('remembers keys from before the ledger until they are deleted after 35 days', async () => {
  const { clock, database } = service
  await database.query(
    `INSERT INTO award_keys (space_id, key, address, points, applied_at) VALUES (40, 'a', $1, 1, $2)`,
    [address(1), new Date(clock.now())],
  )
  await sweepEvents(database.kysely, clock.now() + 34 * DAY)
  expect(statuses(await send(service, 'awards', [award('a', 1, 1)], { token }))).toEqual(['duplicate'])
  await sweepEvents(database.kysely, clock.now() + 36 * DAY)
  expect(statuses(await send(service, 'awards', [award('a', 1, 1)], { token }))).toEqual(['applied'])
})

test('reads each line of NDJSON as an item, and reports the number of an invalid line', async () => {
  const lines = [JSON.stringify(award('a', 1, 1)), '', '{"key":', JSON.stringify(award('b', 1, 1))].join('\r\n')
  const { body } = await send(service, 'awards', lines, { token, headers: { 'content-type': 'application/x-ndjson' } })
  expect(body.results).toMatchObject([
    { index: 0, status: 'applied' },
    {
      index: 1,
      status: 'refused',
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('line 3') as string },
    },
    { index: 2, status: 'applied' },
  ])
})
