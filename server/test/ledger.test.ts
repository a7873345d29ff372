import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../src/clock.ts'
import { importRecords } from '../src/ingest/import-records.ts'
import { deleteObject } from '../src/objects/objects.ts'
import { eraseAddress } from '../src/personal-data/erase-address.ts'
import type { AwardEvent } from '../src/ranking/awards.queries.ts'
import { applyEvents } from '../src/ranking/awards.ts'
import { enterSomeOpenings } from '../src/ledger/openings.ts'
import { verifyLedger } from '../src/ledger/verify.ts'
import { bansFixture } from './bans/arrange.ts'
import { importText } from './ingest/files.ts'
import { isCluster } from './support/database.ts'
import { startService, type TestService } from './support/service.ts'

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
const award = (...events: Partial<AwardEvent>[]) =>
  service.database.kysely.transaction().execute((trx) =>
    applyEvents(
      trx,
      spaceId,
      events.map((event) => ({ key: `k${keys++}`, sprintId: 0, address: 'ann', points: 1, ...event })),
      service.clock,
    ),
  )
const totals = (...rows: { address: string; points: number; sprintId?: number; username?: string }[]) =>
  importRecords(
    service.deps,
    'points',
    rows.map((row) => ({ spaceId, ...row })),
  )
const entries = (columns: string) =>
  service.database.query(`SELECT ${columns} FROM ledger_entries WHERE space_id = $1 ORDER BY version, position`, [
    spaceId,
  ])
const times = () =>
  service.database.query(
    'SELECT DISTINCT version, entered_at FROM ledger_entries WHERE space_id = $1 ORDER BY version, entered_at',
    [spaceId],
  )
const verified = async () => {
  const report = await verifyLedger(service.database.kysely, spaceId)
  return report && [...report.chains.first, ...report.balances.first]
}

