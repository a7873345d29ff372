import { starboard, handle, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const starboardExamples: Example[] = [
  {
    name: 'StarboardInfo',
    area: 'starboards',
    query: `query StarboardInfo($id: ID!) {
  starboard(id: $id) {
    basicInfo {
      id
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
  }
}
`,
    variables: { id: starboard },
  },
  {
    name: 'StarboardLeaderboard',
    area: 'starboards',
    query: `query StarboardLeaderboard($id: ID!, $first: Int!, $after: String) {
  starboard(id: $id) {
    leaderboard(pagination: { forward: { first: $first, after: $after } }) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          xUserProfile {
            username
            followersCount
            verifiedType
          }
          rank {
            value
            delta
            deltaRate
            percentage
          }
          influenceScore {
            value
            delta
            deltaRate
            percentage
          }
          change24H {
            value
            deltaRate
          }
          change7D {
            value
            deltaRate
          }
          change30D {
            value
            deltaRate
          }
        }
      }
    }
  }
}
`,
    variables: { id: starboard, first: 10, after: null },
  },
  {
    name: 'StarboardUser',
    area: 'starboards',
    query: `query StarboardUser($id: ID!, $twitterId: String!) {
  starboard(id: $id) {
    leaderboard(twitterId: $twitterId, pagination: { forward: { first: 1 } }) {
      edges {
        node {
          rank {
            value
            delta
          }
          influenceScore {
            value
            percentage
          }
          xUserProfile {
            username
            followersCount
            verifiedType
          }
        }
      }
    }
  }
}
`,
    variables: { id: starboard, twitterId: handle },
  },
  {
    name: 'TwitterHandleByEvmAddress',
    area: 'starboards',
    query: `query TwitterHandleByEvmAddress($id: ID!, $evmAddress: String!) {
  starboard(id: $id) {
    twitterHandleByEvmAddress(evmAddress: $evmAddress) {
      evmAddress
      mainAddress
      twitterHandle
      isPublic
    }
  }
}
`,
    variables: { id: starboard, evmAddress },
  },
  {
    name: 'StarboardUserDetail',
    area: 'starboards',
    query: `query StarboardUserDetail($id: ID!, $evmAddress: String!) {
  starboard(id: $id) {
    userDetail(evmAddress: $evmAddress) {
      starboardId
      twitterHandle
      individual
      aura
      isPublic
    }
  }
}
`,
    variables: { id: starboard, evmAddress },
  },
]
