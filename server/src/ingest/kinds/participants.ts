import { canonicalMember } from '../../addresses/addresses.ts'
import { settleQuests } from '../../ranking/quests/transitions.ts'
import { NOW, shaped, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { addParticipants, capAllows, countParticipants, lockQuests, newParticipants } from './participants.queries.ts'
import { questMustExist } from './rules.queries.ts'
import { slug } from './starboards.ts'

const MAX_ADDRESS_LENGTH = 320

export const participants: Kind = {
  fields: {
    questId: slug('quest_id'),
    address: shaped(
      'address',
      `an address or name of 1 to ${MAX_ADDRESS_LENGTH} characters, without control characters`,
      'member',
      (value) => {
        const address = canonicalMember(value)
        return address === undefined || address.length > MAX_ADDRESS_LENGTH ? undefined : address
      },
    ),
    joinedAt: time('joined_at', { fallback: NOW }),
  },
  key: undefined,
  rules: [questMustExist, capAllows],
  tables: ['quest_participants'],
  lock: lockQuests,
  news: newParticipants,
  async merge(trx, { now }) {
    const added = await addParticipants(trx)
    const quests = await countParticipants(trx)
    await settleQuests(trx, quests, now.getTime())
    return { added, changed: 0 }
  },
}
