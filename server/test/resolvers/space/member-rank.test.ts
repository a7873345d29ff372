import * as fc from 'fast-check'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { countChanges } from '../../../src/ranking/board-counts.ts'
import { giveAwards } from '../../support/awards.ts'
import { ask } from '../../support/ask.ts'
import { isCluster } from '../../support/database.ts'
import { expectedStandings, type ShownRank, standings } from '../../support/boards.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { business: token } = await createPersonas(service.deps)
const { kysely } = service.database

interface Page {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  list: ShownRank[]
  edges: { cursor: string; node: { address: { address: string } } }[]
}

const PAGE = `totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  list { rank points address { address } } edges { cursor node { address { address } } }`

let spaceId = 500
const addressOf = (n: number) => `member${String(n).padStart(4, '0')}`

async function read<Field>(declared: string, field: string, variables: Record<string, unknown>): Promise<Field> {
  const { data, errors } = await ask<{ space: { field: Field } }>(
    service.url,
    `query ($id: Int!, $sprintId: Int, ${declared}) { space(id: $id) { field: ${field} } }`,
    { token, variables: { id: spaceId, ...variables } },
  )
  expect(errors).toBeUndefined()
  return data.space.field
}

const page = (variables: Record<string, unknown>) =>
  read<Page>(
    '$first: Int, $around: String, $after: String, $before: String',
    `loyaltyPointsRanks(first: $first, around: $around, cursorAfter: $after, cursorBefore: $before, sprintId: $sprintId) { ${PAGE} }`,
    variables,
  )

/** The member with its rank, alone and in a batch. */
async function ranksOf(addresses: string[], sprintId: number | undefined) {
  const fields = '{ rank points address totalCount }'
  const together = await read<({ address: string } | null)[]>(
    '$addresses: [String!]!',
    `addressesLoyaltyPoints(addresses: $addresses, sprintId: $sprintId) ${fields}`,
    { addresses, sprintId },
  )
  const alone = await Promise.all(
    addresses.map((address) =>
      read('$address: String!', `addressLoyaltyPoints(address: $address, sprintId: $sprintId) ${fields}`, {
        address,
        sprintId,
      }),
    ),
  )
  return { together, alone }
}

async function currentBoard(sprintId = 0) {
  const members = await service.database.query<{ address: string; points: number }>(
    'SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2',
    [spaceId, sprintId],
  )
  return expectedStandings(members)
}

/** Reads from a page to both ends of the board. */
async function readOn(start: Page, first: number, sprintId: number | undefined, between: () => Promise<unknown>) {
  const pages = [start]
  for (let next = start; next.pageInfo.hasNextPage;) {
    await between()
    next = await page({ first, after: next.pageInfo.endCursor, sprintId })
    pages.push(next)
  }
  for (let previous = start; previous.pageInfo.hasPreviousPage;) {
    await between()
    previous = await page({ first, before: previous.pageInfo.startCursor, sprintId })
    pages.unshift(previous)
  }
  return pages
}

const give = (awards: { member: number; points: number }[], sprintId: number | undefined) =>
  kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      awards.map(({ member, points }) => ({ spaceId, sprintId, address: addressOf(member), points })),
      service.clock,
    ),
  )

const MEMBERS = 1_400
const member = fc.nat(MEMBERS)
const points = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -8_000_000, max: 8_000_000 }),
)
const changes = fc.array(fc.record({ member, points }), { minLength: 1, maxLength: 20 })
const step = fc.record({
  before: fc.oneof(
    { weight: 3, arbitrary: fc.record({ awards: changes }) },
    { weight: 1, arbitrary: fc.record({ gone: member }) },
    { weight: 1, arbitrary: fc.constant({ count: true }) },
  ),
  /** These arrive between the pages. */
  during: changes,
  around: fc.array(member, { minLength: 1, maxLength: 3 }),
  first: fc.constantFrom(1, 2, 7, 50, 999),
})
/** The points of the first members: all different, equal, in groups of equal points, or of few members. */
const shapes: Record<string, (n: number) => number> = {
  different: (n) => n * 3 - 500,
  equal: () => 10,
  groups: (n) => Math.floor(n / 90) - 5,
  tail: (n) => (n < 100 ? n : 0),
}

