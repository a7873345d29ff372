import { z } from 'zod'
import { after, first } from './inputs.ts'
import { queryTool } from './tool.ts'

const id = z.string().describe('ID of a quest')
const QUEST = `id name type status description startTime endTime cap participantsCount loyaltyPoints gasType chain
  space { id name }`

export const questTools = [
  queryTool({
    name: 'get_quest',
    title: 'Get a quest',
    description: 'Get a quest: its status, period, number of participants and points.',
    input: { id },
    document: `query ($id: ID!) { quest(id: $id) { ${QUEST} } }`,
  }),
  queryTool({
    name: 'list_quests',
    title: 'List quests',
    description: 'List public quests of all spaces or of one, by status and type, newest first or open quests first.',
    input: {
      spaceId: z.string().optional().describe('ID of a space'),
      statuses: z.array(z.string()).optional().describe('Active, NotStarted, Expired or CapReached; omit it for all'),
      types: z
        .array(z.string())
        .optional()
        .describe('Drop, MysteryBox, Airdrop, Points, ExternalLink or Bounty; omit it for all'),
      order: z
        .enum(['NEWEST', 'OPEN_FIRST'])
        .optional()
        .describe('NEWEST, or OPEN_FIRST: active, then not started, then others; omit it for NEWEST'),
      first: first('quests'),
      after,
    },
    document: `query ($spaceId: ID, $statuses: [QuestStatus!], $types: [QuestType!], $order: QuestOrder,
      $first: Int, $after: String) {
      quests(input: { spaceId: $spaceId, statuses: $statuses, types: $types, order: $order, first: $first, after: $after }) {
        totalCount
        pageInfo { hasNextPage endCursor }
        list { ${QUEST} }
      }
    }`,
  }),
  queryTool({
    name: 'check_quest',
    title: 'Check an address against a quest',
    description:
      'Check which conditions of a quest an address meets. A group with conditionRelation ALL needs all conditions, one with ANY needs one.',
    input: { id, address: z.string().describe('Address or handle to check') },
    document: `query ($id: ID!, $address: String!) {
      quest(id: $id) {
        id name status
        credentialGroups(address: $address) {
          id name conditionRelation
          conditions { expression eligible }
          rewards { expression eligible rewardType rewardCount }
        }
      }
    }`,
  }),
]
