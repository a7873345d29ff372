import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { bansFixture } from '../bans/arrange.ts'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { waitingSessions } from '../support/database.ts'
import { holdLocks } from '../support/held.ts'
import { startService } from '../support/service.ts'
import { listen } from '../webhooks/listen.ts'
import { address, claimsFixture, MINUTE, QUEST, SPACE } from './arrange.ts'

const service = await startService()
const second = await startService({ database: service.database, clock: service.clock })
const { database, clock, deps } = service
const { ban, lift, settle } = bansFixture(service)
const { token, inMinutes, reset, quest, link, complete, claim, reasonOf, board, state } = await claimsFixture(service)
beforeEach(reset)
afterAll(async () => {
  await second.stop()
  await service.stop()
})

describe('an accepted completion', () => {
  test('stores the participant and the count, and awards the points overall and in the current sprint', async () => {
    await importRecords(deps, 'sprints', [
      { spaceId: SPACE, sprintId: 1, startTime: inMinutes(-60), endTime: inMinutes(-30) },
      { spaceId: SPACE, sprintId: 2, startTime: inMinutes(-30), endTime: inMinutes(30) },
      { spaceId: SPACE, sprintId: 3, startTime: inMinutes(30) },
      { spaceId: SPACE, sprintId: 4 },
    ])
    await quest()
    expect(await claim(1)).toEqual({
      index: 0,
      status: 'applied',
      completion: { address: address(1), points: 50, sprintId: 2, claimedAt: inMinutes(0) },
    })
    expect(await state()).toEqual({ status: 'Active', count: 1, stored: 1, claims: 1 })
    expect(await board()).toEqual([{ address: address(1), points: 50 }])
    expect(await board(2)).toEqual([{ address: address(1), points: 50 }])
    expect(await board(1)).toEqual([])
    expect(await board(4)).toEqual([])
    expect(await database.query('SELECT address, points_after, source, reason FROM ledger_entries')).toEqual([
      { address: address(1), points_after: 50, source: 'quest', reason: 'Plant a tree' },
    ])
  })

  test('awards to the overall board alone when no sprint is current', async () => {
    await quest()
    expect((await claim(1)).completion).toMatchObject({ points: 50, sprintId: null })
  })

  test('awards nothing for a quest without points', async () => {
    await quest({ loyaltyPoints: 0 })
    expect((await claim(1)).completion).toMatchObject({ points: 0, sprintId: null })
    expect(await board()).toEqual([])
    expect(await state()).toMatchObject({ count: 1, stored: 1 })
  })

  test('moves a quest that reaches its cap to CapReached', async () => {
    await quest({ cap: 2 })
    await claim(1)
    expect(await state()).toMatchObject({ status: 'Active', count: 1 })
    await claim(2)
    expect(await state()).toMatchObject({ status: 'CapReached', count: 2 })
  })

  test('emits quest.completed and points.awarded', async () => {
    await quest()
    const { heard } = await listen(database, {
      subjects: [`space:${SPACE}`],
      types: ['quest.completed', 'points.awarded'],
    })
    await claim(1)
    const completions = [{ address: address(1), points: 50, sprintId: null, claimedAt: inMinutes(0) }]
    const messages = await heard()
    expect(messages.map(({ type }) => type).toSorted()).toEqual(['points.awarded', 'quest.completed'])
    expect(messages.find(({ type }) => type === 'quest.completed')?.data).toEqual({
      spaceId: SPACE,
      questId: QUEST,
      name: 'Plant a tree',
      completions,
    })
  })

  test('the service stores it once for a repeated key, in the same batch, later and on another instance', async () => {
    await quest()
    const item = { key: 'same', address: address(1) }
    const { body } = await complete([item, { ...item, address: address(1).toUpperCase().replace('0X', 'EVM:0x') }])
    expect(body.results.map(({ status }) => status)).toEqual(['applied', 'duplicate'])
    const again = await complete([item], { at: second })
    expect(again.body.results[0]).toEqual({ ...body.results[1], index: 0 })
    expect(await board()).toEqual([{ address: address(1), points: 50 }])
    expect(await state()).toMatchObject({ count: 1, stored: 1, claims: 1 })
  })

  test('is a duplicate even after the quest has ended', async () => {
    await quest({ endTime: inMinutes(1) })
    await claim(1)
    clock.advance(2 * MINUTE)
    expect(await claim(1)).toMatchObject({ status: 'duplicate' })
  })
})

