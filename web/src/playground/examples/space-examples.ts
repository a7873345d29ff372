import { spaceRanks } from '../../documents.ts'
import { evmAddress, leader, space } from './demo-data.ts'
import type { Example } from './example.ts'

export const spaceExamples: Example[] = [
  {
    name: 'SpaceInfo',
    area: 'spaces',
    query: `query SpaceInfo($spaceId: Int!) {
  space(id: $spaceId) {
    id
    name
    description
  }
}
`,
    variables: { spaceId: space },
  },
  {
    name: 'SpaceRanks',
    area: 'spaces',
    query: spaceRanks,
    variables: { spaceId: space, cursorAfter: null, sprintId: null },
  },
  {
    name: 'SpaceLoyaltyPointsRanks',
    area: 'spaces',
    query: `query SpaceLoyaltyPointsRanks($spaceId: Int!, $sprintId: Int, $cursorAfter: String) {
  spaceLoyaltyPointsRanks(spaceId: $spaceId, sprintId: $sprintId, cursorAfter: $cursorAfter) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    list {
      rank
      points
      address {
        username
        address
        avatar
      }
    }
  }
}
`,
    variables: { spaceId: space, sprintId: null, cursorAfter: null },
  },
  {
    name: 'MemberRank',
    area: 'spaces',
    query: `query MemberRank($spaceId: Int!, $address: String!, $sprintId: Int) {
  space(id: $spaceId) {
    addressLoyaltyPoints(address: $address, sprintId: $sprintId) {
      rank
      points
      totalCount
      percentile
    }
  }
}
`,
    variables: { spaceId: space, address: evmAddress, sprintId: null },
  },
  {
    name: 'MemberRanks',
    area: 'spaces',
    query: `query MemberRanks($spaceId: Int!, $addresses: [String!]!, $sprintId: Int) {
  space(id: $spaceId) {
    addressesLoyaltyPoints(addresses: $addresses, sprintId: $sprintId) {
      address
      rank
      points
    }
  }
}
`,
    variables: { spaceId: space, addresses: [evmAddress, leader], sprintId: null },
  },
  {
    name: 'RanksAroundMember',
    area: 'spaces',
    query: `query RanksAroundMember($spaceId: Int!, $address: String!, $sprintId: Int) {
  space(id: $spaceId) {
    loyaltyPointsRanks(around: $address, sprintId: $sprintId) {
      totalCount
      pageInfo {
        hasPreviousPage
        startCursor
        hasNextPage
        endCursor
      }
      edges {
        cursor
        node {
          rank
          points
          address {
            username
            address
          }
        }
      }
    }
  }
}
`,
    variables: { spaceId: space, address: evmAddress, sprintId: null },
  },
  {
    name: 'SpaceSprints',
    area: 'spaces',
    query: `query SpaceSprints($spaceId: Int!) {
  space(id: $spaceId) {
    sprints {
      id
      name
      startTime
      endTime
    }
  }
}
`,
    variables: { spaceId: space },
  },
  {
    name: 'PointsHistory',
    area: 'spaces',
    query: `query PointsHistory($spaceId: Int!, $address: String!, $sprintId: Int, $cursorAfter: String) {
  space(id: $spaceId) {
    addressLoyaltyPointsHistory(address: $address, sprintId: $sprintId, cursorAfter: $cursorAfter) {
      pageInfo {
        hasNextPage
        endCursor
      }
      list {
        amount
        balance
        time
        sprintId
        source
        reason
      }
    }
  }
}
`,
    variables: { spaceId: space, address: evmAddress, sprintId: null, cursorAfter: null },
  },
]
