import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { idOf, type LedgerEntry } from '../../src/ledger/entry.ts'
import { readNewest } from '../../src/ledger/read-entries.ts'
import { readReversalStates } from '../../src/ledger/reversals.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import { settleSpace } from '../../src/ranking/timed-awards.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { startService, type TestService } from '../support/service.ts'
import { listen } from '../webhooks/listen.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
})
afterAll(() => service.stop())
let spaceId = 100
beforeEach(async () => {
  spaceId++
  await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
  await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
})

const award = async (...awards: object[]) => {
  const items = awards.map((each) => ({ spaceId, address: 'ann', points: 10, ...each }))
  const { body } = await send(service, 'awards', items, { token })
  expect(body.summary).toMatchObject({ refused: 0 })
}
const reverse = async (...reversals: object[]) => {
  const items = reversals.map((each) => ({ spaceId, reason: 'A mistake', ...each }))
  const { body } = await send(service, 'awards/reversals', items, { token })
  return body.results.map(({ index, error, ...rest }) => {
    expect(items[index]).toBeDefined()
    return { ...rest, ...(error && { code: error.code, field: error.field, message: error.message }) }
  })
}
const containing = (text: string) => expect.stringContaining(text) as string
const settle = () =>
  service.database.kysely
    .transaction()
    .execute((trx) => settleSpace(trx, spaceId, { clock: service.clock, lockWait: 1_000 }))
const after = (milliseconds: number) => new Date(service.clock.now() + milliseconds).toISOString()
const board = async (sprintId = 0): Promise<Record<string, number>> => {
  const rows = await service.database.query<{ address: string; points: number }>(
    'SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2 ORDER BY address',
    [spaceId, sprintId],
  )
  return Object.fromEntries(rows.map(({ address, points }) => [address, points]))
}
const ledger = async () => {
  const response = await fetch(`${service.url}/ingest/v1/spaces/${spaceId}/ledger`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { items: LedgerEntry[] }).items
}
const verified = async () => {
  const report = await verifyLedger(service.database.kysely, spaceId)
  return report && [...report.chains.first, ...report.balances.first, report.pending.expected - report.pending.found]
}

