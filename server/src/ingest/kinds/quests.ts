import { emitStatusEvents } from '../../ranking/quests/events.ts'
import { settleQuests } from '../../ranking/quests/transitions.ts'
import { count, flag, NOW, oneOf, optional, positive, text, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { changedKeys, upsertStaged, type UpsertTarget } from '../upsert.queries.ts'
import { credentialGroups } from './quest-groups.ts'
import { conditionMustExist, storeGroups } from './quest-groups.queries.ts'
import { lockQuests } from './participants.queries.ts'
import { recordTold, resolveQuests, statusForFixedQuest } from './quests.queries.ts'
import { endBeforeStart, spaceMustExist } from './rules.queries.ts'
import { slug } from './starboards.ts'

const zero = { fallback: '0' }

const fields = {
  id: slug('quest_id'),
  spaceId: positive('space_id'),
  name: text('name', 500),
  description: text('description', 20_000, { fallback: '' }),
  type: oneOf('type', ['Drop', 'MysteryBox', 'Airdrop', 'Points', 'ExternalLink', 'Bounty']),
  status: oneOf('status', ['Draft', 'Active', 'NotStarted', 'Expired', 'CapReached', 'Deleted'], optional),
  autoStatus: flag('auto_status', optional),
  startTime: time('start_time', optional),
  endTime: time('end_time', optional),
  cap: count('cap', zero),
  participantsCount: count('participants_count', zero),
  loyaltyPoints: count('loyalty_points', zero),
  gasType: oneOf('gas_type', ['Gas', 'Gasless'], { fallback: 'Gasless' }),
  chain: text('chain', 50, optional),
  isPrivate: flag('is_private', { fallback: 'false' }),
  createdAt: time('created_at', { fallback: NOW }),
  credentialGroups,
}
const bit = (name: keyof typeof fields) => 1 << Object.keys(fields).indexOf(name)
const target: UpsertTarget = { table: 'quests', key: ['quest_id'], fields, notStored: ['credential_groups'] }

export const quests: Kind = {
  fields,
  key: { field: 'id', columns: ['quest_id'] },
  rules: [
    spaceMustExist('spaceId', 'space_id'),
    endBeforeStart(target, 'endTime', 'start_time', 'end_time'),
    statusForFixedQuest(bit('status')),
    conditionMustExist,
  ],
  tables: ['quests', 'quest_credential_groups', 'quest_conditions', 'quest_rewards'],
  lock: lockQuests,
  async merge(trx, { now, staging }) {
    const bits = { status: bit('status'), autoStatus: bit('autoStatus'), participantsCount: bit('participantsCount') }
    const staged = await resolveQuests(trx, bits)
    const told = await recordTold(trx, now)
    const changed = new Set(await changedKeys(trx, target))
    const { added } = await upsertStaged(trx, staging, target)
    for (const id of await storeGroups(trx, bit('credentialGroups'))) changed.add(id)
    const at = now.getTime()
    await emitStatusEvents(
      trx,
      told.map((change) => ({ ...change, reason: 'told', at })),
      at,
    )
    await settleQuests(
      trx,
      staged.map((quest) => quest.id),
      now.getTime(),
    )
    const news = staged.filter((quest) => !quest.known || changed.has(quest.id))
    return { added, changed: news.length - added, lines: news.map((quest) => quest.line) }
  },
}