it('returns one rank of a member alone, in a batch, around it and on all pages from there, while awards are stored', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(shapes)),
      fc.constantFrom(1, 40, MEMBERS),
      fc.constantFrom(undefined, 1),
      fc.array(step, { minLength: 1, maxLength: 3 }),
      async (shape, size, sprintId, steps) => {
        spaceId++
        await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
        await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
        const first = Array.from({ length: size }, (_, n) => ({
          spaceId,
          ...(sprintId && { sprintId }),
          address: addressOf(n),
          points: shapes[shape]?.(n) ?? 0,
        }))
        await importRecords(service.deps, 'points', first)
        for (const { before, during, around, first } of steps) {
          if ('awards' in before) await give(before.awards, sprintId)
          else if ('gone' in before) await eraseAddress(service.deps, addressOf(before.gone % size))
          else await countChanges(kysely)
          const board = await currentBoard(sprintId)
          const wanted = around.map((n) => addressOf(n % size))
          const expected = wanted.map((address) => {
            const found = board.find((each) => each.address === address)
            return found ? { ...found, totalCount: board.length } : null
          })
          const { together, alone } = await ranksOf(wanted, sprintId)
          expect(together).toEqual(expected)
          expect(alone).toEqual(expected)
          const shown = wanted.find((_, n) => expected[n])
          if (!shown) continue
          const start = await page({ first, around: shown, sprintId })
          let left = 3
          const pages = await readOn(start, Math.max(first, 300), sprintId, async () => {
            if (left-- > 0) await give(during, sprintId)
          })
          const { cursor } = start.edges[Math.floor(start.edges.length / 3)] as Page['edges'][number]
          const place = start.list[Math.floor(start.edges.length / 3)]?.address.address
          const index = board.findIndex(({ address }) => address === place)
          const [next, previous] = [
            await page({ first: 4, after: cursor, sprintId }),
            await page({ first: 4, before: cursor, sprintId }),
          ]
          expect(standings(next.list)).toEqual(board.slice(index + 1, index + 5))
          expect(standings(previous.list)).toEqual(board.slice(Math.max(index - 4, 0), index))
          expect(standings(start.list)).toContainEqual(board.find(({ address }) => address === shown))
          expect(start.list).toHaveLength(Math.min(first, board.length))
          expect(pages.flatMap(({ list }) => standings(list))).toEqual(board)
          expect(new Set(pages.map(({ totalCount }) => totalCount))).toEqual(new Set([board.length]))
          for (const { list, edges, pageInfo } of pages) {
            expect(edges.map(({ node }) => node.address.address)).toEqual(list.map(({ address }) => address.address))
            expect([edges[0]?.cursor, edges.at(-1)?.cursor]).toEqual([pageInfo.startCursor, pageInfo.endCursor])
          }
        }
      },
    ),
    { numRuns: 15, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  )
}, 60_000)

// On a cluster, the node of the space executes the statements.
it.skipIf(isCluster())(
  'reads the members that a document names one by one with one statement for each board',
  async () => {
    spaceId++
    await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
    await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
    const members = Array.from({ length: 10 }, (_, n) => ({ spaceId, address: addressOf(n), points: 100 - n }))
    await importRecords(service.deps, 'points', members)
    await importRecords(
      service.deps,
      'points',
      members.map((one) => ({ ...one, sprintId: 1 })),
    )
    const database = { ...service.database }
    const read = vi.spyOn(database, 'read')
    const counting = await startService({ database })
    onTestFinished(() => counting.stop())
    const ranks = async (boards: (number | null)[]) => {
      const fields = boards.map(
        (sprintId, n) => `m${n}: addressLoyaltyPoints(address: "${addressOf(n)}", sprintId: ${sprintId}) { rank }`,
      )
      read.mockClear()
      const { data } = await ask<{ space: Record<string, { rank: number }> }>(
        counting.url,
        `{ space(id: ${spaceId}) { ${fields.join(' ')} } }`,
        { token },
      )
      const statements = read.mock.calls.filter(([{ name }]) => name.startsWith('space.member-rank'))
      return { ranks: Object.values(data.space).map(({ rank }) => rank), statements: statements.length }
    }
    const all = members.map((_, n) => n + 1)
    expect(await ranks(members.map(() => 1))).toEqual({ ranks: all, statements: 1 })
    expect(await ranks(members.map((_, n) => (n % 2 === 0 ? null : 1)))).toEqual({ ranks: all, statements: 2 })
  },
)
