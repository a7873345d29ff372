import { starboardNotFound, twitterUserNotFound } from '../../errors.ts'
import type { Context, FieldInfo, FieldTable } from '../../graphql/context.ts'
import { checkedEvmAddress } from '../checked-address.ts'
import { isIdentifier } from '../identifiers.ts'
import { type LeaderboardArguments, type Node, readLeaderboard } from './leaderboard.ts'
import {
  findLinkedUser,
  findStarboard,
  type LinkedUserRow,
  ownersChoice,
  type StarboardRow,
} from './starboard.queries.ts'
import { changeMetric, influenceScoreMetric, rankMetric } from './starboard.rules.ts'

interface AddressArguments {
  evmAddress: string
}

/** Starboards and their rankings. */
export const starboard: FieldTable = {
  resolvers: {
    Query: {
      async starboard(_: unknown, args: { id: string }, { reader }: Context) {
        const found = isIdentifier(args.id) ? await findStarboard(reader, args.id) : undefined
        if (!found) throw starboardNotFound()
        return found
      },
    },
    Starboard: {
      leaderboard: (parent: StarboardRow, args: LeaderboardArguments, context: Context, field: FieldInfo) =>
        readLeaderboard(context, parent.id, args, field),
      async twitterHandleByEvmAddress(parent: StarboardRow, args: AddressArguments, context: Context) {
        const { address, user } = await linkedUserOf(context, parent.id, args)
        return {
          evmAddress: address,
          mainAddress: user.main_address,
          twitterHandle: user.is_public ? user.username : '',
          isPublic: user.is_public,
        }
      },
      async userDetail(parent: StarboardRow, args: AddressArguments, context: Context) {
        const { user } = await linkedUserOf(context, parent.id, args)
        return {
          starboardId: parent.id,
          twitterHandle: user.is_public ? user.username : '',
          individual: user.individual,
          aura: user.aura,
          isPublic: user.is_public,
        }
      },
    },
  },
  getters: {
    Starboard: {
      basicInfo: (row: StarboardRow) => row,
    },
    StarboardBasicInfo: {
      reward: (row: StarboardRow) => (row.reward_name === null ? null : row),
    },
    StarboardReward: {
      name: (row: StarboardRow) => row.reward_name,
      description: (row: StarboardRow) => row.reward_description ?? '',
      startTime: (row: StarboardRow) => row.reward_start_time,
      endTime: (row: StarboardRow) => row.reward_end_time,
    },
    StarboardLeaderboardEdge: {
      cursor: (edge: { cursor: () => string }) => edge.cursor(),
    },
    StarboardLeaderboardNode: {
      xUserProfile: ({ row }: Node) => row,
      rank: ({ row, userCount }: Node) => rankMetric(row.rank, row.previous_rank, userCount),
      influenceScore: ({ row }: Node) => influenceScoreMetric(row.score, row.previous_score, row.top_score),
      change24H: ({ row }: Node) => changeMetric(row.score, row.score_24h),
      change7D: ({ row }: Node) => changeMetric(row.score, row.score_7d),
      change30D: ({ row }: Node) => changeMetric(row.score, row.score_30d),
    },
    XUserProfile: {
      id: ({ user_id }: Node['row']) => user_id,
      name: ({ name, username }: Node['row']) => name || username,
      profileImageUrl: ({ profile_image_url }: Node['row']) => profile_image_url,
      followersCount: ({ followers_count }: Node['row']) => followers_count,
      verifiedType: ({ verified_type }: Node['row']) => verified_type,
    },
  },
}

async function linkedUserOf(
  { reader }: Context,
  starboardId: string,
  { evmAddress }: AddressArguments,
): Promise<{ address: string; user: LinkedUserRow }> {
  const address = checkedEvmAddress('evmAddress', evmAddress)
  const [user, ofAddress] = await Promise.all([
    findLinkedUser(reader, starboardId, address),
    ownersChoice(reader, 'EVMAddress', address),
  ])
  if (!user) throw twitterUserNotFound()
  const ofUser = user.user_id === '' ? undefined : await ownersChoice(reader, 'Twitter', user.user_id)
  return { address, user: { ...user, is_public: shown(user.is_public, ofAddress, ofUser) } }
}

/**
 * The choices of the owners of the address and of the X identity override the imported value; hiding overrides showing.
 */
function shown(imported: boolean, ...chosen: (boolean | undefined)[]): boolean {
  const choices = chosen.filter((choice) => choice !== undefined)
  return choices.length === 0 ? imported : choices.every(Boolean)
}
