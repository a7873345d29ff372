import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import type { JobCall } from '../../src/jobs/jobs.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import type { AwardEvent } from '../../src/ranking/awards.queries.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import { scheduleJobs } from '../../src/schedule/schedule.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
let spaceId = 100
beforeEach(async () => {
  spaceId++
  service.clock.set('2026-11-21T12:00:00Z')
  await service.database.query('TRUNCATE scheduled_tasks')
  await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
})

let keys = 0
const award = (...events: Partial<AwardEvent>[]) =>
  service.database.kysely.transaction().execute((trx) =>
    applyEvents(
      trx,
      spaceId,
      events.map((event) => ({ key: `k${keys++}`, sprintId: 0, address: 'ann', points: 10, ...event })),
      service.clock,
    ),
  )

/** Runs the job once as one instance. */
async function runJob(): Promise<void> {
  const { database, clock, deps } = service
  const { log, random } = deps
  const jobs = scheduleJobs({ database, clock, random, log, starboardRefreshInterval: HOUR, auditRetention: DAY })
  const now = clock.now()
  const call: JobCall = { now, agreedNow: async () => now, signal: new AbortController().signal }
  await jobs.find(({ name }) => name === 'ledger seals')?.run(call)
}
const query = <Row extends object>(text: string, values: unknown[] = [spaceId]) =>
  service.database.query<Row & Record<string, unknown>>(text, values)
const seals = async () => (await verifyLedger(service.database.kysely, spaceId))?.seals
const months = async () => (await seals())?.sealed.map(({ month, entryCount }) => [month, entryCount])
const broken = async () => (await seals())?.broken

/** Entries of September, October and November, and seals of the first two. */
async function threeMonths(): Promise<void> {
  for (const month of ['09', '10', '11']) {
    service.clock.set(`2026-${month}-10T12:00:00Z`)
    await award({ points: 5, reason: 'R' }, { address: 'bob', points: 7 }, { address: 'cyd', points: 1 })
  }
  await runJob()
}

describe('the job', () => {
  it('seals each month an hour after its end, and not the current one', async () => {
    await award({}, { address: 'bob' })
    service.clock.set('2026-12-01T00:59:59Z')
    await award({})
    await runJob()
    expect(await months()).toEqual([])
    service.clock.advance(20 * MINUTE)
    await runJob()
    expect(await months()).toEqual([['2026-11', 2]])
    expect(await broken()).toBeUndefined()
  })

  it('seals all ended months after downtime, oldest first, once with several instances', async () => {
    for (const month of ['09', '10', '11']) {
      service.clock.set(`2026-${month}-10T12:00:00Z`)
      await award({})
    }
    service.clock.set('2027-03-01T12:00:00Z')
    for (let i = 0; i < 3; i++) {
      await service.database.query('TRUNCATE scheduled_tasks')
      await Promise.all([runJob(), runJob()])
    }
    expect(await months()).toEqual([
      ['2026-09', 1],
      ['2026-10', 1],
      ['2026-11', 1],
    ])
    expect(await broken()).toBeUndefined()
  })

  it('chains the SHA-256 of the entries, with a salted hash in place of the address', async () => {
    const actor = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a0aa'
    await award({ key: 'order', reason: 'Hi "you"', actor, expiresAt: new Date('2027-01-01T00:00:00Z') })
    service.clock.set('2026-12-10T00:00:00Z')
    await runJob()
    const [salted] = await query<{ salt: Buffer }>('SELECT salt FROM ledger_salts WHERE space_id = $1')
    const sha256 = () => createHash('sha256')
    const member = sha256().update(salted!.salt).update('ann').digest('hex').slice(0, 32)
    const line =
      `{"version":1,"position":1,"time":${Date.parse('2026-11-21T12:00:00Z')}000,"sprintId":0,"member":"erased:${member}",` +
      `"pointsAfter":10,"source":"award","key":"order","reason":"Hi \\"you\\"","actor":"${actor}",` +
      `"expiresAt":${Date.parse('2027-01-01T00:00:00Z')}000}\n`
    const head = `{"spaceId":${spaceId},"month":"2026-11"}\n`
    const first = sha256().update(Buffer.alloc(32)).update(head).update(line).digest()
    expect((await seals())?.sealed.map(({ digest }) => digest)).toEqual([first])
    await award({ key: 'next', address: 'erased:x' })
    service.clock.set('2027-01-10T00:00:00Z')
    await service.database.query('TRUNCATE scheduled_tasks')
    await runJob()
    const next =
      `{"version":2,"position":1,"time":${Date.parse('2026-12-10T00:00:00Z')}000,"sprintId":0,"member":"erased:x",` +
      `"pointsAfter":10,"source":"award","key":"next"}\n`
    const second = sha256().update(first).update(`{"spaceId":${spaceId},"month":"2026-12"}\n`).update(next).digest()
    expect((await seals())?.sealed.at(-1)?.digest).toEqual(second)
  })

  it('ignores partitions that are not of a month', async () => {
    await service.database.query('CREATE TABLE ledger.entries_default PARTITION OF ledger_entries DEFAULT')
    try {
      await award({})
      service.clock.set('2026-12-10T00:00:00Z')
      await runJob()
      expect([await months(), await broken()]).toEqual([[['2026-11', 1]], undefined])
    } finally {
      await service.database.query('DROP TABLE ledger.entries_default')
    }
  })

  it('reads many entries in parts', async () => {
    await award(...Array.from({ length: 6_000 }, (_, i) => ({ address: `m${i}`, points: i })))
    service.clock.set('2026-12-10T00:00:00Z')
    await runJob()
    expect([await months(), await broken()]).toEqual([[['2026-11', 6_000]], undefined])
  })
})

