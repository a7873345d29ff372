import { starboard, handle, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const starboardExamples: Example[] = [
  {
    name: 'StarboardInfo',
    area: 'Starboards',
    title: 'About a starboard',
    description: 'Name, project, type, reward',
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
    area: 'Starboards',
    title: 'Leaderboard, page by page',
    description: 'Put pageInfo.endCursor into "after" for the next page',
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
    area: 'Starboards',
    title: 'One user of the leaderboard',
    description: 'By handle on X',
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
    area: 'Starboards',
    title: 'Handle of an address',
    description: 'The X user behind an EVM address',
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
    area: 'Starboards',
    title: 'Scores of an address',
    description: 'Own activity and influence through others',
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
