import { type Connection, found } from './connection.ts'
import { nullIf } from './errors.ts'
import { followBoard, type LiveBoard, type LiveOptions } from './live/board.ts'
import { idText } from './ids.ts'
import type { RequestOptions } from './options.ts'
import { createList, type List, type ListOptions, type PagePlace } from './paging.ts'
import type {
  StarboardBasicInfo,
  StarboardMetricValue,
  StarboardUserDetail,
  TwitterHandleByEvmAddress,
  XUserProfile,
} from './schema.ts'

/** A ranked user with the fields that every server has. */
export interface RankedUser {
  xUserProfile: Pick<XUserProfile, 'username' | 'followersCount' | 'verifiedType'>
  rank: StarboardMetricValue
  influenceScore: StarboardMetricValue
  /** Trend of 24 hours. */
  change24H: Trend
  /** Trend of 7 days. */
  change7D: Trend
  /** Trend of 30 days. */
  change30D: Trend
}

export type Trend = Pick<StarboardMetricValue, 'value' | 'deltaRate'>

/** A user in an event of a live starboard. */
export interface LiveUser {
  xUserProfile: Pick<XUserProfile, 'id' | 'name' | 'username' | 'profileImageUrl'>
  rank: Pick<StarboardMetricValue, 'value' | 'delta' | 'percentage'>
  influenceScore: Pick<StarboardMetricValue, 'value' | 'delta' | 'percentage'>
}

export interface LeaderboardPage {
  pageInfo: PagePlace
  edges: Array<{ node: RankedUser }>
}

export interface LeaderboardOptions extends RequestOptions {
  /** The page size. Default 50. */
  first?: number
  /** `pageInfo.endCursor` of the previous page. */
  after?: string | null
}

/** Reads one starboard. All methods fail with `Starboard not found` if it does not exist. */
export interface StarboardReader {
  readonly id: string
  /** The description of the starboard. */
  basicInfo(options?: RequestOptions): Promise<StarboardBasicInfo>
  /** One page of the ranking. */
  leaderboard(options?: LeaderboardOptions): Promise<LeaderboardPage>
  /** The whole ranking, best first. */
  users(options?: ListOptions & { first?: number }): List<RankedUser, LeaderboardPage>
  /** One user by handle, or null if the starboard does not track the user. */
  user(handle: string, options?: RequestOptions): Promise<RankedUser | null>
  /** The handle linked to an EVM address, or null. */
  twitterHandleByEvmAddress(evmAddress: string, options?: RequestOptions): Promise<TwitterHandleByEvmAddress | null>
  /** The scores of the user linked to an EVM address, or null. */
  userDetail(evmAddress: string, options?: RequestOptions): Promise<StarboardUserDetail | null>
  /** The first places or a user, first as they are and then after each change, until you stop. Only on Questboard. */
  live(options?: LiveOptions): AsyncIterableIterator<LiveBoard<LiveUser & { position: number }, LiveUser>>
}

const PAGE_SIZE = 50
const NOT_FOUND = 'Starboard not found'

const METRIC = 'value delta deltaRate percentage'
const NODE =
  `xUserProfile{username followersCount verifiedType}rank{${METRIC}}influenceScore{${METRIC}}change24H{value deltaRate}change7D{value deltaRate}change30D{value deltaRate}` as const
const PAGE = `pageInfo{hasNextPage endCursor}edges{node{${NODE}}}` as const

const BASIC_INFO =
  'query starboard($id:ID!){starboard(id:$id){basicInfo{id name projectName description tags type reward{name description startTime endTime}}}}'
const LEADERBOARD =
  `query starboardLeaderboard($id:ID!,$first:Int!,$after:String){starboard(id:$id){leaderboard(pagination:{forward:{first:$first,after:$after}}){${PAGE}}}}` as const
const USER =
  `query starboardUser($id:ID!,$twitterId:String!){starboard(id:$id){leaderboard(twitterId:$twitterId,pagination:{forward:{first:1}}){edges{node{${NODE}}}}}}` as const
const HANDLE =
  'query starboardHandle($id:ID!,$evmAddress:String!){starboard(id:$id){twitterHandleByEvmAddress(evmAddress:$evmAddress){evmAddress mainAddress twitterHandle isPublic}}}'
const USER_DETAIL =
  'query starboardUserDetail($id:ID!,$evmAddress:String!){starboard(id:$id){userDetail(evmAddress:$evmAddress){starboardId twitterHandle individual aura isPublic}}}'

export function readStarboard(connection: Connection, starboardId: string | number): StarboardReader {
  const id = idText(starboardId)

  async function leaderboard({ first = PAGE_SIZE, after = null, ...options }: LeaderboardOptions = {}) {
    const { starboard } = await connection.ask('starboard', LEADERBOARD, { id, first, after }, options)
    return found(found(starboard, NOT_FOUND).leaderboard, NOT_FOUND)
  }

  return {
    id,
    leaderboard,
    async basicInfo(options) {
      const { starboard } = await connection.ask('starboard', BASIC_INFO, { id }, options)
      return found(starboard, NOT_FOUND).basicInfo
    },
    users({ first = PAGE_SIZE, ...options } = {}) {
      const readPage = (after: string | null) => leaderboard({ ...requestOf(options), first, after })
      return createList(
        connection.settings,
        { readPage, itemsOf: ({ edges }) => edges.map(({ node }) => node) },
        options,
      )
    },
    user: (twitterId, options) =>
      nullUnlessTracked(async () => {
        const { starboard } = await connection.ask('influence', USER, { id, twitterId }, options)
        return found(starboard, NOT_FOUND).leaderboard?.edges[0]?.node
      }),
    twitterHandleByEvmAddress: (evmAddress, options) =>
      nullUnlessTracked(async () => {
        const { starboard } = await connection.ask('influence', HANDLE, { id, evmAddress }, options)
        return found(starboard, NOT_FOUND).twitterHandleByEvmAddress
      }),
    userDetail: (evmAddress, options) =>
      nullUnlessTracked(async () => {
        const { starboard } = await connection.ask('influence', USER_DETAIL, { id, evmAddress }, options)
        return found(starboard, NOT_FOUND).userDetail
      }),
    live: (options = {}) => followBoard(connection, `starboards/${encodeURIComponent(id)}`, options),
  }
}

/** Services report untracked users by an error, by null, or by both. */
function nullUnlessTracked<Value>(read: () => Promise<Value | null | undefined>): Promise<Value | null> {
  return nullIf('Twitter user not found', read)
}

function requestOf({ signal, fresh }: RequestOptions): RequestOptions {
  return { signal, fresh }
}
