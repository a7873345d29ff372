import { spaceRanks } from '../../documents.ts'
import { space } from './demo-data.ts'
import type { Example } from './example.ts'

export const spaceExamples: Example[] = [
  {
    name: 'SpaceInfo',
    area: 'Spaces',
    title: 'About a space',
    description: 'Name and description',
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
    area: 'Spaces',
    title: 'Loyalty points, page by page',
    description: 'Put pageInfo.endCursor into "cursorAfter"; "sprintId" for one sprint',
    query: spaceRanks,
    variables: { spaceId: space, cursorAfter: null, sprintId: null },
  },
  {
    name: 'SpaceLoyaltyPointsRanks',
    area: 'Spaces',
    title: 'Loyalty points, at the root',
    description: 'The same board with one level less',
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
