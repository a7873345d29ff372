import { spaceNotFound } from '../../errors.ts'
import type { Context, FieldTable } from '../../graphql/context.ts'
import type { Site } from '../../settings/site.ts'
import { avatarUrl } from '../../settings/uploaded-picture.ts'
import { requireSpace } from '../public-space.ts'
import type { ChangedMember } from './board-changes.queries.ts'
import { type ChangesArguments, readBoardChanges } from './board-changes.ts'
import type { Rank } from './loyalty-cursor.ts'
import { type RanksArguments, type RanksPage, readRanks } from './loyalty-ranks.ts'
import { findMember, findMembers, type MemberArguments, type MembersArguments } from './member-rank.ts'
import { type HistoryArguments, readPointsHistory } from './points-history.ts'
import type { HistoryRow } from './points-history.queries.ts'
import { findSpace } from './space.queries.ts'
import { isSpaceId } from './space.rules.ts'
import { readSprints } from './sprints.queries.ts'

type Parent = { id: string }

interface Edge {
  node: Rank
  page: RanksPage
}

/** Spaces and their loyalty points. */
export const spaceFields = (site: Pick<Site, 'issuer'>): FieldTable => ({
  resolvers: {
    Query: {
      async space(_: unknown, args: { id: number }, context: Context) {
        requireSpace(context, args.id)
        const { reader, cacheValidators } = context
        const found = isSpaceId(args.id) ? await findSpace(reader, args.id) : undefined
        if (!found) throw spaceNotFound()
        cacheValidators.add(found.validator)
        return found.space
      },
      spaceLoyaltyPointsRanks: (_: unknown, args: RanksArguments & { spaceId: number }, context: Context) =>
        readRanks(context, args.spaceId, args),
    },
    Space: {
      loyaltyPointsRanks: (parent: Parent, args: RanksArguments, context: Context) =>
        readRanks(context, Number(parent.id), args),
      addressLoyaltyPoints: (parent: Parent, args: MemberArguments, context: Context) =>
        findMember(context, Number(parent.id), args),
      addressesLoyaltyPoints: (parent: Parent, args: MembersArguments, context: Context) =>
        findMembers(context, Number(parent.id), args),
      addressLoyaltyPointsHistory: (parent: Parent, args: HistoryArguments, context: Context) =>
        readPointsHistory(context, Number(parent.id), args),
      changes: (parent: Parent, args: ChangesArguments, context: Context) =>
        readBoardChanges(context, Number(parent.id), args),
      sprints(parent: Parent, _: unknown, context: Context) {
        requireSpace(context, Number(parent.id))
        return readSprints(context.reader, Number(parent.id))
      },
    },
  },
  getters: {
    LoyaltyPointsRanks: {
      edges: (page: RanksPage): Edge[] => page.list.map((node) => ({ node, page })),
    },
    LoyaltyPointsRankEdge: {
      cursor: ({ node, page }: Edge) => page.cursorOf(node),
    },
    LoyaltyPointsHistoryEntry: {
      amount: ({ before, balance }: HistoryRow) => (balance ?? 0) - (before ?? 0),
    },
    LoyaltyPointsChange: {
      address: (member: ChangedMember) => member,
    },
    LoyaltyPointsRank: {
      // The rank row contains the member's columns.
      address: (rank: Rank) => rank,
    },
    Address: {
      avatar: ({ avatar }: Rank | ChangedMember) => avatarUrl(avatar, site),
    },
  },
})