describe('a reversal', () => {
  it('takes an award back on both boards with a new entry', async () => {
    await award({ key: 'a', sprintId: 1 }, { key: 'b', points: 3 })
    expect(await reverse({ key: 'a' })).toEqual([{ status: 'applied', entry: '2-1' }])
    expect([await board(), await board(1)]).toEqual([{ ann: 3 }, { ann: 0 }])
    expect((await ledger()).at(-1)).toMatchObject({
      id: '2-1',
      source: 'reversal',
      reverses: '1-1',
      sprintId: 1,
      amount: -10,
      pointsAfter: 3,
      sprintAfter: 0,
      reason: 'A mistake',
      key: null,
      actor: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    })
    expect(await verified()).toEqual([0])
  })

  it('counts once, in one batch and later, under the key and under the id', async () => {
    await award({ key: 'a' })
    expect((await reverse({ key: 'a' }, { entry: '1-1' })).map(({ status }) => status)).toEqual([
      'applied',
      'duplicate',
    ])
    expect((await reverse({ key: 'a', reason: 'Another' })).map(({ status }) => status)).toEqual(['duplicate'])
    expect(await board()).toEqual({ ann: 0 })
  })

  it('does not free the key of the award', async () => {
    await award({ key: 'a' })
    await reverse({ key: 'a' })
    const { body } = await send(service, 'awards', [{ spaceId, key: 'a', address: 'ann', points: 10 }], { token })
    expect(body.summary).toMatchObject({ duplicate: 1 })
    expect(await board()).toEqual({ ann: 0 })
  })

  it('takes back imported totals, awards from files and points of quests', async () => {
    await importRecords(service.deps, 'points', [{ spaceId, address: 'ann', points: 7 }])
    await importRecords(service.deps, 'points', [{ spaceId, address: 'ann', points: 4 }])
    await importRecords(service.deps, 'points', [{ spaceId, sprintId: 1, address: 'ann', points: 5 }])
    await importRecords(service.deps, 'awards', [{ spaceId, key: 'file', address: 'ann', points: 2 }])
    expect(await reverse({ entry: '2-1' }, { entry: '3-1' }, { key: 'file' })).toMatchObject([
      { status: 'applied' },
      { status: 'applied' },
      { status: 'applied' },
    ])
    expect([await board(), await board(1)]).toEqual([{ ann: 7 }, { ann: 0 }])
    expect(await verified()).toEqual([0])
  })

  it('gives points back that a negative award took', async () => {
    await award({ key: 'a' }, { key: 'fine', points: -4 })
    await reverse({ key: 'fine' })
    expect(await board()).toEqual({ ann: 10 })
  })

  it('reverses the newest award of a key that was used again', async () => {
    await award({ key: 'a', points: 1 })
    service.clock.advance(36 * DAY)
    await award({ key: 'a', points: 5 })
    await reverse({ key: 'a' })
    expect(await board()).toEqual({ ann: 1 })
    expect(await reverse({ entry: '1-1' })).toMatchObject([{ status: 'applied' }])
    expect(await board()).toEqual({ ann: 0 })
    expect(await verified()).toEqual([0])
  })

  it('fails if the entry is a reversal, an erasure or unknown', async () => {
    await award({ key: 'a' }, { key: 'b', address: 'bob' })
    await reverse({ key: 'a' })
    await eraseAddress(service.deps, 'bob')
    expect(
      await reverse({ entry: '2-1' }, { entry: '3-1' }, { key: 'b' }, { entry: '9-9' }, { key: 'unknown' }),
    ).toMatchObject([
      { status: 'refused', code: 'CONFLICT', field: 'entry', message: containing('is a reversal') },
      { status: 'refused', code: 'CONFLICT', field: 'entry', message: containing('erasure') },
      { status: 'refused', code: 'CONFLICT', field: 'key', message: containing('was erased') },
      { status: 'refused', code: 'NOT_FOUND', field: 'entry' },
      { status: 'refused', code: 'NOT_FOUND', field: 'key' },
    ])
    expect(await board()).toEqual({ ann: 0 })
  })

  it('fails as a whole if the total would leave 32 bits', async () => {
    await award({ key: 'high', points: 2_000_000_001, sprintId: 1 }, { key: 'low', points: -2_147_483_648 })
    await award({ key: 'lower', points: -1 })
    const message = expect.stringContaining('-2147483648 to 2147483647') as string
    expect(await reverse({ key: 'high' })).toMatchObject([
      { status: 'refused', code: 'OUT_OF_RANGE', field: 'key', message },
    ])
    expect([await board(), await board(1)]).toEqual([{ ann: -147_483_648 }, { ann: 2_000_000_001 }])
  })

  it('changes only the overall board after the sprint was deleted', async () => {
    await award({ key: 'a', sprintId: 1 })
    await deleteObject(service.deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
    await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
    await award({ key: 'b', sprintId: 1, points: 3 })
    expect(await reverse({ key: 'a' })).toMatchObject([{ status: 'applied' }])
    expect([await board(), await board(1)]).toEqual([{ ann: 3 }, { ann: 3 }])
    expect(await verified()).toEqual([0])
  })

  it('emits points.awarded with negative points, to webhooks that received the award', async () => {
    const subjects = [`space:${spaceId}`]
    const [some, large] = [
      await listen(service.database, { types: ['points.awarded'], subjects, minPoints: 5 }),
      await listen(service.database, { types: ['points.awarded'], subjects, minPoints: 50 }),
    ]
    await award({ key: 'a', sprintId: 1 })
    await reverse({ key: 'a' })
    const [, reversed] = (await some.heard()).map(({ data }) => data)
    expect(reversed).toMatchObject({
      cause: 'reversal',
      awards: [{ address: 'ann', sprintId: 1, points: -10, total: 0 }],
    })
    expect(await large.heard()).toEqual([])
  })
})

describe('a reversal of an award with times', () => {
  it('cancels points that are not available yet', async () => {
    await award({ key: 'a', availableAt: after(HOUR), expiresAt: after(DAY) })
    expect(await reverse({ key: 'a' })).toMatchObject([{ status: 'applied' }])
    expect((await ledger()).at(-1)).toMatchObject({ source: 'reversal', amount: 0, pending: -10, reverses: '1-1' })
    service.clock.advance(2 * DAY)
    await settle()
    expect([await board(), await verified()]).toEqual([{}, [0]])
    expect(await reverse({ key: 'a' })).toMatchObject([{ status: 'duplicate' }])
  })

  it('takes back points that became available, under the id of either entry, and ends the expiry', async () => {
    await award({ key: 'a', sprintId: 1, availableAt: after(HOUR), expiresAt: after(DAY) })
    service.clock.advance(HOUR)
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 10 }, { ann: 10 }])
    expect((await reverse({ entry: '2-1' }, { key: 'a' })).map(({ status }) => status)).toEqual([
      'applied',
      'duplicate',
    ])
    expect((await ledger()).at(-1)).toMatchObject({ reverses: '1-1', amount: -10, sprintAfter: 0 })
    await award({ key: 'b', points: 20 })
    service.clock.advance(DAY)
    await settle()
    expect([await board(), await verified()]).toEqual([{ ann: 20 }, [0]])
  })

  it('fails after the award has expired', async () => {
    await award({ key: 'a', expiresAt: after(HOUR) })
    service.clock.advance(HOUR)
    await settle()
    expect(await reverse({ key: 'a' }, { entry: '2-1' })).toMatchObject([
      { status: 'refused', code: 'CONFLICT', message: containing('has expired') },
      { status: 'refused', code: 'CONFLICT', message: containing('is the expiry') },
    ])
    expect([await board(), await verified()]).toEqual([{ ann: 0 }, [0]])
  })

  it('competes with the expiry, and one of them takes the points back', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `k${i}`)
    await award(...names.map((key) => ({ key, points: 1, expiresAt: after(HOUR) })))
    service.clock.advance(HOUR)
    await Promise.all([settle(), ...names.map((key) => reverse({ key })), settle()])
    expect([await board(), await verified()]).toEqual([{ ann: 0 }, [0]])
  })
})

