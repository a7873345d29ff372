import { spaceNotFound } from '../../errors.ts'
import type { Context, FieldTable } from '../../graphql/context.ts'
import { type RanksArguments, type Rank, readRanks } from './loyalty-ranks.ts'
import { findSpace } from './space.queries.ts'
import { isSpaceId } from './space.rules.ts'

/** Spaces and their loyalty points (spec 2.2, 4.4). */
export const space: FieldTable = {
  resolvers: {
    Query: {
      async space(_: unknown, args: { id: number }, { reader, cacheValidators }: Context) {
        const found = isSpaceId(args.id) ? await findSpace(reader, args.id) : undefined
        if (!found) throw spaceNotFound()
        cacheValidators.add(found.validator)
        return found.space
      },
      spaceLoyaltyPointsRanks: (_: unknown, args: RanksArguments & { spaceId: number }, context: Context) =>
        readRanks(context, args.spaceId, args),
    },
    Space: {
      loyaltyPointsRanks: (parent: { id: string }, args: RanksArguments, context: Context) =>
        readRanks(context, Number(parent.id), args),
    },
  },
  getters: {
    LoyaltyPointsRank: {
      // The rank row contains the member's columns.
      address: (rank: Rank) => rank,
    },
  },
}
