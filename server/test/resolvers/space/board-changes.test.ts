import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { deleteObject } from '../../../src/objects/objects.ts'
import { eraseAddress } from '../../../src/personal-data/erase-address.ts'
import { sweepBoards } from '../../../src/ranking/boards-sweep.ts'
import { settleProfileChanges } from '../../../src/ranking/profile-changes.ts'
import { bansFixture } from '../../bans/arrange.ts'
import { ask, firstError } from '../../support/ask.ts'
import { giveAwards } from '../../support/awards.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { business: token } = await createPersonas(service.deps)
const { deps, database, clock } = service
const { ban, lift } = bansFixture(service)

interface Row {
  points: number | null
  address: { address: string; username: string; avatar: string }
}
interface Page {
  version: string
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  list: Row[]
}

const PAGE = `version totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  list { points address { address username avatar } }`
const NO_MORE = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }

let spaceId = 700
async function newSpace(): Promise<void> {
  await importRecords(deps, 'spaces', [{ spaceId: ++spaceId, name: 'Space' }])
  await importRecords(deps, 'sprints', [{ spaceId, sprintId: 1 }])
}

const read = (field: string, variables: Record<string, unknown>) =>
  ask<{ space: { field: Page } }>(
    service.url,
    `query ($id: Int!, $sprintId: Int, $first: Int, $after: String ${field === CHANGES ? ', $since: String!' : ''}) {
      space(id: $id) { field: ${field} { ${PAGE} } } }`,
    { token, variables: { id: spaceId, ...variables } },
  )
async function page(field: string, variables: Record<string, unknown>): Promise<Page> {
  const { data, errors } = await read(field, variables)
  expect(errors).toBeUndefined()
  return data.space.field
}
const CHANGES = 'changes(sinceVersion: $since, sprintId: $sprintId, first: $first, cursorAfter: $after)'
const RANKS = 'loyaltyPointsRanks(sprintId: $sprintId, first: $first, cursorAfter: $after)'
const changes = (since: string, variables: Record<string, unknown> = {}) => page(CHANGES, { since, ...variables })
const ranks = (variables: Record<string, unknown> = {}) => page(RANKS, variables)
const failure = async (since: string, variables: Record<string, unknown> = {}) => {
  const answer = await read(CHANGES, { since, ...variables })
  expect(answer.data.space?.field ?? null).toBeNull()
  return firstError(answer)
}

/** All pages, with something done after each. */
async function all(
  readPage: (after: string | null) => Promise<Page>,
  between: () => Promise<unknown> = async () => {},
): Promise<Page[]> {
  const pages = [await readPage(null)]
  for (let last = pages[0] as Page; last.pageInfo.hasNextPage; pages.push(last)) {
    await between()
    last = await readPage(last.pageInfo.endCursor)
  }
  return pages
}

const give = (awards: { address: string; points: number; sprintId?: number }[]) =>
  database.kysely.transaction().execute((trx) =>
    giveAwards(
      trx,
      awards.map((award) => ({ spaceId, ...award })),
      clock,
    ),
  )
const addressOf = (n: number) => `member${n}`
const changed = ({ list }: Page) => list.map(({ points, address }) => [address.address, points])

