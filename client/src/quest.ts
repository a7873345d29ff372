import { type Connection, found } from './connection.ts'
import { idText } from './ids.ts'
import type { RequestOptions } from './options.ts'
import type { CredentialGroup, Quest, Space } from './schema.ts'

export type QuestInfo = Omit<Quest, 'credentialGroups' | 'space'> & {
  /** The space that runs the quest. */
  space: Pick<Space, 'id' | 'name'>
}

/** Reads one quest. All methods fail with `Quest not found` or `Quest is private` if it cannot be read. */
export interface QuestReader {
  readonly id: string
  info(options?: RequestOptions): Promise<QuestInfo>
  /** The quest's groups of conditions and rewards, evaluated for one address. */
  credentialGroups(address: string, options?: RequestOptions): Promise<CredentialGroup[]>
}

const NOT_FOUND = 'Quest not found'

export const QUEST_FIELDS =
  'id name type status description startTime endTime cap participantsCount loyaltyPoints gasType space{id name}chain'

const INFO = `query quest($id:ID!){quest(id:$id){${QUEST_FIELDS}}}` as const
const GROUPS =
  'query questGroups($questId:ID!,$address:String!){quest(id:$questId){credentialGroups(address:$address){id name conditionRelation conditions{expression eligible}rewards{expression eligible rewardType rewardCount}}}}'

export function readQuest(connection: Connection, questId: string | number): QuestReader {
  const id = idText(questId)
  return {
    id,
    async info(options) {
      const { quest } = await connection.ask('quest', INFO, { id }, options)
      return found(quest, NOT_FOUND)
    },
    async credentialGroups(address, options) {
      // Uses the cache lifetime of eligibility.
      const { quest } = await connection.ask('eligibility', GROUPS, { questId: id, address }, options)
      const groups = found(quest, NOT_FOUND).credentialGroups ?? []
      return groups.filter((group) => group !== null)
    },
  }
}
