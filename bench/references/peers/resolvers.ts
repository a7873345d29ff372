import { type PlaceInBoard, readCursor } from '../loyalty-page.ts'
import { optionsOfProcess, prepared } from '../prepared.ts'

/** The part of the service's schema that S2 and S3 ask for, with resolvers written by hand on the service's own SQL. */
export const typeDefs = `
  type Query {
    spaceLoyaltyPointsRanks(spaceId: Int!, cursorAfter: String): LoyaltyPointsRanks!
    credential(id: ID!): Credential
  }
  type LoyaltyPointsRanks { totalCount: Int! pageInfo: PageInfo! list: [LoyaltyPointsRank!]! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type LoyaltyPointsRank { rank: Int! points: Int! address: Address! }
  type Address { username: String! address: String! avatar: String! }
  type Credential { id: ID! eligible(address: String!): Int! }
`

const ask = prepared(optionsOfProcess())

export const resolvers = {
  Query: {
    spaceLoyaltyPointsRanks: (_root: unknown, { spaceId, cursorAfter }: { spaceId: number; cursorAfter: string }) => {
      const behind: PlaceInBoard = readCursor(cursorAfter)
      if (behind.spaceId !== spaceId) throw new Error('the cursor is of another space')
      return ask.page(behind)
    },
    credential: (_root: unknown, { id }: { id: string }) => ({ id }),
  },
  Credential: {
    eligible: async ({ id }: { id: string }, { address }: { address: string }) =>
      (await ask.holds(id, address)) ? 1 : 0,
  },
}