describe('the verification finds', () => {
  beforeEach(threeMonths)

  it.each([
    ['a changed amount', "UPDATE ledger_entries SET points_after = 6 WHERE address = 'ann'", '2026-09'],
    ['a changed reason', "UPDATE ledger_entries SET reason = 'S' WHERE version = 2 AND reason = 'R'", '2026-10'],
    [
      'a changed time',
      "UPDATE ledger_entries SET entered_at = (entered_at AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC' WHERE version = 2",
      '2026-10',
    ],
    ['a removed reason', 'UPDATE ledger_entries SET reason = NULL WHERE version = 1', '2026-09'],
    ['a removed entry', 'DELETE FROM ledger_entries WHERE version = 2 AND position = 3', '2026-10'],
    ['a removed month', 'DELETE FROM ledger_entries WHERE version = 1', '2026-09'],
    [
      'an entry of another member',
      "UPDATE ledger_entries SET address = 'dan' WHERE address = 'cyd' AND version = 2",
      '2026-10',
    ],
    [
      'two members whose entries were swapped',
      "UPDATE ledger_entries SET address = CASE address WHEN 'ann' THEN 'bob' ELSE 'ann' END WHERE address <> 'cyd'",
      '2026-09',
    ],
    [
      'an added entry',
      `INSERT INTO ledger_entries (space_id, sprint_id, version, entered_at, position, points_after, source, address)
       SELECT space_id, 0, 1, entered_at, 99, 5, 'award', 'eve' FROM ledger_entries WHERE version = 1 AND position = 1`,
      '2026-09',
    ],
    ['a changed digest', "UPDATE ledger_seals SET digest = digest || '\\x00' WHERE month = '2026-10-01'", '2026-10'],
    ['a removed seal', "DELETE FROM ledger_seals WHERE month = '2026-09-01'", '2026-09', 'no seal'],
    ['a removed salt', "DELETE FROM ledger_salts WHERE address = 'ann'", '2026-09'],
  ])('%s', async (_what, statement, month, reason = 'changed') => {
    expect(await broken()).toBeUndefined()
    const own = statement.startsWith('INSERT')
      ? `${statement} AND space_id = ${spaceId}`
      : statement.includes('WHERE')
        ? statement.replace('WHERE', `WHERE space_id = ${spaceId} AND`)
        : statement
    await service.database.query(own)
    expect(await broken()).toEqual({ month, reason })
  })

  it('nothing in the month that is not sealed', async () => {
    await query("UPDATE ledger_entries SET reason = 'changed' WHERE space_id = $1 AND version = 3")
    expect(await broken()).toBeUndefined()
  })
})

