import { RequestFailure, twitterUserNotFound } from '../errors.ts'
import { MAX_ADDRESSES } from '../graphql/limits.ts'
import type { ServiceQuery } from '../http/service-query.ts'
import type { BoardName } from './subscription.ts'

export interface FirstPlaces {
  totalCount: number
  /** JSON of each place, which contains its position. */
  places: readonly string[]
}

/** A member that a stream follows. */
export interface Member {
  /** JSON that clients receive; `null` if the member is not on the board. */
  text: string
  /** Differs when rank or points differ. */
  standing: string
}

/** The reads of one board. Their fields are those of GraphQL. */
export interface Board {
  /** The number of members that one call of `readMembers` accepts. */
  readonly membersAtOnce: number
  /** @throws RequestFailure: Space not found, Invalid sprint ID, Starboard not found */
  readFirst(first: number): Promise<FirstPlaces>
  /** In the order of the keys. */
  readMembers(keys: readonly string[]): Promise<Member[]>
}

export function boardOf(name: BoardName, ask: ServiceQuery): Board {
  return name.kind === 'space' ? spaceBoard(name.id, name.sprintId, ask) : starboard(name.id, ask)
}

const RANKS = `query ($id: Int!, $sprintId: Int, $first: Int) { space(id: $id) {
  loyaltyPointsRanks(first: $first, sprintId: $sprintId) {
    totalCount list { rank points address { address username avatar } }
  } } }`
const MEMBERS = `query ($id: Int!, $sprintId: Int, $keys: [String!]!) { space(id: $id) {
  addressesLoyaltyPoints(addresses: $keys, sprintId: $sprintId) { address rank points totalCount percentile }
} }`

interface Ranks {
  space: { loyaltyPointsRanks: { totalCount: number; list: object[] } }
}

interface Members {
  space: { addressesLoyaltyPoints: ({ rank: number; points: number } | null)[] }
}

function spaceBoard(id: number, sprintId: number | undefined, ask: ServiceQuery): Board {
  return {
    membersAtOnce: MAX_ADDRESSES,
    async readFirst(first) {
      const { space } = (await ask(RANKS, { id, sprintId, first })) as Ranks
      const { totalCount, list } = space.loyaltyPointsRanks
      return { totalCount, places: list.map(placeText) }
    },
    async readMembers(keys) {
      const { space } = (await ask(MEMBERS, { id, sprintId, keys })) as Members
      return space.addressesLoyaltyPoints.map((member) => ({
        text: JSON.stringify(member),
        standing: `${member?.rank} ${member?.points}`,
      }))
    },
  }
}

const NODE = `xUserProfile { id name username profileImageUrl } rank { value delta percentage }
  influenceScore { value delta percentage }`
const LEADERBOARD = `query ($id: ID!, $first: Int!) { starboard(id: $id) {
  leaderboard(pagination: { forward: { first: $first } }) { totalCount edges { node { ${NODE} } } } } }`
const USER = `query ($id: ID!, $handle: String!) { starboard(id: $id) {
  leaderboard(twitterId: $handle) { edges { node { ${NODE} } } } } }`

interface Leaderboard {
  starboard: { leaderboard: { totalCount: number; edges: { node: object }[] } }
}

function starboard(id: string, ask: ServiceQuery): Board {
  return {
    membersAtOnce: 1,
    async readFirst(first) {
      const { starboard: found } = (await ask(LEADERBOARD, { id, first })) as Leaderboard
      const { totalCount, edges } = found.leaderboard
      return { totalCount, places: edges.map(({ node }, n) => placeText(node, n)) }
    },
    async readMembers(handles) {
      const texts = await Promise.all(handles.map(readUser))
      return texts.map((text) => ({ text, standing: text }))
    },
  }

  async function readUser(handle: string): Promise<string> {
    try {
      const { starboard: found } = (await ask(USER, { id, handle })) as Leaderboard
      return JSON.stringify(found.leaderboard.edges[0]?.node ?? null)
    } catch (error) {
      const { message } = twitterUserNotFound()
      if (error instanceof RequestFailure && error.errors.every((each) => each.message === message)) return 'null'
      throw error
    }
  }
}

const placeText = (row: object, n: number): string => JSON.stringify({ position: n + 1, ...row })
