import { afterAll, expect, test } from 'vitest'
import { expectedStandings, PAGE, type RanksPage, standings } from '../support/boards.ts'
import { firstError } from '../support/ask.ts'
import { evmAddress, members, startWorld } from '../support/fixture.ts'
import { argumentTypes, fieldTypes } from '../support/introspect.ts'

const world = await startWorld()
afterAll(() => world.stop())

const ranks = async (selection: string, spaceId = 40) => {
  const { data } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
    `query ($spaceId: Int!) { space(id: $spaceId) { loyaltyPointsRanks { ${selection} } } }`,
    { spaceId },
  )
  return data.space.loyaltyPointsRanks
}

test('2.2.1 MUST return space(id), or null and an error for an unknown id', async () => {
  expect((await world.ask('{ space(id: 40) { id } }')).data).toEqual({ space: { id: '40' } })
  for (const id of [999, 0, -1]) {
    const answer = await world.ask('query ($id: Int!) { space(id: $id) { id } }', { id })
    expect(answer.data).toEqual({ space: null })
    expect(firstError(answer)).toBe('NOT_FOUND 404 Space not found')
  }
  expect(await argumentTypes(world, 'Query', 'space')).toEqual({ id: 'Int!' })
})

test('2.2.2 MUST return id as a string, name, and a description that may be null', async () => {
  const { data } = await world.ask(
    '{ a: space(id: 40) { id name description } b: space(id: 41) { id name description } }',
  )
  expect(data).toEqual({
    a: { id: '40', name: 'Aurora Guild', description: 'Builders of the northern lights.' },
    b: { id: '41', name: 'Beacon', description: null },
  })
  const { id, name, description, loyaltyPointsRanks, ...extensions } = await fieldTypes(world, 'Space')
  expect({ id, name, description }).toEqual({ id: 'String!', name: 'String!', description: 'String' })
  expect(loyaltyPointsRanks).toBe('LoyaltyPointsRanks')
  expect(extensions).toEqual({
    addressLoyaltyPoints: 'AddressLoyaltyPoints',
    addressesLoyaltyPoints: '[AddressLoyaltyPoints]',
    addressLoyaltyPointsHistory: 'LoyaltyPointsHistory',
    changes: 'LoyaltyPointsChanges',
    sprints: '[Sprint!]',
  })
})

test('2.2.3 MUST return the leaderboard as totalCount, pageInfo and list, 50 a page', async () => {
  const page = await ranks(PAGE)
  expect(page.totalCount).toBe(members.length)
  expect(page.list).toHaveLength(50)
  expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  expect(page.pageInfo.endCursor).toMatch(/^.{1,200}$/)
})

test('2.2.3 MUST return an empty leaderboard for a space without points', async () => {
  expect(await ranks(PAGE, 42)).toEqual({
    totalCount: 0,
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    list: [],
  })
})

test('2.2.4 MUST rank by points, equal points sharing a rank (1, 2, 2, 4), ties ordered by address', async () => {
  const { list } = await ranks(PAGE)
  expect(standings(list)).toEqual(expectedStandings(members).slice(0, 50))
  expect(list.slice(0, 5).map(({ rank }) => rank)).toEqual([1, 2, 2, 4, 4])
  expect(await fieldTypes(world, 'LoyaltyPointsRank')).toEqual({ rank: 'Int!', points: 'Int!', address: 'Address' })
})

test('2.2.5 MUST return the profile of a member, with a short stable id if the member has no name', async () => {
  const { list } = await ranks(PAGE)
  const shown = (index: number) => list.find(({ address }) => address.address === evmAddress(index))?.address
  expect(shown(0)).toEqual({ username: 'member-0', address: evmAddress(0), avatar: 'https://img.example/0.png' })
  expect(shown(2)).toEqual({ username: 'member-2', address: evmAddress(2), avatar: '' })
  expect(shown(1)?.username).toMatch(/^[0-9a-z]{1,16}$/)
  expect(new Set(list.map(({ address }) => address.username)).size).toBe(50)
  const again = await ranks(PAGE)
  expect(again.list.map(({ address }) => address.username)).toEqual(list.map(({ address }) => address.username))
  expect(await fieldTypes(world, 'Address')).toEqual({ username: 'String!', address: 'String!', avatar: 'String!' })
})

test('2.2.6 MUST return the same from spaceLoyaltyPointsRanks as from the field of the space', async () => {
  const { data } = await world.ask<{ spaceLoyaltyPointsRanks: RanksPage }>(
    `query ($spaceId: Int!, $sprintId: Int, $cursorAfter: String) {
       spaceLoyaltyPointsRanks(spaceId: $spaceId, sprintId: $sprintId, cursorAfter: $cursorAfter) { ${PAGE} }
     }`,
    { spaceId: 40 },
  )
  expect(data.spaceLoyaltyPointsRanks).toEqual(await ranks(PAGE))
  const unknown = await world.ask('{ spaceLoyaltyPointsRanks(spaceId: 999) { totalCount } }')
  expect(unknown.data).toEqual({ spaceLoyaltyPointsRanks: null })
  expect(firstError(unknown)).toBe('NOT_FOUND 404 Space not found')
})