it('names exactly the entries whose reversal is accepted', async () => {
  await award({ key: 'awarded' }, { key: 'of-rule' }, { key: 'reversed' }, { key: 'erased', address: 'bob' })
  await service.database.query(`UPDATE ledger_entries SET source = 'rule' WHERE space_id = $1 AND key = 'of-rule'`, [
    spaceId,
  ])
  await award({ key: 'available', availableAt: after(HOUR) }, { key: 'expired', expiresAt: after(HOUR) })
  await reverse({ key: 'reversed' })
  await importRecords(service.deps, 'points', [{ spaceId, sprintId: 1, address: 'ann', points: 5 }])
  await importRecords(service.deps, 'points', [{ spaceId, address: 'cyd', points: 0 }])
  await deleteObject(service.deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
  await eraseAddress(service.deps, 'bob')
  service.clock.advance(HOUR)
  await settle()
  await award({ key: 'pending', availableAt: after(HOUR) })
  const { entries } = await readNewest(service.database.kysely, { spaceId }, { first: 100 }, service.clock)
  const stateOf = await readReversalStates(service.database.kysely, spaceId, entries)
  const reversible = entries.filter((entry) => stateOf(entry).reversible)
  expect(reversible.map(({ source, key, address }) => [source, key ?? address])).toEqual([
    ['award', 'pending'],
    ['availability', 'ann'],
    ['import', 'cyd'],
    ['award', 'available'],
    ['rule', 'of-rule'],
    ['award', 'awarded'],
  ])
  const accepted = new Set<string>()
  for (const entry of entries) {
    const [result] = await reverse({ entry: idOf(entry) })
    // The award is reversed together with its availability.
    if (result?.status === 'applied' || entry.key === 'available') accepted.add(idOf(entry))
  }
  expect(accepted).toEqual(new Set(reversible.map(idOf)))
})

describe('POST /ingest/v1/awards/reversals', () => {
  it.each([
    [{ spaceId: 0, key: 'a' }, 'INVALID_ARGUMENT', 'spaceId'],
    [{ spaceId: 99, key: 'a' }, 'NOT_FOUND', 'spaceId'],
    [{}, 'INVALID_ARGUMENT', 'key'],
    [{ key: 'a', entry: '1-1' }, 'INVALID_ARGUMENT', 'key'],
    [{ key: 'tab\t' }, 'INVALID_ARGUMENT', 'key'],
    [{ entry: '1' }, 'INVALID_ARGUMENT', 'entry'],
    [{ entry: 12 }, 'INVALID_ARGUMENT', 'entry'],
    [{ key: 'a', reason: '' }, 'INVALID_ARGUMENT', 'reason'],
    [{ key: 'a', reason: 'x'.repeat(501) }, 'INVALID_ARGUMENT', 'reason'],
    [{ key: 'a', points: 4 }, 'INVALID_ARGUMENT', 'points'],
    [{ key: 'a', amount: 4 }, 'INVALID_ARGUMENT', 'amount'],
  ])('refuses %j and applies the others', async (item, code, field) => {
    await award({ key: 'a' }, { key: 'b' })
    const [refused, applied] = await reverse(item, { key: 'b' })
    expect(refused).toMatchObject({ status: 'refused', code, field })
    expect(applied).toMatchObject({ status: 'applied' })
    expect(await board()).toEqual({ ann: 10 })
  })

  it('requires a token that may write the space', async () => {
    await award({ key: 'a' })
    const as = await ingestToken(service, { spaces: [spaceId + 1_000] })
    const { body } = await send(service, 'awards/reversals', [{ spaceId, key: 'a', reason: 'R' }], { token: as })
    expect(body.results).toMatchObject([{ status: 'refused', error: { code: 'PERMISSION_DENIED', field: 'spaceId' } }])
  })

  it('applies each reversal once with concurrent requests', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `k${i}`)
    await award(...names.map((key) => ({ key, points: 1 })))
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => reverse(...names.map((key) => ({ key })))))
    expect(outcomes.flat().filter(({ status }) => status === 'applied')).toHaveLength(100)
    expect([await board(), await verified()]).toEqual([{ ann: 0 }, [0]])
  })
})

