import { questEligibility, questList } from '../../documents.ts'
import { quest, space, evmAddress } from './demo-data.ts'
import type { Example } from './example.ts'

export const questExamples: Example[] = [
  {
    name: 'QuestInfo',
    area: 'quests',
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
    area: 'quests',
    query: questList,
    variables: { input: { spaceId: String(space), statuses: ['Active'], types: null, first: 10 } },
  },
  {
    name: 'QuestEligibility',
    area: 'quests',
    query: questEligibility,
    variables: { questId: quest, address: evmAddress },
  },
]