describe('changes of a board', () => {
  it('lists each member that moved once, with the points of now, and the version reached', async () => {
    await newSpace()
    await give([{ address: 'ann', points: 5 }])
    await give([{ address: 'bob', points: 4 }])
    const { version } = await ranks()
    expect(await changes(version)).toEqual({ version, totalCount: 2, pageInfo: NO_MORE, list: [] })
    await give([{ address: 'cid', points: 1 }])
    await give([{ address: 'ann', points: 2 }])
    await give([{ address: 'cid', points: 1 }])
    const after = await changes(version)
    expect(after).toMatchObject({ totalCount: 3, pageInfo: NO_MORE, version: (await ranks()).version })
    expect(changed(after)).toEqual([
      ['cid', 2],
      ['ann', 7],
    ])
    expect(changed(await changes(String(Number(version) + 1)))).toEqual([
      ['ann', 7],
      ['cid', 2],
    ])
  })

  it('starts at version 0 for a space without points', async () => {
    await newSpace()
    expect(await changes('0')).toEqual({ version: '0', totalCount: 0, pageInfo: NO_MORE, list: [] })
    await give([{ address: 'ann', points: 5 }])
    expect(changed(await changes('0'))).toEqual([['ann', 5]])
  })

  it('separates the overall board from the boards of sprints', async () => {
    await newSpace()
    await give([{ address: 'ann', points: 5 }])
    await give([{ address: 'bob', points: 4, sprintId: 1 }])
    await importRecords(deps, 'points', [{ spaceId, sprintId: 1, address: 'cid', points: 3 }])
    expect(changed(await changes('0'))).toEqual([
      ['ann', 5],
      ['bob', 4],
    ])
    expect(changed(await changes('0', { sprintId: 1 }))).toEqual([
      ['bob', 4],
      ['cid', 3],
    ])
  })

  it('reports members that a ban or an erasure took away, and that return', async () => {
    await newSpace()
    await give(['ann', 'bob', 'cid'].map((address) => ({ address, points: 5 })))
    const { version } = await ranks()
    const { id } = await ban({ address: 'bob' })
    await eraseAddress(deps, 'cid')
    const left = await changes(version)
    expect(left.totalCount).toBe(1)
    expect(changed(left)).toEqual([
      ['bob', null],
      ['cid', null],
    ])
    await importRecords(deps, 'points', [{ spaceId, address: 'bob', points: 9 }])
    expect(changed(await changes(left.version)), 'points of a banned member').toEqual([])
    await lift(id)
    expect(changed(await changes(left.version))).toEqual([['bob', 9]])
  })

  it('pages through one version with more changes than a page reads', async () => {
    await newSpace()
    await give([{ address: 'ann', points: 5 }])
    const { version } = await ranks()
    const rows = Array.from({ length: 4_500 }, (_, n) => ({ spaceId, address: addressOf(n), points: n }))
    await importRecords(deps, 'points', rows)
    const named = rows.map((row) => ({ ...row, username: `Name ${row.points}` }))
    await importRecords(deps, 'points', named)
    for (const [first, least] of [
      [1_000, 9],
      [900, 10],
    ] as const) {
      const pages = await all((after) => changes(version, { first, after }))
      expect(pages.length).toBeGreaterThanOrEqual(least)
      expect(Math.max(...pages.map(({ list }) => list.length))).toBe(first)
      const names = new Map(pages.flatMap(({ list }) => list.map(({ address, points }) => [address.username, points])))
      expect(names).toEqual(new Map(rows.map(({ points }) => [`Name ${points}`, points])))
    }
  })

  it('rejects versions that are too old, too new or no versions', async () => {
    await newSpace()
    await give([{ address: 'ann', points: 5 }])
    const { version } = await ranks()
    const cursor = (await changes('0', { first: 1 })).pageInfo.endCursor
    expect(cursor).toBeNull()
    clock.advance(MINUTE)
    await give([{ address: 'bob', points: 5 }])
    await give([{ address: 'cid', points: 5 }])
    const { endCursor } = (await changes(version, { first: 1 })).pageInfo
    clock.advance(29 * MINUTE)
    expect(changed(await changes(version))).toHaveLength(2)
    clock.advance(2 * MINUTE)
    await sweepBoards(database.kysely, clock.now(), clock)
    const expired = 'VERSION_EXPIRED 410 Version expired'
    expect(await failure('0')).toBe(expired)
    expect(await failure(version, { after: endCursor })).toBe(expired)
    expect(await failure('0', { after: endCursor })).toBe('INVALID_ARGUMENT 400 Invalid cursor')
    const { version: newest } = await ranks()
    expect((await changes(newest)).list, 'the newest version never expires').toEqual([])
    expect(await failure(String(Number(newest) + 1))).toBe(expired)
    for (const bad of ['', '-1', '1.5', '01', 'x', '9'.repeat(16)])
      expect(await failure(bad), bad).toBe('INVALID_ARGUMENT 400 Invalid sinceVersion')
    expect(await failure(newest, { sprintId: 9 })).toBe('INVALID_ARGUMENT 400 Invalid sprint ID')
    expect(await failure(newest, { first: 0 })).toBe('INVALID_ARGUMENT 400 Invalid pagination')
    expect(await failure(newest, { after: 'x' })).toBe('INVALID_ARGUMENT 400 Invalid cursor')
  })

  it('fails if the sprint was deleted and created again', async () => {
    await newSpace()
    await give([{ address: 'ann', points: 5, sprintId: 1 }])
    const { version } = await ranks({ sprintId: 1 })
    await deleteObject(deps, 'sprint', `${spaceId}-1`, { note: async () => {} })
    expect(await failure(version, { sprintId: 1 })).toBe('INVALID_ARGUMENT 400 Invalid sprint ID')
    await importRecords(deps, 'sprints', [{ spaceId, sprintId: 1 }])
    await give([{ address: 'bob', points: 5, sprintId: 1 }])
    expect(await failure(version, { sprintId: 1 })).toBe('VERSION_EXPIRED 410 Version expired')
    const { version: again } = await ranks({ sprintId: 1 })
    await give([{ address: 'bob', points: 1, sprintId: 1 }])
    expect(changed(await changes(again, { sprintId: 1 }))).toEqual([['bob', 6]])
  })
})