describe('questboard ledger reverse', () => {
  const run = (...args: string[]) =>
    questboard(['ledger', 'reverse', String(spaceId), ...args], { DATABASE_URL: urlOf(service.database.connection) })

  it('reverses an entry, prints the new one and writes an audit entry', async () => {
    await award({ key: 'a' }, { key: 'b' })
    expect(await run('1-1', '--reason', 'Wrong member')).toMatchObject({
      code: 0,
      stdout: 'Reversed with the entry 2-1.\n',
    })
    expect(await run('--key', 'a', '--reason', 'Again')).toMatchObject({
      code: 0,
      stdout: 'It was already reversed; nothing changed.\n',
    })
    expect(await board()).toEqual({ ann: 10 })
    const events = await service.database.query(
      `SELECT details FROM security_events WHERE event = 'points.reversed' AND details ->> 'space' = $1`,
      [String(spaceId)],
    )
    expect(events).toEqual([{ details: { space: String(spaceId), entry: '2-1', by: 'command' } }])
  })

  it.each([
    [['9-9', '--reason', 'R'], 'entry is not the id'],
    [['--reason', 'R'], 'The entry is missing: name its id, or --key'],
    [['1-1', '--key', 'k', '--reason', 'R'], 'The entry and --key are both given'],
    [['x', '--reason', 'R'], 'such as 12-3'],
    [['1-1'], '--reason'],
    [['1-1', '--reason', ' '], '1 to 500 characters'],
  ])('refuses %j', async (args, text) => {
    const { code, stderr } = await run(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)])
  })
})