describe('a refusal names its rule', () => {
  test('rejects completions of a quest that is not Active', async () => {
    for (const status of ['Draft', 'CapReached', 'Expired', 'Deleted', 'NotStarted'] as const) {
      await quest({ status })
      expect((await claim(1)).error).toEqual({
        code: 'CONFLICT',
        reason: 'QUEST_NOT_ACTIVE',
        rule: 'status',
        retry: false,
        message: `The quest is ${status}; it must be Active`,
      })
    }
    expect(await state()).toMatchObject({ count: 0, stored: 0, claims: 0 })
  })

  test('rejects completions before the start and from the end on, also of a quest with a fixed status', async () => {
    for (const status of [undefined, 'Active'] as const) {
      await quest({ status, startTime: inMinutes(1), endTime: inMinutes(2) })
      const n = status === undefined ? 1 : 2
      expect((await claim(n)).error).toMatchObject({ reason: 'NOT_STARTED', rule: 'clock', retry: true })
      clock.advance(MINUTE)
      expect(await reasonOf(n)).toBe('applied')
      clock.advance(MINUTE)
      expect((await claim(3)).error).toMatchObject({ reason: 'ENDED', rule: 'clock', retry: false })
    }
  })

  test('rejects completions beyond the cap, in one batch and over two instances at once', async () => {
    await quest({ cap: 10 })
    const items = (from: number) =>
      Array.from({ length: 8 }, (_, i) => ({ key: `k${from + i}`, address: address(from + i) }))
    const answers = await Promise.all(
      [0, 100, 200].map((from, i) => complete(items(from), { at: i === 1 ? second : service })),
    )
    const results = answers.flatMap(({ body }) => body.results)
    expect(results.filter(({ status }) => status === 'applied')).toHaveLength(10)
    expect(new Set(results.flatMap(({ error }) => error?.reason ?? []))).toEqual(new Set(['CAP_REACHED']))
    expect(await state()).toEqual({ status: 'CapReached', count: 10, stored: 10, claims: 10 })
    expect(await board()).toHaveLength(10)
  })

  test('counts imported participants against the cap', async () => {
    await quest({ cap: 5, participantsCount: 5, status: 'Active' })
    expect(await reasonOf(1)).toBe('CAP_REACHED')
  })

  test('rejects a second completion of an address, whoever stored the first', async () => {
    await quest()
    await importRecords(deps, 'participants', [{ questId: QUEST, address: address(1) }])
    expect(await reasonOf(1)).toBe('ALREADY_CLAIMED')
    expect(await reasonOf(2, 'a')).toBe('applied')
    expect(await reasonOf(2, 'b')).toBe('ALREADY_CLAIMED')
  })

  test('rejects a second address of the same account', async () => {
    await quest()
    const account = deps.random.uuid()
    await link(
      account,
      [1, 2, 3].map((n) => [address(n), 'EVMAddress']),
    )
    const { body } = await complete([1, 2].map((n) => ({ key: `k${n}`, address: address(n) })))
    expect(body.results.map(({ error }) => error?.reason)).toEqual([undefined, 'ALREADY_CLAIMED'])
    expect(await reasonOf(3)).toBe('ALREADY_CLAIMED')
    await database.query('DELETE FROM linked_names')
    await link(account, [[address(4), 'EVMAddress']])
    expect(await reasonOf(4)).toBe('ALREADY_CLAIMED')
  })

  test('rejects a second address of an account that switched its identities off for eligibility', async () => {
    await quest()
    const off = [1, 2].map((n): [string, string] => [address(n), 'EVMAddress'])
    await link(deps.random.uuid(), off, false)
    await claim(1)
    expect(await reasonOf(2)).toBe('ALREADY_CLAIMED')
  })

  test('rejects a key that was used for another address', async () => {
    await quest()
    await claim(1, 'same')
    expect(await reasonOf(2, 'same')).toBe('KEY_USED')
  })

  test('rejects a banned address, and every address of a banned account, until the end of the ban', async () => {
    await quest()
    const account = deps.random.uuid()
    await link(account, [[address(1), 'EVMAddress']])
    const bans = [await ban({ address: address(9) }, { spaceId: SPACE }), await ban({ account })]
    expect((await claim(9)).error).toEqual({
      code: 'CONFLICT',
      reason: 'BANNED',
      rule: 'ban',
      retry: false,
      message: 'The address or its account is banned from the quests of this space',
    })
    expect(await reasonOf(1)).toBe('BANNED')
    // Linked without the extension of the ban: the account is banned too.
    await link(account, [[address(2), 'EVMAddress']])
    expect(await reasonOf(2)).toBe('BANNED')
    expect(await reasonOf(3)).toBe('applied')
    expect(await state()).toMatchObject({ count: 1, stored: 1 })
    for (const { id } of bans) await lift(id)
    await settle()
    expect([await reasonOf(9), await reasonOf(1)]).toEqual(['applied', 'applied'])
  })

  test('accepts addresses that are banned in other spaces', async () => {
    await quest()
    await ban({ address: address(1) }, { spaceId: 41 })
    await settle()
    expect(await reasonOf(1)).toBe('applied')
  })

  test('reports a claim from before the ban as a duplicate', async () => {
    await quest()
    await claim(1)
    await ban({ address: address(1) })
    expect(await reasonOf(1)).toBe('duplicate')
    expect(await reasonOf(1, 'other')).toBe('ALREADY_CLAIMED')
  })

  test('rejects an award that would leave the range of points, and stores nothing', async () => {
    await quest()
    await importRecords(deps, 'points', [{ spaceId: SPACE, address: address(1), points: 2_147_483_600 }])
    const { body } = await complete([1, 1, 2].map((n, i) => ({ key: i === 1 ? 'k0' : `k${i}`, address: address(n) })))
    expect(body.results.map(({ error, status }) => error?.reason ?? status)).toEqual([
      'POINTS_OUT_OF_RANGE',
      'POINTS_OUT_OF_RANGE',
      'applied',
    ])
    expect(body.results[0]?.error).toMatchObject({ code: 'OUT_OF_RANGE', rule: 'points' })
    expect(await state()).toMatchObject({ count: 1, stored: 1, claims: 1 })
  })
})

