/** All reasons for which a claim is refused (docs/quests.md). `retry`: the same claim can succeed later. */
export const refusalReasons = {
  QUEST_NOT_FOUND: { rule: 'quest', retry: false },
  QUEST_NOT_ACTIVE: { rule: 'status', retry: false },
  NOT_STARTED: { rule: 'clock', retry: true },
  ENDED: { rule: 'clock', retry: false },
  CAP_REACHED: { rule: 'cap', retry: false },
  BANNED: { rule: 'ban', retry: false },
  ALREADY_CLAIMED: { rule: 'one claim', retry: false },
  KEY_USED: { rule: 'key', retry: false },
  CONDITION_NOT_MET: { rule: 'conditions', retry: true },
  LIST_SYNCING: { rule: 'conditions', retry: true },
  SOURCE_UNAVAILABLE: { rule: 'conditions', retry: true },
  NO_ADDRESS: { rule: 'address', retry: false },
  ADDRESS_NOT_LINKED: { rule: 'address', retry: false },
  POINTS_OUT_OF_RANGE: { rule: 'points', retry: false },
} as const

export type RefusalReason = keyof typeof refusalReasons

/** The result for a condition. `syncing` and `unavailable`: it is not known whether the address meets it. */
export type ConditionState = 'met' | 'not-met' | 'syncing' | 'unavailable'

/** A condition that an address does not meet, or of which that is not known. */
export interface MissingCondition {
  groupId: string
  group: string
  expression: string
  credentialId: string
  state: Exclude<ConditionState, 'met'>
}

export interface Refusal {
  reason: RefusalReason
  /** A sentence for people, without a full stop. */
  message: string
  /** For the rule `conditions`. */
  conditions?: MissingCondition[]
}

export const refusal = (reason: RefusalReason, message: string): Refusal => ({ reason, message })