const MEMBERS = 30
const member = fc.nat(MEMBERS).map(addressOf)
const sprintId = fc.constantFrom(undefined, 1)
const points = fc.integer({ min: -50, max: 50 })
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ award: member, points, sprintId }) },
  { weight: 1, arbitrary: fc.record({ erase: member }) },
  { weight: 2, arbitrary: fc.record({ ban: member }) },
  { weight: 1, arbitrary: fc.record({ rename: member, username: fc.constantFrom('Ann', 'Bob') }) },
  { weight: 1, arbitrary: fc.record({ reset: points, sprintId }) },
)
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

let bans = new Map<string, string>()
async function act(one: Action): Promise<void> {
  if ('award' in one)
    await give([{ address: one.award, points: one.points, ...(one.sprintId && { sprintId: one.sprintId }) }])
  else if ('erase' in one) {
    await eraseAddress(deps, one.erase)
    bans.delete(one.erase)
  } else if ('ban' in one) {
    if (bans.has(one.ban)) await lift(bans.get(one.ban) ?? '')
    if (!bans.delete(one.ban)) bans.set(one.ban, (await ban({ address: one.ban }, { spaceId })).id)
  } else if ('rename' in one)
    await importRecords(deps, 'points', [
      { spaceId: spaceId - 1, address: one.rename, points: 1, username: one.username },
    ])
  else
    await importRecords(
      deps,
      'points',
      Array.from({ length: MEMBERS }, (_, n) => ({
        ...{ spaceId, address: addressOf(n), points: one.reset },
        ...(one.sprintId && { sprintId: one.sprintId }),
      })),
    )
}

it('leads from the pages of a version to the board of the last page of changes, while it changes', async () => {
  const actions = fc.array(action, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      actions,
      fc.array(fc.tuple(actions, fc.array(action, { maxLength: 3 }), fc.constantFrom(1, 2, 9, 1_000)), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.record({ sprintId }),
      async (before, rounds, board) => {
        await newSpace()
        await newSpace()
        bans = new Map()
        await importRecords(deps, 'points', [{ spaceId, sprintId: 1, address: addressOf(0), points: 1 }])
        for (const one of before) await act(one)
        const shown = (pages: Page[]) => pages.flatMap(({ list }) => list)
        const start = await all(
          (after) => ranks({ first: 9, after, ...board }),
          () => act(before[0] as Action),
        )
        const held = new Map(shown(start).map((row) => [row.address.address, row]))
        let { version } = start[0] as Page
        for (const [actions, during, first] of rounds) {
          for (const one of actions) await act(one)
          const left = [...during]
          const pages = await all(
            (after) => changes(version, { first, after, ...board }),
            async () => {
              const one = left.pop()
              if (one) await act(one)
            },
          )
          for (const row of shown(pages))
            if (row.points === null) held.delete(row.address.address)
            else held.set(row.address.address, row)
          const last = pages.at(-1) as Page
          const now = await all((after) => ranks({ first: 1_000, after, ...board }))
          version = last.version
          expect(now[0]).toMatchObject({ version, totalCount: last.totalCount })
          expect(held.size).toBe(last.totalCount)
          const byAddress = (rows: Iterable<Row>) => new Map([...rows].map((row) => [row.address.address, row]))
          expect(byAddress(held.values())).toEqual(byAddress(shown(now)))
        }
        await settleProfileChanges(database.kysely, clock)
      },
    ),
    { numRuns: 25, interruptAfterTimeLimit: 30_000, markInterruptAsFailure: false },
  )
}, 60_000)
