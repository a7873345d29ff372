import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import type { JobCall } from '../../src/jobs/jobs.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import type { AwardEvent } from '../../src/ranking/awards.queries.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import { scheduleJobs } from '../../src/schedule/schedule.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
let spaceId = 100
beforeEach(async () => {
  spaceId++
  await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
  await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
})

let keys = 0
const award = async (...events: Partial<AwardEvent>[]) =>
  (
    await service.database.kysely.transaction().execute((trx) =>
      applyEvents(
        trx,
        spaceId,
        events.map((event) => ({ key: `k${keys++}`, sprintId: 0, address: 'ann', points: 10, ...event })),
        service.clock,
      ),
    )
  ).outcomes
const after = (milliseconds: number) => new Date(service.clock.now() + milliseconds)

/** Runs the job as one instance until nothing is due. */
async function settle(): Promise<void> {
  const { database, clock, deps } = service
  const jobs = scheduleJobs({ ...deps, database, clock, starboardRefreshInterval: HOUR, auditRetention: DAY })
  const job = jobs.find(({ name }) => name === 'timed awards')
  const now = clock.now()
  const call: JobCall = { now, agreedNow: async () => now, signal: new AbortController().signal }
  while ((await job?.run(call)) === 0);
}

const board = async (sprintId = 0): Promise<Record<string, number>> => {
  const rows = await service.database.query<{ address: string; points: number }>(
    'SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2 ORDER BY address',
    [spaceId, sprintId],
  )
  return Object.fromEntries(rows.map(({ address, points }) => [address, points]))
}
const entries = () =>
  service.database.query(
    `SELECT version || '-' || position AS id, source, points_after - coalesce(points_before, 0) AS points, pending,
       sprint_after - coalesce(sprint_before, 0) AS sprint, award, reverses
     FROM ledger_entries WHERE space_id = $1 ORDER BY version, position`,
    [spaceId],
  )
const entry = (id: string, source: string, rest: object = {}) => ({
  id,
  source,
  points: null,
  pending: null,
  sprint: null,
  award: null,
  reverses: null,
  ...rest,
})
const verified = async () => {
  const report = await verifyLedger(service.database.kysely, spaceId)
  return report && [...report.chains.first, ...report.balances.first, report.pending.expected - report.pending.found]
}
const scheduled = async () =>
  (await service.database.query('SELECT FROM timed_awards WHERE space_id = $1', [spaceId])).length

describe('an award that is available later', () => {
  it('changes the board at its time, in an entry of its own', async () => {
    expect(await award({ availableAt: after(DAY), sprintId: 1 })).toEqual([{ status: 'applied' }])
    await settle()
    expect(await board()).toEqual({})
    service.clock.advance(DAY)
    await settle()
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 10 }, { ann: 10 }])
    expect(await entries()).toEqual([
      entry('1-1', 'award', { pending: 10 }),
      entry('2-1', 'availability', { points: 10, sprint: 10, pending: -10, award: '1-1' }),
    ])
    expect([await verified(), await scheduled()]).toEqual([[0], 0])
  })

  it('is available at once if its time has passed', async () => {
    await award({ availableAt: after(-DAY) }, { availableAt: after(0) })
    expect(await board()).toEqual({ ann: 20 })
    expect([await verified(), await scheduled()]).toEqual([[0], 0])
  })

  it('keeps its key, with its points and times', async () => {
    const [availableAt, expiresAt] = [after(DAY), after(2 * DAY)]
    await award({ key: 'later', availableAt, expiresAt })
    const same = { key: 'later', availableAt, expiresAt }
    expect(await award(same)).toEqual([{ status: 'duplicate' }])
    for (const change of [
      { points: 11 },
      { availableAt: expiresAt },
      { availableAt: undefined },
      { expiresAt: undefined },
    ])
      expect(await award({ ...same, ...change })).toMatchObject([{ status: 'refused', code: 'CONFLICT', field: 'key' }])
    service.clock.advance(3 * DAY)
    await settle()
    expect(await award(same)).toEqual([{ status: 'duplicate' }])
    expect(await scheduled()).toBe(0)
  })

  it('waits until its points fit into 32 bits', async () => {
    await award({ points: 2_147_483_640 }, { points: 10, availableAt: after(HOUR) })
    service.clock.advance(HOUR)
    await settle()
    expect(await board()).toEqual({ ann: 2_147_483_640 })
    await award({ points: -100 })
    service.clock.advance(HOUR)
    await settle()
    expect(await board()).toEqual({ ann: 2_147_483_550 })
    expect([await verified(), await scheduled()]).toEqual([[0], 0])
  })

  it('changes only the overall board after its sprint was deleted', async () => {
    await award({ sprintId: 1, availableAt: after(HOUR), expiresAt: after(2 * HOUR) })
    await deleteObject(service.deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
    await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
    await award({ sprintId: 1, points: 3 })
    service.clock.advance(HOUR)
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 13 }, { ann: 3 }])
    service.clock.advance(HOUR)
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 3 }, { ann: 3 }])
    expect(await verified()).toEqual([0])
  })
})

