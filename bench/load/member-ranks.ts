import type { QueryEndpoint } from './board-pages.ts'

/** Requests for the ranks of single members. */

export const RANK_QUERY = `query ($id: Int!, $address: String!, $sprintId: Int) {
  space(id: $id) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank points totalCount } }
}`

const RANKS_QUERY = `query ($id: Int!, $addresses: [String!]!, $sprintId: Int) {
  space(id: $id) { addressesLoyaltyPoints(addresses: $addresses, sprintId: $sprintId) { rank points totalCount } }
}`

const AROUND_QUERY = `query ($id: Int!, $address: String!, $first: Int, $sprintId: Int) {
  space(id: $id) {
    loyaltyPointsRanks(around: $address, first: $first, sprintId: $sprintId) {
      totalCount list { rank points address { address } }
    }
  }
}`

/** A member as a response shows it; null if it is not on the board. */
export type RankedMember = { rank: number; points: number; totalCount: number } | null

interface Board {
  spaceId: number
  sprintId?: number | undefined
}

export async function readMemberRank(
  endpoint: QueryEndpoint,
  { spaceId, sprintId }: Board,
  address: string,
): Promise<RankedMember> {
  const variables = { id: spaceId, sprintId, address }
  const { space } = await querySpace<{ addressLoyaltyPoints: RankedMember }>(endpoint, RANK_QUERY, variables)
  return space.addressLoyaltyPoints
}

export async function readMemberRanks(
  endpoint: QueryEndpoint,
  { spaceId, sprintId }: Board,
  addresses: readonly string[],
): Promise<RankedMember[]> {
  const variables = { id: spaceId, sprintId, addresses }
  const { space } = await querySpace<{ addressesLoyaltyPoints: RankedMember[] }>(endpoint, RANKS_QUERY, variables)
  return space.addressesLoyaltyPoints
}

export interface AroundPage {
  totalCount: number
  list: { rank: number; points: number; address: string }[]
}

/** The page around a member; undefined if it is not on the board. */
export async function readRanksAround(
  endpoint: QueryEndpoint,
  { spaceId, sprintId }: Board,
  address: string,
  first: number,
): Promise<AroundPage | undefined> {
  type Page = { totalCount: number; list: { rank: number; points: number; address: { address: string } }[] }
  const variables = { id: spaceId, sprintId, address, first }
  const { space } = await querySpace<{ loyaltyPointsRanks: Page | null }>(endpoint, AROUND_QUERY, variables, [
    'Member not found',
  ])
  const page = space.loyaltyPointsRanks
  return page
    ? { totalCount: page.totalCount, list: page.list.map((each) => ({ ...each, address: each.address.address })) }
    : undefined
}

/** @throws when the answer has another error than those that are expected */
async function querySpace<Fields>(
  { url, token }: QueryEndpoint,
  query: string,
  variables: object,
  expected: readonly string[] = [],
): Promise<{ space: Fields }> {
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'access-token': token },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  const { data, errors = [] } = JSON.parse(text) as { data?: { space: Fields }; errors?: { message: string }[] }
  if (response.status !== 200 || !data?.space || errors.some(({ message }) => !expected.includes(message)))
    throw new Error(`a rank was refused (${response.status}): ${text.slice(0, 500)}`)
  return data
}
