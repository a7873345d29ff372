import type { CredentialGroup, Quest, SyncStatus } from './schema.ts'

/** Whether a rule is met, with all reasons if not. */
export interface Verdict<Code extends string> {
  ok: boolean
  /** Empty if the rule is met. */
  reasons: ReadonlyArray<Reason<Code>>
}

export interface Reason<Code extends string> {
  code: Code
  /** English text for users. */
  message: string
}

export type NoParticipation = 'not_active' | 'cap_reached' | 'not_started' | 'ended' | 'unknown_time'

/** The inputs of the participation rule. */
export type ParticipationFacts = Pick<Quest, 'status' | 'participantsCount' | 'cap'> & {
  /** Unix seconds or a date as text; null or absent if unlimited. */
  startTime?: number | string | null
  endTime?: number | string | null
}

/**
 * Whether a quest accepts participation: its status is `Active`, its cap is not reached (0 or less: unlimited), and
 * `now` is in its period, from `startTime` (inclusive) to `endTime` (exclusive).
 */
export function questAcceptsParticipation(quest: ParticipationFacts, now: Date): Verdict<NoParticipation> {
  const { status, participantsCount, cap } = quest
  const start = milliseconds(quest.startTime, -Infinity)
  const end = milliseconds(quest.endTime, Infinity)
  return verdict<NoParticipation>(
    [status !== 'Active', 'not_active', `The quest is not active; its status is ${status}`],
    [cap > 0 && participantsCount >= cap, 'cap_reached', `All ${cap} places are taken`],
    [now.getTime() < start, 'not_started', `The quest starts at ${iso(start)}`],
    [now.getTime() >= end, 'ended', `The quest ended at ${iso(end)}`],
    [[start, end].some(Number.isNaN), 'unknown_time', 'The time of the start or the end of the quest cannot be read'],
  )
}

export type NotMet = 'condition_not_met' | 'no_condition_met' | 'unknown_relation'

/** The inputs of the group rule. */
export type GroupFacts = Pick<CredentialGroup, 'conditionRelation' | 'conditions'>

/**
 * Whether the address meets a group. `ALL`: all conditions must be met; a group without conditions is met. `ANY`: at
 * least one must be met. For `ALL`, each unmet condition is a reason.
 */
export function groupMet({ conditionRelation, conditions }: GroupFacts): Verdict<NotMet> {
  const failing = conditions.filter(({ eligible }) => eligible !== true)
  switch (conditionRelation) {
    case 'ALL':
      return verdict<NotMet>(
        ...failing.map(({ expression }): Check<NotMet> => [true, 'condition_not_met', `Not met: ${expression}`]),
      )
    case 'ANY': {
      const expressions = conditions.map(({ expression }) => expression).join('; ')
      return verdict<NotMet>([
        failing.length === conditions.length,
        'no_condition_met',
        expressions === '' ? 'The group has no conditions' : `None of these is met: ${expressions}`,
      ])
    }
    default:
      return verdict<NotMet>([true, 'unknown_relation', `The relation ${conditionRelation} is not ALL or ANY`])
  }
}

/** Whether an eligibility is reliable: only if the credential is `SYNCED`. */
export function eligibilityReliable({ syncStatus }: { syncStatus: SyncStatus }): Verdict<'not_synced'> {
  return verdict<'not_synced'>([
    syncStatus !== 'SYNCED',
    'not_synced',
    `The list of holders may be stale; its status is ${syncStatus}`,
  ])
}

type Check<Code extends string> = [applies: boolean, code: Code, message: string]

function verdict<Code extends string>(...checks: Array<Check<Code>>): Verdict<Code> {
  const reasons = checks.filter(([applies]) => applies).map(([, code, message]) => ({ code, message }))
  return { ok: reasons.length === 0, reasons }
}

/** NaN for invalid text. */
function milliseconds(time: number | string | null | undefined, open: number): number {
  if (time === null || time === undefined) return open
  const seconds = Number(time)
  return Number.isNaN(seconds) ? Date.parse(String(time)) : seconds * 1_000
}

function iso(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString() : ''
}