describe('an entry', () => {
  it('has the balances before and after each award, on the overall board and on the sprint', async () => {
    await award({ points: 5 }, { points: -2, sprintId: 1 }, { points: 4, sprintId: 1 })
    expect(await entries('sprint_id, points_before, points_after, sprint_before, sprint_after')).toEqual([
      { sprint_id: 0, points_before: null, points_after: 5, sprint_before: null, sprint_after: null },
      { sprint_id: 1, points_before: 5, points_after: 3, sprint_before: null, sprint_after: -2 },
      { sprint_id: 1, points_before: 3, points_after: 7, sprint_before: -2, sprint_after: 2 },
    ])
  })

  it('has the source, actor and reason that the caller names', async () => {
    const actor = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a0aa'
    await award({ source: 'quest', actor, reason: 'Quest "Plant a tree", \\o/' }, {})
    expect(await entries('source, actor, reason')).toEqual([
      { source: 'quest', actor, reason: 'Quest "Plant a tree", \\o/' },
      { source: 'award', actor: null, reason: null },
    ])
  })

  it('exists once for each total that an import changes, and not for a name', async () => {
    await totals({ address: 'ann', points: 5 }, { address: 'bob', points: 6, sprintId: 1 })
    await totals({ address: 'ann', points: 5, username: 'Ann' }, { address: 'bob', points: 4, sprintId: 1 })
    const stored = await entries('address, source, points_after, sprint_before, sprint_after')
    // The entries of one import have no order.
    expect(stored.toSorted((a, b) => String(a.address).localeCompare(String(b.address)))).toEqual([
      { address: 'ann', source: 'import', points_after: 5, sprint_before: null, sprint_after: null },
      { address: 'bob', source: 'import', points_after: null, sprint_before: null, sprint_after: 6 },
      { address: 'bob', source: 'import', points_after: null, sprint_before: 6, sprint_after: 4 },
    ])
  })

  it('is in the partition of its month, which the first award of the month creates', async () => {
    await award({})
    service.clock.advance(40 * DAY)
    await award({}, {})
    expect(
      await service.database.query(
        `SELECT count(*)::int FROM ledger_entries WHERE space_id = $1 GROUP BY tableoid ORDER BY 1`,
        [spaceId],
      ),
    ).toEqual([{ count: 1 }, { count: 2 }])
    expect(await verified()).toEqual([])
  })

  // A cluster does not report how many rows it has stored.
  it.skipIf(isCluster())(
    'has the time after an import stored its rows on the boards, also of a banned member',
    async () => {
      await bansFixture(service).ban({ address: 'm0' }, { spaceId })
      const begun = service.clock.now()
      const lines = Array.from({ length: 2_000 }, (_, n) => `${spaceId},m${n},1\n`)
      let stored = 0
      const progress = {
        opened() {},
        phase() {},
        read() {},
        stored(count: number, { what }: { what: string }) {
          if (what === 'rows' && count > 0 && stored++ === 0) service.clock.advance(40 * DAY)
        },
      }
      await importText(service.deps, `spaceId,address,points\n${lines.join('')}`, { progress })
      await award({})
      expect(await times()).toEqual([1, 2, 3].map((version) => ({ version, entered_at: new Date(begun + 40 * DAY) })))
      expect(await verified()).toEqual([])
    },
  )

  it('keeps its amounts and loses the address when the person is erased', async () => {
    await award({ points: 5, key: 'kept' }, { points: 2, sprintId: 1 }, { address: 'bob' })
    await eraseAddress(service.deps, 'ann')
    const rows = (await entries('address, source, points_before, points_after')) as { address: string }[]
    expect(rows).toMatchObject([
      { source: 'award', points_after: 5 },
      { source: 'award', points_after: 7 },
      { address: 'bob' },
      { source: 'erasure', points_before: 7, points_after: null },
      { source: 'erasure', points_before: null, points_after: null },
    ])
    const [first] = rows
    expect(first?.address).toMatch(/^erased:[0-9a-f]{32}$/)
    expect(rows.map(({ address }) => address === first?.address)).toEqual([true, true, false, true, true])
    expect((await award({ points: 5, key: 'kept' })).outcomes).toEqual([{ status: 'duplicate' }])
    expect(await verified()).toEqual([])
  })

  it('ends the balance of each member of a deleted sprint', async () => {
    await award({ sprintId: 1 }, { address: 'bob', sprintId: 1 })
    await deleteObject(service.deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
    expect((await entries('source, sprint_before, sprint_after')).slice(2)).toEqual([
      { source: 'removal', sprint_before: 1, sprint_after: null },
      { source: 'removal', sprint_before: 1, sprint_after: null },
    ])
    expect(await verified()).toEqual([])
  })
})

describe('the verification', () => {
  it('reports an entry that was edited and a board that was edited', async () => {
    await award({ points: 5 }, { address: 'bob', points: 7 })
    await award({ points: 2 })
    expect(await verified()).toEqual([])
    await service.database.query(
      `UPDATE ledger_entries SET points_after = 6 WHERE space_id = $1 AND points_after = 5`,
      [spaceId],
    )
    await service.database.query(`UPDATE board_entries SET points = 8 WHERE space_id = $1 AND address = 'bob'`, [
      spaceId,
    ])
    expect(await verified()).toEqual([
      { sprintId: 0, address: 'ann', version: 2, expected: 6, found: 5 },
      { sprintId: 0, address: 'bob', version: null, expected: 7, found: 8 },
    ])
  })

  it('reports a removed entry', async () => {
    await award({ points: 5 })
    await award({ points: 2 })
    await service.database.query('DELETE FROM ledger_entries WHERE space_id = $1 AND version = 2', [spaceId])
    expect(await verified()).toEqual([{ sprintId: 0, address: 'ann', version: null, expected: 5, found: 7 }])
  })

  it('returns nothing for an unknown space', async () => {
    expect(await verifyLedger(service.database.kysely, 99)).toBeUndefined()
  })
})

describe('opening balances', () => {
  it('come into the ledger for older boards, while awards and erasures go on', async () => {
    const members = Array.from({ length: 2_500 }, (_, n) => `m${String(n).padStart(4, '0')}`)
    await totals(
      ...members.map((address, n) => ({ address, points: n })),
      ...members.slice(0, 10).map((address) => ({ address, points: 3, sprintId: 1 })),
    )
    const query = (text: string, values: unknown[]) => service.database.query(text, values)
    await query('DELETE FROM ledger_entries WHERE space_id = $1', [spaceId])
    await query('INSERT INTO ledger_openings (space_id, sprint_id) VALUES ($1, 0), ($1, 1)', [spaceId])
    await award({ address: 'm0001', points: 10, sprintId: 1 }, { address: 'm2400', points: 1 }, { address: 'new' })
    expect(await verified()).toEqual([])
    await enterSomeOpenings(service.database.kysely, service.clock)
    await eraseAddress(service.deps, 'm2450')
    await award({ address: 'm2400', points: 1 }, { address: 'm0001' })
    expect(await verified()).toEqual([])
    while ((await enterSomeOpenings(service.database.kysely, service.clock)) > 0);
    expect(await verified()).toEqual([])
    expect(await query('SELECT * FROM ledger_openings WHERE space_id = $1', [spaceId])).toEqual([])
    const [opened] = await query(
      `SELECT count(*)::int, sum(points_after)::int FROM ledger_entries
       WHERE space_id = $1 AND source = 'opening' AND points_after IS NOT NULL`,
      [spaceId],
    )
    // The member that was erased before its balance was entered has none.
    expect(opened).toEqual({ count: 2_499, sum: (2_499 * 2_500) / 2 - 2_450 })
  })
})