describe('an award that expires', () => {
  it('gives its points back at its time, on both boards', async () => {
    await award({ sprintId: 1, expiresAt: after(DAY) }, { points: 5 })
    service.clock.advance(DAY - SECOND)
    await settle()
    expect(await board()).toEqual({ ann: 15 })
    service.clock.advance(SECOND)
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 5 }, { ann: 0 }])
    expect((await entries()).at(-1)).toEqual(entry('2-1', 'expiry', { points: -10, sprint: -10, reverses: '1-1' }))
    expect([await verified(), await scheduled()]).toEqual([[0], 0])
  })

  it('takes at most the points that the member still has', async () => {
    await award({ points: 10, expiresAt: after(DAY) }, { points: 10, expiresAt: after(DAY), sprintId: 1 })
    await award({ points: -15 })
    service.clock.advance(DAY)
    await settle()
    expect([await board(), await board(1)]).toEqual([{ ann: 0 }, { ann: 0 }])
    expect((await entries()).slice(3)).toEqual([
      entry('3-1', 'expiry', { points: -5, reverses: '1-1' }),
      entry('3-2', 'expiry', { points: 0, sprint: -10, reverses: '1-2' }),
    ])
    expect(await verified()).toEqual([0])
  })

  it('does not change a negative total, and ends a penalty', async () => {
    await award(
      { points: 4, expiresAt: after(DAY) },
      { points: -9 },
      { address: 'bob', points: -7, expiresAt: after(DAY) },
    )
    service.clock.advance(DAY)
    await settle()
    expect(await board()).toEqual({ ann: -5, bob: 0 })
    expect(await verified()).toEqual([0])
  })

  it('fails when its time has passed', async () => {
    expect(await award({ expiresAt: after(0) }, { points: 1 })).toMatchObject([
      { status: 'refused', code: 'OUT_OF_RANGE', field: 'expiresAt' },
      { status: 'applied' },
    ])
  })
})