describe('bad requests', () => {
  test('get an error that names the field, and store nothing', async () => {
    await quest()
    const long = 'x'.repeat(91)
    const items = [
      {},
      { key: 'a' },
      { key: 'a', address: long },
      { key: 'a'.repeat(201), address: address(1) },
      { key: 'a', address: address(1), points: 5 },
      7,
    ]
    const { status, body } = await complete(items)
    expect(status).toBe(200)
    expect(body.results.map(({ error }) => [error?.code, error?.field])).toEqual([
      ['INVALID_ARGUMENT', 'key'],
      ['INVALID_ARGUMENT', 'address'],
      ['INVALID_ARGUMENT', 'address'],
      ['INVALID_ARGUMENT', 'key'],
      ['INVALID_ARGUMENT', 'points'],
      ['INVALID_ARGUMENT', undefined],
    ])
    expect(await state()).toMatchObject({ count: 0 })
  })

  test('get 404 for unknown quests and 403 for quests of other spaces', async () => {
    await quest()
    for (const questId of ['GCunknown', 'a%20b', '%00', 'x'.repeat(101)])
      expect((await complete([{ key: 'a', address: address(1) }], { questId })).status).toBe(404)
    const other = await ingestToken(service, { spaces: [41] })
    const { status, body } = await complete([{ key: 'a', address: address(1) }], { token: other })
    expect([status, body.error.code]).toEqual([403, 'PERMISSION_DENIED'])
  })
})

