import { afterAll, expect, test } from 'vitest'
import { firstError } from '../support/ask.ts'
import { RANKED_USERS, startWorld } from '../support/fixture.ts'
import { inputFieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

interface Leaderboard {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  edges: { cursor: string; node: { rank: { value: string }; xUserProfile: { username: string } } }[]
}

const page = async (first: number, after?: string | null) => {
  const { data, errors } = await world.ask<{ starboard: { leaderboard: Leaderboard | null } }>(
    `query ($first: Int!, $after: String) {
       starboard(id: "1") {
         leaderboard(pagination: { forward: { first: $first, after: $after } }) {
           totalCount
           pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
           edges { cursor node { rank { value } xUserProfile { username } } }
         }
       }
     }`,
    { first, after },
  )
  return { leaderboard: data.starboard.leaderboard, error: firstError({ errors }) }
}
const names = ({ leaderboard }: { leaderboard: Leaderboard | null }) =>
  leaderboard?.edges.map(({ node }) => node.xUserProfile.username)

test('4.3.1 MUST accept pagination as { forward: { first, after } }, with a required first and an optional after', async () => {
  expect(await inputFieldTypes(world, 'PaginationInput')).toEqual({ forward: 'ForwardPaginationInput!' })
  expect(await inputFieldTypes(world, 'ForwardPaginationInput')).toEqual({ first: 'Int!', after: 'String' })
  expect(names(await page(2))).toEqual(['Alice_A', 'bob'])
  const without = await world.ask('{ starboard(id: "1") { leaderboard(pagination: { forward: {} }) { totalCount } } }')
  expect(firstError(without)).toBe('INVALID_ARGUMENT 400 Invalid pagination')
})

test.each([null, '', '-1'])('4.3.1 MUST accept %j as after for the first page', async (after) => {
  expect(names(await page(2, after))).toEqual(['Alice_A', 'bob'])
})

test('4.3.1 MUST return at most 1,000 users and reject less than 1', async () => {
  expect(names(await page(2_000_000))).toHaveLength(RANKED_USERS)
  for (const first of [0, -1])
    expect(await page(first)).toEqual({ leaderboard: null, error: 'INVALID_ARGUMENT 400 Invalid pagination' })
})

test('4.3.2 MUST continue after endCursor and after the cursor of any edge', async () => {
  const first = await page(5)
  const second = await page(5, first.leaderboard?.pageInfo.endCursor)
  expect(names(second)).toEqual(names(await page(10))?.slice(5))
  expect(second.leaderboard?.pageInfo).toMatchObject({ hasPreviousPage: true })
  expect(names(await page(2, first.leaderboard?.edges[1]?.cursor))).toEqual(names(await page(4))?.slice(2))
})

test.each([1, 7, 20, 59, 60, 61])(
  '4.3.3 MUST end with hasNextPage false after every user was returned once, %i per page',
  async (size) => {
    const seen: string[] = []
    for (let after: string | null | undefined; ;) {
      const { leaderboard } = await page(size, after)
      if (!leaderboard) throw new Error('no page')
      expect(leaderboard.totalCount).toBe(RANKED_USERS)
      seen.push(...leaderboard.edges.map(({ node }) => node.xUserProfile.username))
      if (!leaderboard.pageInfo.hasNextPage) break
      after = leaderboard.pageInfo.endCursor
    }
    expect(seen).toEqual(names(await page(1_000)))
    expect(new Set(seen).size).toBe(RANKED_USERS)
  },
)
