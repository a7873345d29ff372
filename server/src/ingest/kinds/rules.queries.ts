import { sql } from 'kysely'
import { WEB_LINK } from '../../text/links.ts'
import { fault, unknownReference, wrongFormat } from '../../texts/faults.ts'
import type { Field } from '../fields.ts'
import type { StagedRule } from '../kind.ts'
import { knownQuests } from './participants.queries.ts'
import { quoteValue } from '../problems.ts'
import { mustBeStored, mustExist, STAGED } from '../staging.queries.ts'
import { mergedRule, type UpsertTarget } from '../upsert.queries.ts'

export const spaceMustExist = (field: string, column: string): StagedRule =>
  mustExist(field, 'spaces', { space_id: column }, 'a known space')

/** Sprint 0 is the overall board. */
export const sprintMustExist: StagedRule = {
  field: 'sprintId',
  code: 'NOT_FOUND',
  reason: (sprint) => `${sprint} is not known; import it first (kind sprints)`,
  fault: (sprint) => unknownReference(sprint.split(' ')[1] ?? ''),
  lines: sql`
    SELECT line, 'sprint ' || sprint_id || ' of space ' || space_id AS value FROM ${STAGED} s
    WHERE sprint_id <> 0 AND NOT EXISTS (
      SELECT 1 FROM sprints t WHERE t.space_id = s.space_id AND t.sprint_id = s.sprint_id)`,
}

/** The rule that an award becomes available before it expires. */
export const expiresAfter = (reason: string): StagedRule => ({
  field: 'expiresAt',
  reason: () => reason,
  fault: () => fault('not_after_start'),
  lines: sql`SELECT line, '' AS value FROM ${STAGED} WHERE expires_at <= available_at`,
})

export const starboardMustExist: StagedRule = mustExist(
  'starboardId',
  'starboards',
  { starboard_id: 'starboard_id' },
  'a known starboard',
)

export const userMustExist: StagedRule = mustExist(
  'handle',
  'starboard_users',
  { starboard_id: 'starboard_id', handle: 'handle' },
  'a known user of this starboard',
)

export const questMustExist: StagedRule = mustBeStored(
  { field: 'questId', column: 'quest_id', type: 'text', what: 'a known quest' },
  knownQuests,
)

export const endBeforeStart = (target: UpsertTarget, field: string, start: string, end: string): StagedRule =>
  mergedRule(
    target,
    field,
    `${end} < ${start}`,
    'is before the start; allowed: the time of the start or later',
    fault('before_start'),
  )

export const rewardWithoutName = (target: UpsertTarget): StagedRule =>
  mergedRule(
    target,
    'rewardName',
    `reward_name IS NULL AND num_nonnulls(reward_description, reward_start_time, reward_end_time) > 0`,
    'is missing; allowed: a text, when any other field of the reward is given',
    fault('missing'),
  )

/** Links that were stored before they were checked do not block changes of other fields. */
export function webLinkIfChanged({ table, key, fields }: UpsertTarget, field: string): StagedRule {
  const { column, allowed } = fields[field] as Field
  const link = sql.ref(column)
  const isStored = sql.raw([...key, column].map((name) => `t.${name} = s.${name}`).join(' AND '))
  return {
    field,
    reason: (value) => `${quoteValue(value)} is not allowed; allowed: ${allowed}`,
    fault: () => wrongFormat('url'),
    lines: sql`
      SELECT line, ${link} AS value FROM ${STAGED} s
      WHERE ${link} <> '' AND ${link} !~* ${sql.lit(WEB_LINK)}
        AND NOT EXISTS (SELECT 1 FROM ${sql.table(table)} t WHERE ${isStored})`,
  }
}
