import type { Credential, Quest, QuestList, Space, Starboard } from '@questboard/client'
import type { GraphqlRequest } from '../api/graph.ts'
import { credentialEligibility, credentialInfo, questEligibility, questList, spaceRanks } from '../documents.ts'

// The queries of the pages. Each can be opened in the playground unchanged.

export interface SpaceAnswer {
  space: Space
}

/** A page of a space's board. */
export const spaceRequest = (spaceId: string, sprintId?: number, cursorAfter?: string): GraphqlRequest => ({
  query: spaceRanks,
  variables: { spaceId: Number(spaceId), sprintId: sprintId ?? null, cursorAfter: cursorAfter ?? null },
})

export interface MemberAnswer {
  space: Pick<Space, 'addressLoyaltyPoints'>
}

/** The rank of one member of a board. */
export const memberRequest = (spaceId: string, address: string, sprintId?: number): GraphqlRequest => ({
  query: `query MemberRank($spaceId: Int!, $address: String!, $sprintId: Int) {
  space(id: $spaceId) {
    addressLoyaltyPoints(address: $address, sprintId: $sprintId) {
      rank
      points
      address
      totalCount
      percentile
    }
  }
}
`,
  variables: { spaceId: Number(spaceId), address, sprintId: sprintId ?? null },
})

export interface StarboardAnswer {
  starboard: Starboard
}

const PAGE = 50

/** A page of a starboard's ranking, or the one user with a handle. */
export const starboardRequest = (id: string, after?: string, handle?: string): GraphqlRequest => ({
  query: `query StarboardRanking($id: ID!, $first: Int!, $after: String, $twitterId: String) {
  starboard(id: $id) {
    basicInfo {
      name
      projectName
      description
      tags
      type
      reward {
        name
        description
        startTime
        endTime
      }
    }
    leaderboard(twitterId: $twitterId, pagination: { forward: { first: $first, after: $after } }) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          xUserProfile {
            username
            name
            followersCount
            verifiedType
            profileImageUrl
          }
          rank {
            value
            delta
          }
          influenceScore {
            value
          }
          change24H {
            deltaRate
          }
          change7D {
            deltaRate
          }
          change30D {
            deltaRate
          }
        }
      }
    }
  }
}
`,
  variables: { id, first: handle === undefined ? PAGE : 1, after: after ?? null, twitterId: handle ?? null },
})

export interface CredentialAnswer {
  credential: Credential
}

export const credentialRequest = (id: string): GraphqlRequest => ({
  query: credentialInfo,
  variables: { credId: id },
})

/** Whether an address holds a credential, for a quest if one is named. */
export const eligibilityRequest = (id: string, address: string, questId: string): GraphqlRequest => ({
  query: credentialEligibility,
  variables: { credId: id, address, campaignId: questId === '' ? null : questId },
})

export interface QuestAnswer {
  quest: Quest
}

/** A quest, with its groups evaluated for an address; an empty one is eligible for nothing. */
export const questRequest = (id: string, address: string): GraphqlRequest => ({
  query: questEligibility,
  variables: { questId: id, address },
})

export interface QuestsAnswer {
  quests: QuestList
}

/** A page of the public quests, with those that members can complete now at the top. */
export const questsRequest = (statuses: string[], first: number, spaceId?: string, after?: string): GraphqlRequest => ({
  query: questList,
  variables: { input: { statuses, spaceId: spaceId ?? null, order: 'OPEN_FIRST', first, after: after ?? null } },
})
