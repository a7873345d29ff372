import type { ConditionState, MissingCondition, Refusal } from './refusals.ts'

export interface QuestCondition {
  expression: string
  credentialId: string
  credType: string
  credSource: string
  /** Whether the holder list is current. */
  synced: boolean
}

export interface QuestGroup {
  id: string
  name: string
  relation: string
  conditions: QuestCondition[]
}

/** A condition that has no state yet must be asked at its API, before the transaction. */
export type StateOf = (condition: QuestCondition) => ConditionState | undefined

const stateTexts: Record<MissingCondition['state'], string> = {
  'not-met': 'is not met',
  syncing: 'cannot be decided, because its list is being synchronized; retry later',
  unavailable: 'cannot be decided, because its source does not respond; retry later',
}

/**
 * The refusal of a claim by the conditions: every group must be met. A group that can still be met
 * when its unknown conditions are known is not refused for those that are not met.
 */
export function refusalByConditions(groups: readonly QuestGroup[], stateOf: StateOf): Refusal | undefined {
  const failing = groups.map((group) => failingOf(group, stateOf)).filter((one) => one !== undefined)
  if (failing.length === 0) return undefined
  const decided = failing.find(({ unknown }) => !unknown) ?? failing[0]
  const conditions = failing.flatMap(({ missing }) => missing)
  const of = decided?.missing.find(({ state }) => (state === 'not-met') !== decided.unknown)
  if (!decided || !of)
    return {
      reason: 'CONDITION_NOT_MET',
      message: `The group ${nameOf(decided?.group)} needs one of its conditions, and has none`,
      conditions,
    }
  const reasons = {
    'not-met': 'CONDITION_NOT_MET',
    syncing: 'LIST_SYNCING',
    unavailable: 'SOURCE_UNAVAILABLE',
  } as const
  return {
    reason: reasons[of.state],
    message: `The condition "${of.expression}" of the group ${nameOf(decided.group)} ${stateTexts[of.state]}`,
    conditions,
  }
}

/** Without conditions, ALL is met and ANY is not. */
export function isMet(group: QuestGroup, met: (condition: QuestCondition) => boolean): boolean {
  return group.relation === 'ALL' ? group.conditions.every(met) : group.conditions.some(met)
}

const nameOf = (group: QuestGroup | undefined) => `"${group?.name || group?.id}"`

/** The missing conditions of a group; undefined if it is met. `unknown`: it may be met later without a change. */
function failingOf(
  group: QuestGroup,
  stateOf: StateOf,
): { group: QuestGroup; missing: MissingCondition[]; unknown: boolean } | undefined {
  const states = group.conditions.map((condition) => stateOf(condition) ?? 'unavailable')
  if (isMet(group, (condition) => stateOf(condition) === 'met')) return undefined
  const missing = group.conditions.flatMap(({ expression, credentialId }, i): MissingCondition[] => {
    const state = states[i]
    return !state || state === 'met' ? [] : [{ groupId: group.id, group: group.name, expression, credentialId, state }]
  })
  const isUnknown = ({ state }: MissingCondition) => state !== 'not-met'
  return { group, missing, unknown: group.relation === 'ALL' ? missing.every(isUnknown) : missing.some(isUnknown) }
}
