import { copyText } from '../../database/copy.ts'
import { wrongFormat } from '../../texts/faults.ts'
import { type Field, oneOf, optional, shaped, text, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { newsOf, upsertStaged, type UpsertTarget } from '../upsert.queries.ts'
import { endBeforeStart, rewardWithoutName } from './rules.queries.ts'

const empty = { fallback: '' }

/** An id of a starboard or quest, compared exactly. */
export const slug = (column: string) =>
  shaped(column, '1 to 100 letters, digits, "_" or "-"', 'object_id', (value) =>
    /^[\w-]{1,100}$/.test(value) ? value : undefined,
  )

const MAX_TAGS = 50
const tagList: Field = {
  column: 'tags',
  type: 'text[]',
  allowed: `at most ${MAX_TAGS} tags of 1 to 100 characters (a list; in CSV separated by "|")`,
  schema: { type: 'array', maxItems: MAX_TAGS, items: { type: 'string', minLength: 1, maxLength: 100 } },
  fallback: '{}',
  fault: wrongFormat('tags'),
  read(value) {
    const tags: unknown = typeof value === 'string' ? value.split('|') : value
    if (!Array.isArray(tags) || tags.length > MAX_TAGS) return undefined
    const quoted = tags.map((tag: unknown) =>
      typeof tag === 'string' && /^[^\0\uFFFD]{1,100}$/u.test(tag) && tag.isWellFormed()
        ? `"${tag.replace(/["\\]/g, '\\$&')}"`
        : undefined,
    )
    return quoted.includes(undefined) ? undefined : copyText(`{${quoted.join(',')}}`)
  },
}

const starboardFields = {
  id: slug('starboard_id'),
  name: text('name', 200),
  projectName: text('project_name', 200, empty),
  description: text('description', 10_000, empty),
  tags: tagList,
  type: oneOf('type', ['TWITTER', 'ONCHAIN']),
  rewardName: text('reward_name', 200, optional),
  rewardDescription: text('reward_description', 10_000, optional),
  rewardStartTime: time('reward_start_time', optional),
  rewardEndTime: time('reward_end_time', optional),
}
const starboardTarget: UpsertTarget = { table: 'starboards', key: ['starboard_id'], fields: starboardFields }

export const starboards: Kind = {
  fields: starboardFields,
  key: { field: 'id', columns: ['starboard_id'] },
  rules: [
    rewardWithoutName(starboardTarget),
    endBeforeStart(starboardTarget, 'rewardEndTime', 'reward_start_time', 'reward_end_time'),
  ],
  tables: ['starboards'],
  news: newsOf(starboardTarget),
  merge: (trx, { now, staging }) => upsertStaged(trx, staging, { ...starboardTarget, stamps: { created_at: now } }),
}
