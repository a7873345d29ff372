import { afterAll, expect, test } from 'vitest'
import { firstError } from '../support/ask.ts'
import { expectedStandings, PAGE, type RanksPage, readAll, standings } from '../support/boards.ts'
import { evmAddress, members, sprintMembers, startWorld } from '../support/fixture.ts'
import { fieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

const expected = expectedStandings(members)

/** Reads a page with arguments in the document: `first: 7, cursorAfter: "…"`. */
const page = async (variables: Record<string, unknown> = {}) => {
  const { data, errors } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage | null } }>(
    `query ($first: Int, $after: String, $cursorAfter: String, $cursorBefore: String, $sprintId: Int) {
       space(id: 40) {
         loyaltyPointsRanks(
           first: $first, after: $after, cursorAfter: $cursorAfter, cursorBefore: $cursorBefore, sprintId: $sprintId
         ) { ${PAGE} }
       }
     }`,
    variables,
  )
  expect(firstError({ errors })).toBe('no error')
  return data.space.loyaltyPointsRanks as RanksPage
}

test.each([{ cursorAfter: null }, { cursorAfter: '' }, {}])('4.4.1 MUST start with %j', async (variables) => {
  expect(standings((await page(variables)).list)).toEqual(expected.slice(0, 50))
})

test('4.4.2 MUST continue after endCursor, with correct ranks and ties across pages', async () => {
  const first = await page()
  const second = await page({ cursorAfter: first.pageInfo.endCursor })
  expect(standings(second.list)).toEqual(expected.slice(50, 100))
  expect(first.list.at(-1)?.rank).toBe(second.list[0]?.rank)
  expect(second.totalCount).toBe(members.length)
  expect(second.pageInfo.hasPreviousPage).toBe(true)
})

test.each([1, 7, 50, 129, 130, 131, 1_000])(
  '4.4.3 MUST end with hasNextPage false after every member was returned once, %i per page',
  async (first) => {
    const pages = await readAll((cursorAfter) => page({ first, cursorAfter }))
    expect(standings(pages.flatMap(({ list }) => list))).toEqual(expected)
    expect(pages).toHaveLength(Math.ceil(expected.length / first))
  },
)

test.each([1, 7, 50])('4.4.4 MUST page backwards with cursorBefore and the same ranks, %i per page', async (first) => {
  const pages = await readAll((cursorAfter) => page({ cursorAfter }))
  const seen = standings(pages.at(-1)?.list ?? [])
  for (let cursorBefore = pages.at(-1)?.pageInfo.startCursor; ;) {
    const { list, pageInfo, totalCount } = await page({ first, cursorBefore })
    expect(totalCount).toBe(members.length)
    expect(pageInfo.hasNextPage).toBe(true)
    seen.unshift(...standings(list))
    if (!pageInfo.hasPreviousPage) break
    cursorBefore = pageInfo.startCursor
  }
  expect(seen).toEqual(expected)
})

test('4.4.4 MUST return an empty page before the first member, which ends a loop', async () => {
  const { pageInfo } = await page()
  expect(await page({ cursorBefore: pageInfo.startCursor })).toEqual({
    totalCount: members.length,
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    list: [],
  })
})

test('4.4.4 MUST accept the deprecated first, and the deprecated after like cursorAfter', async () => {
  const { list, pageInfo } = await page({ first: 3 })
  expect(standings(list)).toEqual(expected.slice(0, 3))
  expect(standings((await page({ first: 3, after: pageInfo.endCursor })).list)).toEqual(expected.slice(3, 6))
})

test('4.4.5 MUST restrict the ranking to the sprint', async () => {
  const pages = await readAll((cursorAfter) => page({ sprintId: 1, cursorAfter }))
  expect(standings(pages.flatMap(({ list }) => list))).toEqual(expectedStandings(sprintMembers))
  expect(pages[0]?.totalCount).toBe(sprintMembers.length)
  expect((await page({ sprintId: null })).totalCount).toBe(members.length)
})

test('4.4.5 MUST return an empty page for a sprint without points', async () => {
  expect(await page({ sprintId: 2 })).toMatchObject({ totalCount: 0, list: [], pageInfo: { endCursor: null } })
})

test('4.4.6 MUST let a client find the rank of a user by paging; an extension returns the same rank', async () => {
  const wanted = evmAddress(117)
  const pages = await readAll((cursorAfter) => page({ cursorAfter }))
  const found = pages.flatMap(({ list }) => list).find(({ address }) => address.address === wanted)
  expect(found?.rank).toBe(expected.find(({ address }) => address === wanted)?.rank)
  const fields = Object.keys(await fieldTypes(world, 'LoyaltyPointsRanks'))
  expect(fields).toEqual(['version', 'totalCount', 'pageInfo', 'list', 'edges'])
  const members = pages[0]?.list ?? []
  const look = members.map(
    ({ address }, n) => `m${n}: addressLoyaltyPoints(address: "${address.address}") { rank points }`,
  )
  const { data } = await world.ask<{ space: object }>(`{ space(id: 40) { ${look.join(' ')} } }`)
  expect(Object.values(data.space)).toEqual(members.map(({ rank, points }) => ({ rank, points })))
})
