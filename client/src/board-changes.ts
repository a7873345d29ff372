import { type Connection, found } from './connection.ts'
import type { ResultOf } from './document-types.ts'
import { type LiveBoard, type LiveOptions, followBoard } from './live/board.ts'
import type { SprintOptions } from './member-points.ts'
import { createList, type List, type ListOptions, type PagePlace } from './paging.ts'
import type { AddressLoyaltyPoints, LoyaltyPointsChange, LoyaltyPointsRank } from './schema.ts'

/** A page of a board in one version. */
export interface BoardPage {
  /** The version, which is the same on all pages. Pass it to `changes`. */
  version: string
  totalCount: number
  pageInfo: PagePlace
  list: LoyaltyPointsRank[]
}

export interface ChangesPage {
  /** The version that the members of this page have. After the last page, pass it to `changes`. */
  version: string
  totalCount: number
  pageInfo: PagePlace
  list: LoyaltyPointsChange[]
}

/** A place of a live board of loyalty points. */
export type LivePlace = LoyaltyPointsRank & { position: number }

export type LiveMember = Omit<AddressLoyaltyPoints, 'id' | 'version'>

/** Copies of a board that stay current. Other servers than Questboard do not have these fields. */
export interface BoardChanges {
  /** The whole board, most points first, 1,000 members per page. Each page has the version of the board. */
  board(options?: ListOptions & SprintOptions): List<LoyaltyPointsRank, BoardPage>
  /**
   * The members that changed after a version. After all pages, a copy of the board has the version of the last page. Fails
   * with the code `VERSION_EXPIRED` if the version was replaced over 30 minutes ago: read the board again.
   */
  changes(sinceVersion: string, options?: ListOptions & SprintOptions): List<LoyaltyPointsChange, ChangesPage>
  /** The first places or a member, first as they are and then after each change, until you stop. */
  live(options?: LiveOptions & SprintOptions): AsyncIterableIterator<LiveBoard<LivePlace, LiveMember>>
}

const NOT_FOUND = 'Space not found'
const MEMBERS = 'address{username address avatar}'
const PAGE = 'version totalCount pageInfo{hasNextPage endCursor}'

const BOARD =
  `query board($spaceId:Int!,$sprintId:Int,$cursorAfter:String){space(id:$spaceId){loyaltyPointsRanks(sprintId:$sprintId,cursorAfter:$cursorAfter,first:1000){${PAGE}list{rank points ${MEMBERS}}}}}` as const
const CHANGES =
  `query changes($spaceId:Int!,$sprintId:Int,$cursorAfter:String,$sinceVersion:String!){space(id:$spaceId){changes(sinceVersion:$sinceVersion,sprintId:$sprintId,cursorAfter:$cursorAfter,first:1000){${PAGE}list{points ${MEMBERS}}}}}` as const

export function boardChanges(connection: Connection, spaceId: number): BoardChanges {
  /** This query is not cached, because a cached page would be older than the caller's copy. */
  async function ask<const Text extends string>(query: Text, variables: object, options: ListOptions) {
    const { space } = (await connection.send({ query, variables }, 0, options)) as ResultOf<typeof BOARD> &
      ResultOf<typeof CHANGES>
    return found(space, NOT_FOUND)
  }

  return {
    board({ sprintId = null, signal, fresh, ...options } = {}) {
      const readPage = async (cursorAfter: string | null) => {
        const { loyaltyPointsRanks } = await ask(BOARD, { spaceId, sprintId, cursorAfter }, { signal, fresh })
        return found(loyaltyPointsRanks, NOT_FOUND)
      }
      return createList(connection.settings, { readPage, itemsOf: ({ list }) => list }, { signal, ...options })
    },
    changes(sinceVersion, { sprintId = null, signal, fresh, ...options } = {}) {
      const readPage = async (cursorAfter: string | null) => {
        const variables = { spaceId, sprintId, cursorAfter, sinceVersion }
        return found((await ask(CHANGES, variables, { signal, fresh })).changes, NOT_FOUND)
      }
      return createList(connection.settings, { readPage, itemsOf: ({ list }) => list }, { signal, ...options })
    },
    live: (options = {}) => followBoard<LivePlace, LiveMember>(connection, `spaces/${spaceId}`, options),
  }
}
