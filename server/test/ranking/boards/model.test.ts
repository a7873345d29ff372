import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { BY_COMMAND, createBan, type InTransaction, liftBan } from '../../../src/bans/bans.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { giveAwards } from '../../support/awards.ts'
import { ask } from '../../support/ask.ts'
import { expectedStandings, PAGE, type RanksPage, standings } from '../../support/boards.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { business: token } = await createPersonas(service.deps)

const SPRINTS = [1, 2]
const BOARDS = [0, ...SPRINTS]

/** A plain model of the boards: points by board and address, and the banned addresses with their bans. */
interface Model {
  points: Map<number, Map<string, number>>
  bans: Map<string, string>
}

type Step =
  | { awards: { sprintId: number | undefined; member: number; points: number }[] }
  | { totals: { sprintId: number | undefined; member: number; points: number }[] }
  | { gone: number }
  | { banned: number }
  | { lifted: number }

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
  { weight: 2, arbitrary: fc.record({ banned: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ lifted: fc.nat(5) }) },
)

const addressOf = (member: number) => `0x${'0'.repeat(38)}${(0xa0 + member).toString(16)}`

function apply(model: Model, change: Step): void {
  const board = (sprintId: number) => model.points.get(sprintId) as Map<string, number>
  const add = (sprintId: number, address: string, points: number) =>
    board(sprintId).set(address, (board(sprintId).get(address) ?? 0) + points)
  if ('awards' in change)
    for (const { sprintId, member, points } of change.awards)
      for (const on of new Set([0, sprintId ?? 0])) add(on, addressOf(member), points)
  else if ('gone' in change) for (const sprint of BOARDS) board(sprint).delete(addressOf(change.gone))
  else if ('totals' in change)
    for (const { sprintId, member, points } of change.totals) board(sprintId ?? 0).set(addressOf(member), points)
}

const transaction: InTransaction = (work) => service.database.kysely.transaction().execute(work)

/** Changes bans in the service and in the model. */
async function changeBan(spaceId: number, { bans }: Model, change: Step): Promise<void> {
  const address = addressOf('banned' in change ? change.banned : 'lifted' in change ? change.lifted : 0)
  const ban = bans.get(address)
  if ('banned' in change && ban === undefined) {
    const request = { address, spaceId: change.banned % 2 ? spaceId : null, reason: 'Bots', endsAt: null }
    bans.set(address, (await createBan(service.deps, request, BY_COMMAND, transaction)).id)
  } else if ('lifted' in change && ban !== undefined) {
    await liftBan(service.deps, ban, BY_COMMAND, transaction)
    bans.delete(address)
  } else if ('gone' in change) bans.delete(addressOf(change.gone))
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
  else if ('totals' in change)
    await importRecords(
      service,
      'points',
      change.totals.map(({ sprintId, member, points }) => ({ spaceId, sprintId, address: addressOf(member), points })),
    )
}

/** One page of each board. One request reads all of them, so that they have the same version. */
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
  expectedStandings(
    [...(model.points.get(sprint) ?? [])].flatMap(([address, points]) =>
      model.bans.has(address) ? [] : [{ address, points }],
    ),
  )

let spaces = 100

test('returns the ranks, points and totals of a plain model at every version of every board', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const spaceId = spaces++
      await importRecords(service, 'spaces', [{ spaceId, name: 'Space' }])
      await importRecords(
        service,
        'sprints',
        SPRINTS.map((sprintId) => ({ spaceId, sprintId })),
      )
      const model: Model = {
        points: new Map(BOARDS.map((sprint) => [sprint, new Map<string, number>()])),
        bans: new Map(),
      }
      const past: { expected: ReturnType<typeof expectedOn>[]; firstPages: RanksPage[] }[] = []
      try {
        for (const change of steps) {
          apply(model, change)
          await store(spaceId, change)
          await changeBan(spaceId, model, change)
          const expected = BOARDS.map((sprint) => expectedOn(model, sprint))
          const whole = await read(spaceId, 1_000, {})
          expect(whole.map(({ list }) => standings(list))).toEqual(expected)
          expect(whole.map(({ totalCount }) => totalCount)).toEqual(expected.map(({ length }) => length))
          past.push({ expected, firstPages: await read(spaceId, 2, {}) })
        }
        expect(await verifyLedger(service.database.kysely, spaceId)).toMatchObject({
          chains: { count: 0 },
          balances: { count: 0 },
        })
        // A cursor of an earlier version continues at that version.
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
      } finally {
        for (const ban of model.bans.values()) await liftBan(service.deps, ban, BY_COMMAND, transaction)
      }
      expect(await verifyLedger(service.database.kysely, spaceId)).toMatchObject({ balances: { count: 0 } })
    }),
    // A busy machine makes fewer runs.
    { numRuns: 20, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  )
})
