import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { eraseAddress } from '../../src/person/erase-address.ts'
import { giveAwards } from '../support/awards.ts'
import { ask } from '../support/ask.ts'
import { expectedStandings, PAGE, type RanksPage, standings } from '../support/boards.ts'
import { createPersonas } from '../support/personas.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { business: token } = await createPersonas(service.deps)

const SPRINTS = [1, 2]
const BOARDS = [0, ...SPRINTS]

/** The rules, restated plainly: points by board and address. */
type Model = Map<number, Map<string, number>>

type Step =
  | { awards: { sprintId: number | undefined; member: number; points: number }[] }
  | { totals: { sprintId: number | undefined; member: number; points: number }[] }
  | { gone: number }

const someone = { sprintId: fc.constantFrom(undefined, ...SPRINTS), member: fc.nat(11) }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      awards: fc.array(fc.record({ ...someone, points: fc.integer({ min: -3, max: 3 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      totals: fc.uniqueArray(fc.record({ ...someone, points: fc.integer({ min: -4, max: 4 }) }), {
        minLength: 1,
        maxLength: 4,
        selector: ({ sprintId, member }) => `${sprintId} ${member}`,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ gone: fc.nat(11) }) },
)

const addressOf = (member: number) => `0x${'0'.repeat(38)}${(0xa0 + member).toString(16)}`

function apply(model: Model, change: Step): void {
  const board = (sprintId: number) => model.get(sprintId) as Map<string, number>
  const add = (sprintId: number, address: string, points: number) =>
    board(sprintId).set(address, (board(sprintId).get(address) ?? 0) + points)
  if ('awards' in change)
    for (const { sprintId, member, points } of change.awards)
      for (const on of new Set([0, sprintId ?? 0])) add(on, addressOf(member), points)
  else if ('gone' in change) for (const sprint of BOARDS) board(sprint).delete(addressOf(change.gone))
  else for (const { sprintId, member, points } of change.totals) board(sprintId ?? 0).set(addressOf(member), points)
}

async function store(spaceId: number, change: Step): Promise<void> {
  if ('awards' in change)
    await service.database.kysely.transaction().execute((trx) =>
      giveAwards(
        trx,
        change.awards.map(({ sprintId, member, points }) => ({
          spaceId,
          sprintId,
          address: addressOf(member),
          points,
        })),
        service.clock,
      ),
    )
  else if ('gone' in change) await eraseAddress(service.deps, addressOf(change.gone))
  else
    await importRecords(
      service,
      'points',
      change.totals.map(({ sprintId, member, points }) => ({ spaceId, sprintId, address: addressOf(member), points })),
    )
}

/** One page of each board, all read by one request, and so at one version or not at all. */
async function read(spaceId: number, first: number, cursors: Record<number, string | null>): Promise<RanksPage[]> {
  const fields = BOARDS.map(
    (sprint) =>
      `b${sprint}: loyaltyPointsRanks(first: ${first}, sprintId: ${sprint || 'null'}, cursorAfter: ${JSON.stringify(cursors[sprint] ?? null)}) { ${PAGE} }`,
  )
  const { data, errors } = await ask<{ space: Record<string, RanksPage> }>(
    service.url,
    `{ space(id: ${spaceId}) { ${fields.join(' ')} } }`,
    { token },
  )
  expect(errors).toBeUndefined()
  return BOARDS.map((sprint) => data.space[`b${sprint}`] as RanksPage)
}

const expectedOn = (model: Model, sprint: number) =>
  expectedStandings([...(model.get(sprint) ?? [])].map(([address, points]) => ({ address, points })))

let spaces = 100

test('ranks, points and totals are those of a plain model at every version, on the overall board and on every sprint', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const spaceId = spaces++
      await importRecords(service, 'spaces', [{ spaceId, name: 'Space' }])
      await importRecords(
        service,
        'sprints',
        SPRINTS.map((sprintId) => ({ spaceId, sprintId })),
      )
      const model: Model = new Map(BOARDS.map((sprint) => [sprint, new Map<string, number>()]))
      const past: { expected: ReturnType<typeof expectedOn>[]; firstPages: RanksPage[] }[] = []
      for (const change of steps) {
        apply(model, change)
        await store(spaceId, change)
        const expected = BOARDS.map((sprint) => expectedOn(model, sprint))
        const whole = await read(spaceId, 1_000, {})
        expect(whole.map(({ list }) => standings(list))).toEqual(expected)
        expect(whole.map(({ totalCount }) => totalCount)).toEqual(expected.map(({ length }) => length))
        past.push({ expected, firstPages: await read(spaceId, 2, {}) })
      }
      // Whoever began at an earlier version still reads that one.
      for (const { expected, firstPages } of past) {
        const cursors = Object.fromEntries(
          BOARDS.map((sprint, i) => [sprint, firstPages[i]?.pageInfo.endCursor ?? null]),
        )
        const rest = await read(spaceId, 1_000, cursors)
        for (const [i, page] of firstPages.entries()) {
          const seen = page.pageInfo.hasNextPage ? [...page.list, ...(rest[i]?.list ?? [])] : page.list
          expect(standings(seen)).toEqual(expected[i])
          expect(page.totalCount).toBe(expected[i]?.length)
        }
      }
    }),
    // On a busy machine fewer runs are made.
    { numRuns: 20, interruptAfterTimeLimit: 4_000, markInterruptAsFailure: false },
  )
})
