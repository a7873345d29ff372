import { inBatches } from './batches.ts'
import { type Connection, found } from './connection.ts'
import { nullIf } from './errors.ts'
import type { RequestOptions } from './options.ts'
import { createList, type List, type ListOptions, type PagePlace } from './paging.ts'
import type { AddressLoyaltyPoints, LoyaltyPointsHistoryEntry, LoyaltyPointsRank, PageInfo, Sprint } from './schema.ts'

export interface SprintOptions {
  /** The sprint of the board; default: the overall board. */
  sprintId?: number | null
}

export interface PageAroundOptions extends RequestOptions, SprintOptions {
  /** The number of members on the page. Default 50. */
  first?: number
}

/** A page of a board with a cursor for each member. */
export interface PageAround {
  /** The version of the board; a rank with the same `version` is from the same moment. */
  version: string
  totalCount: number
  pageInfo: PageInfo
  edges: { cursor: string; node: LoyaltyPointsRank }[]
}

export interface PointsHistoryPage {
  pageInfo: PagePlace
  list: LoyaltyPointsHistoryEntry[]
}

/** Points and ranks of single members. Other servers than Questboard do not have these fields. */
export interface MemberPoints {
  /** The points and the exact rank of a member; null if the address is not on the board. */
  rankOf(address: string, options?: RequestOptions & SprintOptions): Promise<AddressLoyaltyPoints | null>
  /**
   * The same for many addresses, 100 per request; the ranks of one request are of the same moment. The keys of the map are
   * the given addresses.
   */
  ranksOf(
    addresses: Iterable<string>,
    options?: RequestOptions & SprintOptions,
  ): Promise<Map<string, AddressLoyaltyPoints | null>>
  /** The page of the board with a member in the middle; null if the address is not on the board. */
  pageAround(address: string, options?: PageAroundOptions): Promise<PageAround | null>
  /** The sprints of the space, highest ID first. */
  sprints(options?: RequestOptions): Promise<Sprint[]>
  /** The changes of a member's points, newest first. */
  pointsHistory(
    address: string,
    options?: ListOptions & SprintOptions,
  ): List<LoyaltyPointsHistoryEntry, PointsHistoryPage>
}

const NOT_FOUND = 'Space not found'

const RANKS =
  'query memberRanks($spaceId:Int!,$sprintId:Int,$addresses:[String!]!){space(id:$spaceId){addressesLoyaltyPoints(sprintId:$sprintId,addresses:$addresses){id rank points address totalCount percentile version}}}'
const AROUND =
  'query ranksAround($spaceId:Int!,$sprintId:Int,$around:String,$first:Int){space(id:$spaceId){loyaltyPointsRanks(sprintId:$sprintId,around:$around,first:$first){version totalCount pageInfo{hasNextPage endCursor hasPreviousPage startCursor}edges{cursor node{rank points address{username address avatar}}}}}}'
const SPRINTS = 'query sprints($spaceId:Int!){space(id:$spaceId){sprints{id name startTime endTime}}}'
const HISTORY =
  'query history($spaceId:Int!,$sprintId:Int,$cursorAfter:String,$address:String!){space(id:$spaceId){addressLoyaltyPointsHistory(sprintId:$sprintId,cursorAfter:$cursorAfter,address:$address){pageInfo{hasNextPage endCursor}list{amount balance time sprintId source reason key}}}}'

export function memberPoints(connection: Connection, spaceId: number): MemberPoints {
  async function batch(
    addresses: readonly string[],
    { sprintId = null, ...options }: RequestOptions & SprintOptions = {},
  ): Promise<(AddressLoyaltyPoints | null)[]> {
    const { space } = await connection.ask('space', RANKS, { spaceId, sprintId, addresses }, options)
    return found(found(space, NOT_FOUND).addressesLoyaltyPoints, NOT_FOUND)
  }

  return {
    rankOf: async (address, options) => (await batch([address], options))[0] ?? null,
    ranksOf: (addresses, options) => inBatches(addresses, (wanted) => batch(wanted, options)),
    pageAround: (around, { first = 50, sprintId = null, ...options } = {}) =>
      nullIf('Member not found', async () => {
        const { space } = await connection.ask('space', AROUND, { spaceId, sprintId, around, first }, options)
        return found(space, NOT_FOUND).loyaltyPointsRanks
      }),
    async sprints(options) {
      const { space } = await connection.ask('space', SPRINTS, { spaceId }, options)
      return found(found(space, NOT_FOUND).sprints, NOT_FOUND)
    },
    pointsHistory(address, { sprintId = null, signal, fresh, ...options } = {}) {
      const readPage = async (cursorAfter: string | null) => {
        const variables = { spaceId, sprintId, cursorAfter, address }
        const { space } = await connection.ask('space', HISTORY, variables, { signal, fresh })
        return found(found(space, NOT_FOUND).addressLoyaltyPointsHistory, NOT_FOUND)
      }
      return createList(connection.settings, { readPage, itemsOf: ({ list }) => list }, { signal, ...options })
    },
  }
}