describe('a sealed ledger', () => {
  beforeEach(threeMonths)

  it('still matches its seals after members were erased, and their names reveal no address', async () => {
    await eraseAddress(service.deps, 'ann')
    await eraseAddress(service.deps, 'bob')
    await award({ address: 'ann', points: 3 })
    expect(await broken()).toBeUndefined()
    const names = await query<{ address: string }>(
      `SELECT DISTINCT address FROM ledger_entries WHERE space_id = $1 AND address LIKE 'erased:%'`,
    )
    expect(names).toHaveLength(2)
    expect(await query('SELECT address FROM ledger_salts WHERE space_id = $1')).toEqual([{ address: 'cyd' }])
    service.clock.set('2026-12-10T00:00:00Z')
    await service.database.query('TRUNCATE scheduled_tasks')
    await runJob()
    expect([await months(), await broken()]).toEqual([
      [
        ['2026-09', 3],
        ['2026-10', 3],
        ['2026-11', 6],
      ],
      undefined,
    ])
  })

  it('matches after an erasure that competes with the seal', async () => {
    await award(...Array.from({ length: 40 }, (_, i) => ({ address: `m${i}` })))
    service.clock.set('2026-12-10T00:00:00Z')
    await service.database.query('TRUNCATE scheduled_tasks')
    const eraseSome = async (from: number) => {
      for (let i = from; i < 40; i += 4) await eraseAddress(service.deps, `m${i}`)
    }
    await Promise.all([runJob(), ...[0, 1, 2, 3].map(eraseSome)])
    await service.database.query('TRUNCATE scheduled_tasks')
    await runJob()
    expect([(await months())?.length, await broken()]).toEqual([3, undefined])
    expect(await query("SELECT FROM ledger_salts WHERE space_id = $1 AND address LIKE 'm%'")).toEqual([])
  })

  it('disappears with its space', async () => {
    await deleteObject(service.deps, 'space', String(spaceId), { note: async () => {} })
    for (const table of ['ledger_seals', 'ledger_salts'])
      expect(await query(`SELECT FROM ${table} WHERE space_id = $1`)).toEqual([])
  })

  it('the command verifies it, and prints the digests and the first month that was changed', async () => {
    const run = (...args: string[]) =>
      questboard(['ledger', 'verify', String(spaceId), ...args], { DATABASE_URL: urlOf(service.database.connection) })
    const sound = await run()
    expect([sound.code, sound.stdout]).toEqual([
      0,
      expect.stringMatching(/\n2026-09: 3 entries, digest [0-9a-f]{64}\n2026-10: 3 entries, digest [0-9a-f]{64}\n$/),
    ])
    await query("UPDATE ledger_entries SET reason = 'changed' WHERE space_id = $1 AND version = 2")
    const changed = await run()
    expect([changed.code, changed.stdout]).toEqual([
      1,
      expect.stringContaining('The entries of 2026-10 were changed after the month was sealed.'),
    ])
    const { seals, identical } = JSON.parse((await run('--json')).stdout) as Record<string, never>
    expect([seals, identical]).toMatchObject([
      { sealed: [{ month: '2026-09', entries: 3 }, { entries: 3 }], broken: { month: '2026-10', reason: 'changed' } },
      false,
    ])
  })
})
