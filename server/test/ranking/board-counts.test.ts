import * as fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { countChanges } from '../../src/ranking/board-counts.ts'
import { eraseAddress } from '../../src/personal-data/erase-address.ts'
import { readMembers } from '../../src/resolvers/space/member-rank.queries.ts'
import { waitingSessions } from '../support/database.ts'
import { giveAwards } from '../support/awards.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { kysely } = service.database

const readMember = async (sprintId: number, address: string, space = spaceId) =>
  (await readMembers(service.database, space, sprintId, [address]))[0]
const addressOf = (n: number) => `member${n}`
let spaceId = 300

/** The members whose rank is not 1 + the members with more points. */
async function wrongRanks(sprintId: number, sample: number[], space = spaceId): Promise<unknown[]> {
  const rows = await service.database.query<{ address: string; points: number }>(
    'SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2',
    [space, sprintId],
  )
  const wrong: unknown[] = []
  for (const n of sample) {
    const row = rows.find(({ address }) => address === addressOf(n))
    const found = await readMember(sprintId, addressOf(n), space)
    const expected = row ? 1 + rows.filter(({ points }) => points > row.points).length : null
    if (found?.rank !== expected || found?.points !== (row?.points ?? null) || found?.total !== rows.length)
      wrong.push({ n, found, expected, row })
  }
  return wrong
}

const MEMBERS = 3_000
const member = fc.nat(MEMBERS + 20)
const pointsUpTo = (max: number) =>
  fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -70_000, max: 70_000 }), fc.integer({ min: -max, max }))
const totalPoints = pointsUpTo(1_000_000_000)
// One member can receive all 160 awards of a run, and the sum must stay in the range of a total.
const awardPoints = pointsUpTo(6_000_000)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      awards: fc.array(fc.record({ member, points: awardPoints }), { minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      totals: fc.uniqueArray(fc.record({ member, points: totalPoints }), {
        minLength: 1,
        maxLength: 1_500,
        size: 'max',
        selector: (one) => one.member,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ gone: member }) },
  { weight: 2, arbitrary: fc.constant('count' as const) },
)

it('ranks each member at 1 + the members with more points, after awards, totals and erasures, counted or not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 30, 1_000_000),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(member, { minLength: 10, maxLength: 10 }),
      async (spread, steps, sample) => {
        // A run that takes too long continues during the next tests.
        const own = ++spaceId
        await importRecords(service.deps, 'spaces', [{ spaceId: own, name: 'Space' }])
        const first = Array.from({ length: MEMBERS }, (_, n) => ({
          spaceId: own,
          address: addressOf(n),
          points: (n % 1_000) * spread,
        }))
        await importRecords(service.deps, 'points', first)
        await countChanges(kysely)
        for (const change of steps) {
          if (change === 'count') await countChanges(kysely)
          else if ('gone' in change) await eraseAddress(service.deps, addressOf(change.gone))
          else if ('totals' in change) {
            const records = change.totals.map((one) => ({
              spaceId: own,
              address: addressOf(one.member),
              points: one.points,
            }))
            await importRecords(service.deps, 'points', records)
          } else {
            const awards = change.awards.map((one) => ({
              spaceId: own,
              address: addressOf(one.member),
              points: one.points,
            }))
            await kysely.transaction().execute((trx) => giveAwards(trx, awards, service.clock))
          }
          expect(await wrongRanks(0, sample, own)).toEqual([])
        }
        await countChanges(kysely)
        expect(await wrongRanks(0, sample, own)).toEqual([])
      },
    ),
    { numRuns: 12, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  )
})

it('ranks members while awards are stored and counted at the same time', async () => {
  spaceId++
  await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
  const first = Array.from({ length: MEMBERS }, (_, n) => ({ spaceId, address: addressOf(n), points: n }))
  await importRecords(service.deps, 'points', first)
  await countChanges(kysely)
  // The leader stays the leader, and the member below all others the last one, whatever the others receive.
  let done = false
  const writing = (async () => {
    for (let round = 0; round < 30; round++)
      await kysely.transaction().execute((trx) =>
        giveAwards(
          trx,
          Array.from({ length: 100 }, (_, n) => ({
            spaceId,
            address: addressOf(1 + ((round * 100 + n) % 2_000)),
            points: 7,
          })),
          service.clock,
        ),
      )
    done = true
  })()
  const counting = (async () => {
    while (!done) await countChanges(kysely)
  })()
  const seen = new Set<string>()
  while (!done) {
    const last = await readMember(0, addressOf(0))
    const top = await readMember(0, addressOf(MEMBERS - 1))
    seen.add(`${last?.rank} ${top?.rank}`)
  }
  await Promise.all([writing, counting])
  expect([...seen]).toEqual([`${MEMBERS} 1`])
})

/** Stops before the counts of a board are stored, until `go` is called. */
function pausing(): { paused: Promise<void>; go: () => void; plugin: KyselyPlugin } {
  const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let stopped = false
  return {
    paused: reached.promise,
    go: release.resolve,
    plugin: {
      transformQuery: ({ node }) => {
        stopped ||= JSON.stringify(node).includes('CLOSE counted')
        return node
      },
      async transformResult({ result }) {
        if (stopped) {
          reached.resolve()
          await release.promise
        }
        return result
      },
    },
  }
}

it.each([
  { name: 'sprint', sprintId: 1 },
  { name: 'space', sprintId: 0 },
] as const)('keeps no counts of a $name that is deleted while its board is counted', async ({ name, sprintId }) => {
  spaceId++
  const create = async (members: number) => {
    await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
    await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
    const first = Array.from({ length: members }, (_, n) => ({ address: addressOf(n), points: n }))
    await importRecords(
      service.deps,
      'points',
      first.map((one) => ({ spaceId, ...(sprintId > 0 && { sprintId }), ...one })),
    )
  }
  await create(MEMBERS)
  // As after an upgrade: without rows that both transactions delete.
  await service.database.query('DELETE FROM board_moves')
  const { paused, go, plugin } = pausing()
  const counting = countChanges(kysely.withPlugin(plugin))
  await paused
  const deleting = deleteObject(service.deps, name, name === 'space' ? `${spaceId}` : `${spaceId}-1`, {
    note: () => Promise.resolve(),
  })
  // The deletion may wait for the counts, or not.
  await Promise.race([
    deleting,
    expect.poll(() => waitingSessions(service.database, 'board_counted')).toBeGreaterThan(0),
  ])
  go()
  await Promise.all([counting, deleting])
  await create(10)
  expect(await wrongRanks(sprintId, [0, 5, 9])).toEqual([])
})