test('completions, awards, imports and transitions of one space do not deadlock', async () => {
  await quest({ cap: 40 })
  const quests = ['GCa', 'GCb', 'GCc']
  const other = (id: string) => ({ id, spaceId: SPACE, name: id, type: 'Points' as const, loyaltyPoints: 1, cap: 30 })
  await importRecords(deps, 'quests', quests.map(other))
  const rounds = Array.from({ length: 30 }, (_, i) => i)
  /** Repeats a request while the quest or the space is busy. */
  const accepted = async (request: () => ReturnType<typeof complete>) => {
    let answer = await request()
    while (answer.status === 503) answer = await request()
    return answer
  }
  const work = rounds.flatMap((i) => [
    ...[QUEST, ...quests].map((questId, q) =>
      accepted(() =>
        complete([{ key: `k${i}`, address: address(1_000 * q + i) }], { questId, at: i % 2 ? service : second }),
      ),
    ),
    accepted(() =>
      send(service, 'awards', [{ key: `a${i}`, spaceId: SPACE, address: address(i), points: 1 }], { token }),
    ),
    accepted(() => send(second, 'participants', [{ questId: quests[i % 3], address: address(9_000 + i) }], { token })),
  ])
  const answers = await Promise.all(work)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  for (const { participants_count: count, cap } of await database.query<{ participants_count: number; cap: number }>(
    'SELECT participants_count, cap FROM quests',
  ))
    expect(count).toBeLessThanOrEqual(cap)
  const [points] = await database.query<{ awarded: number; board: number }>(
    `SELECT (SELECT sum(points) FROM quest_claims) + 30 AS awarded,
       (SELECT sum(points) FROM board_entries WHERE sprint_id = 0) AS board`,
  )
  expect(points?.awarded).toBe(points?.board)
})

test('stores claims of several quests that wait for their space together', async () => {
  const quests = ['GCa', 'GCb', 'GCc', 'GCd', 'GCe']
  const of = (id: string, n: number) => ({ id, spaceId: SPACE, name: id, type: 'Points' as const, loyaltyPoints: n })
  await importRecords(deps, 'quests', quests.map(of))
  await importRecords(deps, 'points', [{ spaceId: SPACE, address: address(1), points: 1_000 }])
  const version = async () =>
    (await database.query<{ version: number }>('SELECT version FROM space_versions WHERE space_id = $1', [SPACE]))[0]
      ?.version ?? 0
  const before = await version()
  const blocker = await holdLocks(database.pool, ['SELECT FROM space_versions WHERE space_id = $1 FOR UPDATE', [SPACE]])
  const waiting = quests.map((questId) => complete([{ key: 'k', address: address(1) }], { questId }))
  await expect.poll(() => waitingSessions(database)).toBe(1)
  await blocker.release()
  const answers = await Promise.all(waiting)
  expect(answers.map(({ body }) => body.results[0]?.completion?.points)).toEqual([0, 1, 2, 3, 4])
  expect(await board()).toEqual([{ address: address(1), points: 1_010 }])
  // The first claim, and those that waited for it.
  expect((await version()) - before).toBeLessThanOrEqual(2)
})

test('claims of a locked quest do not hold up those of other quests of the space', async () => {
  const quests = ['GCa', 'GCb', 'GCc']
  const of = (id: string) => ({ id, spaceId: SPACE, name: id, type: 'Points' as const, loyaltyPoints: 5 })
  await importRecords(deps, 'quests', quests.map(of))
  const blocker = await holdLocks(database.pool, ["SELECT FROM quests WHERE quest_id = 'GCa' FOR UPDATE"])
  const [locked, ...others] = quests.map((questId) => complete([{ key: 'k', address: address(1) }], { questId }))
  const answers = await Promise.all(others)
  expect(answers.map(({ body }) => body.summary.applied)).toEqual([1, 1])
  await blocker.release()
  expect((await locked)?.body.summary.applied).toBe(1)
})

test('the response has the counts of a batch', async () => {
  await quest()
  const { body } = await complete([{ key: 'a', address: address(1) }, { key: 'a' }])
  expect(body.summary).toEqual({ applied: 1, duplicate: 0, unchanged: 0, refused: 1 })
})
