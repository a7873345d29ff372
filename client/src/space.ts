import { sameAddress } from './addresses.ts'
import { type BoardChanges, boardChanges } from './board-changes.ts'
import { type Connection, found } from './connection.ts'
import { parseInteger } from './ids.ts'
import { type MemberPoints, memberPoints, type SprintOptions } from './member-points.ts'
import type { RequestOptions } from './options.ts'
import { createList, type List, type ListOptions, type PagePlace } from './paging.ts'
import type { LoyaltyPointsRank, Space } from './schema.ts'

export type SpaceInfo = Pick<Space, 'id' | 'name' | 'description'>

export interface LoyaltyPointsPage {
  /** Members on the board. */
  totalCount: number
  pageInfo: PagePlace
  list: LoyaltyPointsRank[]
}

export interface LoyaltyPointsOptions extends RequestOptions, SprintOptions {
  /** `pageInfo.endCursor` of the previous page. */
  cursorAfter?: string | null
  /** Returns the page that ends before this cursor. */
  cursorBefore?: string | null
}

export interface RankSearchOptions extends RequestOptions, SprintOptions {
  /** The maximum number of pages to read. Default: `pages.searchPages` of the client, 100. */
  maxPages?: number
}

/**
 * The result of a search for a member. Not found and `complete`: the whole board was read. Not found and not
 * `complete`: the search stopped at its page limit.
 */
export type RankSearch =
  { found: true; member: LoyaltyPointsRank; pagesRead: number } | { found: false; complete: boolean; pagesRead: number }

/** Reads one space. All methods fail with `Space not found` if it does not exist. */
export interface SpaceReader extends MemberPoints, BoardChanges {
  readonly id: number
  /** Name and description. */
  info(options?: RequestOptions): Promise<SpaceInfo>
  /** One page of the loyalty points board. */
  loyaltyPointsRanks(options?: LoyaltyPointsOptions): Promise<LoyaltyPointsPage>
  /** The whole board, most points first. */
  members(options?: ListOptions & SprintOptions): List<LoyaltyPointsRank, LoyaltyPointsPage>
  /**
   * Finds the rank of an address on any server. Some servers have no field for it, so this method reads pages until it
   * finds the address, at most `maxPages`. On Questboard, `rankOf` needs one request.
   */
  findRank(address: string, options?: RankSearchOptions): Promise<RankSearch>
}

const NOT_FOUND = 'Space not found'

const PAGE = 'totalCount pageInfo{hasNextPage endCursor}list{rank points address{username address avatar}}'

const INFO = 'query space($spaceId:Int!){space(id:$spaceId){id name description}}'
const RANKS =
  `query spaceRanks($spaceId:Int!,$sprintId:Int,$cursorAfter:String){space(id:$spaceId){loyaltyPointsRanks(sprintId:$sprintId,cursorAfter:$cursorAfter){${PAGE}}}}` as const
const RANKS_BEFORE =
  `query spaceRanksBefore($spaceId:Int!,$sprintId:Int,$cursorBefore:String){space(id:$spaceId){loyaltyPointsRanks(sprintId:$sprintId,cursorBefore:$cursorBefore){${PAGE}}}}` as const
const ROOT_RANKS =
  `query ranks($spaceId:Int!,$sprintId:Int,$cursorAfter:String){spaceLoyaltyPointsRanks(spaceId:$spaceId,sprintId:$sprintId,cursorAfter:$cursorAfter){${PAGE}}}` as const

export function readSpace(connection: Connection, id: string | number): SpaceReader {
  const spaceId = parseInteger('the space id', id)

  async function loyaltyPointsRanks(options: LoyaltyPointsOptions = {}): Promise<LoyaltyPointsPage> {
    const { sprintId = null, cursorAfter = null, cursorBefore = null } = options
    if (cursorAfter !== null && cursorBefore !== null)
      throw new TypeError('cursorAfter and cursorBefore exclude each other: use one of them')
    const { space } =
      cursorBefore === null
        ? await connection.ask('space', RANKS, { spaceId, sprintId, cursorAfter }, options)
        : await connection.ask('space', RANKS_BEFORE, { spaceId, sprintId, cursorBefore }, options)
    return found(found(space, NOT_FOUND).loyaltyPointsRanks, NOT_FOUND)
  }

  function members({ sprintId, signal, fresh, ...options }: ListOptions & SprintOptions = {}) {
    const readPage = (cursorAfter: string | null) =>
      loyaltyPointsRanks({ sprintId: sprintId ?? null, cursorAfter, signal, fresh })
    return createList(connection.settings, { readPage, itemsOf: ({ list }) => list }, { signal, ...options })
  }

  return {
    ...memberPoints(connection, spaceId),
    ...boardChanges(connection, spaceId),
    id: spaceId,
    loyaltyPointsRanks,
    members,
    async info(options) {
      const { space } = await connection.ask('space', INFO, { spaceId }, options)
      return found(space, NOT_FOUND)
    },
    async findRank(address, { maxPages = connection.settings.pages.searchPages, ...options } = {}) {
      let pagesRead = 0
      let complete = false
      for await (const { list, pageInfo } of members({ ...options, maxPages }).pages()) {
        pagesRead++
        complete = !pageInfo.hasNextPage
        const member = list.find((rank) => rank.address && sameAddress(rank.address.address, address))
        if (member) return { found: true, member, pagesRead }
      }
      return { found: false, complete, pagesRead }
    },
  }
}

/** One page by the root field `spaceLoyaltyPointsRanks`, the alternative for the same board. */
export async function spaceLoyaltyPointsRanks(
  connection: Connection,
  { spaceId, sprintId, cursorAfter, ...options }: { spaceId: number } & Omit<LoyaltyPointsOptions, 'cursorBefore'>,
): Promise<LoyaltyPointsPage> {
  const variables = { spaceId, sprintId: sprintId ?? null, cursorAfter: cursorAfter ?? null }
  const { spaceLoyaltyPointsRanks: page } = await connection.ask('space', ROOT_RANKS, variables, options)
  return found(page, NOT_FOUND)
}
