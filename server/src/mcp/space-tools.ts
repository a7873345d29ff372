import { after, first, memberAddress, spaceId, sprintId } from './inputs.ts'
import { queryTool } from './tool.ts'

export const spaceTools = [
  queryTool({
    name: 'get_space',
    title: 'Get a space',
    description: 'Get the name and the description of a space (a community), and its sprints (periods with a board).',
    input: { spaceId },
    document: `query ($spaceId: Int!) {
      space(id: $spaceId) { id name description sprints { id name startTime endTime } }
    }`,
  }),
  queryTool({
    name: 'list_space_ranking',
    title: 'List the ranking of a space',
    description:
      'List the loyalty points of the members of a space or sprint, most points first, 50 members for each page. To find the rank of one member, use get_space_rank.',
    input: { spaceId, sprintId, cursorAfter: after },
    document: `query ($spaceId: Int!, $sprintId: Int, $cursorAfter: String) {
      space(id: $spaceId) {
        loyaltyPointsRanks(sprintId: $sprintId, cursorAfter: $cursorAfter) {
          totalCount
          pageInfo { hasNextPage endCursor }
          list { rank points address { username address avatar } }
        }
      }
    }`,
  }),
  queryTool({
    name: 'get_space_rank',
    title: 'Get the rank of a member',
    description:
      'Get the exact rank and the points of one member of a space or sprint, at any depth of the board. The result is null if the member is not on the board.',
    input: { spaceId, address: memberAddress, sprintId },
    document: `query ($spaceId: Int!, $address: String!, $sprintId: Int) {
      space(id: $spaceId) {
        addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank points address totalCount percentile }
      }
    }`,
  }),
  queryTool({
    name: 'list_points_history',
    title: 'List the changes of points of a member',
    description:
      'Explain why the points of a member changed: the ledger of one address in a space, newest change first, with the balance after each change. Sources and reasons are null unless the account is the owner or an admin of the space.',
    input: { spaceId, address: memberAddress, sprintId, first: first('changes'), cursorAfter: after },
    document: `query ($spaceId: Int!, $address: String!, $sprintId: Int, $first: Int, $cursorAfter: String) {
      space(id: $spaceId) {
        addressLoyaltyPointsHistory(address: $address, sprintId: $sprintId, first: $first, cursorAfter: $cursorAfter) {
          pageInfo { hasNextPage endCursor }
          list { amount balance time sprintId source reason key }
        }
      }
    }`,
  }),
]
