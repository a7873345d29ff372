import { spaceRanks } from '../../documents.ts'
import { space } from './demo-data.ts'
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
]