describe('the schedule', () => {
  it('catches up in order after a long stop', async () => {
    await award(
      { points: 1, availableAt: after(DAY), expiresAt: after(40 * DAY) },
      { points: 2, availableAt: after(DAY), expiresAt: after(90 * DAY) },
      { points: 4, expiresAt: after(2 * DAY) },
    )
    service.clock.advance(60 * DAY)
    await settle()
    expect(await board()).toEqual({ ann: 2 })
    expect((await entries()).slice(3)).toEqual([
      entry('2-1', 'expiry', { pending: -1, reverses: '1-1' }),
      entry('2-2', 'availability', { points: 2, pending: -2, award: '1-2' }),
      entry('2-3', 'expiry', { points: -4, reverses: '1-3' }),
    ])
    service.clock.advance(60 * DAY)
    await settle()
    expect([await board(), await verified(), await scheduled()]).toEqual([{ ann: 0 }, [0], 0])
  })

  it('applies each change once with several instances at the same time', async () => {
    for (let i = 0; i < 30; i++)
      await award(
        ...Array.from({ length: 50 }, (_, j) => ({
          address: `m${j}`,
          points: 1,
          availableAt: after(HOUR),
          expiresAt: after(2 * HOUR),
        })),
      )
    service.clock.advance(HOUR)
    await Promise.all(Array.from({ length: 6 }, settle))
    expect(await board()).toEqual(Object.fromEntries(Array.from({ length: 50 }, (_, j) => [`m${j}`, 30])))
    service.clock.advance(HOUR)
    await Promise.all(Array.from({ length: 6 }, settle))
    expect(Object.values(await board()).every((points) => points === 0)).toBe(true)
    expect([await verified(), await scheduled()]).toEqual([[0], 0])
  })

  it('skips a space that another transaction holds, and settles the others', async () => {
    await award({ availableAt: after(HOUR) })
    const held = spaceId++
    await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
    await award({ availableAt: after(HOUR) })
    service.clock.advance(HOUR)
    await service.database.kysely.transaction().execute(async (trx) => {
      await trx.selectFrom('space_versions').select('version').where('space_id', '=', held).forUpdate().execute()
      await settle()
    })
    expect(await board()).toEqual({ ann: 10 })
    spaceId = held
    expect(await board()).toEqual({})
    await settle()
    expect(await board()).toEqual({ ann: 10 })
    spaceId++
  })
})

describe('an erased member', () => {
  it('receives and loses no more points', async () => {
    await award(
      { points: 7, availableAt: after(HOUR), expiresAt: after(DAY) },
      { points: 5, expiresAt: after(DAY) },
      { address: 'bob', points: 3, availableAt: after(HOUR) },
    )
    await eraseAddress(service.deps, 'ann')
    await award({ points: 1 })
    service.clock.advance(DAY)
    await settle()
    expect(await board()).toEqual({ ann: 1, bob: 3 })
    expect((await entries()).slice(3, 5)).toEqual([
      entry('2-1', 'erasure', { points: null }),
      entry('3-1', 'erasure', { pending: -7 }),
    ])
    const named = await service.database.query(
      `SELECT count(*)::int FROM ledger_entries WHERE space_id = $1 AND address = 'ann'`,
      [spaceId],
    )
    expect([named, await verified(), await scheduled()]).toEqual([[{ count: 1 }], [0], 0])
  })

  it('loses awards on spaces without a place on a board', async () => {
    await award({ points: 7, availableAt: after(HOUR) })
    await eraseAddress(service.deps, 'ann')
    service.clock.advance(HOUR)
    await settle()
    expect([await board(), await verified(), await scheduled()]).toEqual([{}, [0], 0])
    const rest = await service.database.query(`SELECT FROM ledger_entries WHERE space_id = $1 AND address = 'ann'`, [
      spaceId,
    ])
    expect(rest).toEqual([])
  })
})

it('an import of awards has times, and none without a line that breaks their order', async () => {
  const line = { spaceId, key: 'a', address: 'ann', points: 5 }
  const [availableAt, expiresAt] = [after(HOUR).toISOString(), after(DAY).toISOString()]
  await expect(
    importRecords(service.deps, 'awards', [
      { ...line, key: 'b' },
      { ...line, availableAt: expiresAt, expiresAt: availableAt },
    ]),
  ).rejects.toThrow('expiresAt')
  expect(await board()).toEqual({})
  await importRecords(service.deps, 'awards', [{ ...line, availableAt, expiresAt }])
  service.clock.advance(HOUR)
  await settle()
  expect(await board()).toEqual({ ann: 5 })
  service.clock.advance(DAY)
  await settle()
  expect(await board()).toEqual({ ann: 0 })
})
