import { questEligibility, questList } from '../../documents.ts'
import { quest, space, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const questExamples: Example[] = [
  {
    name: 'QuestInfo',
    area: 'Quests',
    title: 'About a quest',
    description: 'Status, period, participants, points',
    query: `query QuestInfo($id: ID!) {
  quest(id: $id) {
    id
    name
    type
    status
    description
    startTime
    endTime
    cap
    participantsCount
    loyaltyPoints
    gasType
    chain
    space {
      id
      name
    }
  }
}
`,
    variables: { id: quest },
  },
  {
    name: 'QuestList',
    area: 'Quests',
    title: 'Quests of a space',
    description: 'Filtered by status and type',
    query: questList,
    variables: { input: { spaceId: String(space), statuses: ['Active'], types: null, first: 10 } },
  },
  {
    name: 'QuestEligibility',
    area: 'Quests',
    title: 'Is an address ready for a quest?',
    description: 'Conditions and rewards, evaluated for the address',
    query: questEligibility,
    variables: { questId: quest, address: evmAddress },
  },
]
