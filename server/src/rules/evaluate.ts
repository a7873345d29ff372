import { dayOf, periodOf } from './periods.ts'
import type { Rule, RuleOf } from './rule-kinds.ts'
import { addDay, reached } from './streaks.ts'

/** Something that happened to a member and can match rules. */
export interface RuleEvent {
  /** A referral is the claim of another member, whom the member referred. */
  kind: 'award' | 'claim' | 'referral' | 'log'
  /** Identifies the event without naming the member. */
  ref: string
  address: string
  points: number
  /** Milliseconds since 1970. */
  at: number
  /** The quest of a claim. */
  questId?: string | undefined
  /** For a referral: whether it is the first claim of the referred member. */
  first?: boolean | undefined
  /** For an event log: the credential whose source read it. */
  credentialId?: string | undefined
  /** For an event log: the amount, if the event has one. */
  amount?: bigint | undefined
}

export interface RuleState {
  /** A flat list of pairs: the first day of a cap period (periods.ts), and the points that the rule gave in this period. */
  caps: readonly number[]
  /** Runs of days (streaks.ts). */
  runs: readonly number[]
}

/** Points that a member gets from a rule. */
export interface Gift {
  rule: Rule
  ref: string
  address: string
  points: number
  at: number
}

/** The states of one member by rule id. */
export type MemberStates = Map<string, RuleState>

const NOTHING: RuleState = { caps: [], runs: [] }

/** Returns the gifts of an event, in the order of the rules, and updates the states of the member. Gifts cause no events. */
export function evaluate(rules: readonly Rule[], event: RuleEvent, states: MemberStates): Gift[] {
  const gifts: Gift[] = []
  for (const rule of rules) {
    if (!matches(rule, event)) continue
    const gift = give(rule, event, states, amountOf(rule, event, states))
    if (gift) gifts.push(gift)
  }
  return gifts
}

/**
 * Returns the gift of a rule to a member, reduced to the rest of the cap, or undefined if no points remain. Counts the points
 * of the gift towards the cap in `states`.
 */
export function give(
  rule: Rule,
  { ref, address, at }: Pick<RuleEvent, 'ref' | 'address' | 'at'>,
  states: MemberStates,
  amount: number,
): Gift | undefined {
  const points = withinCap(rule, at, states, amount)
  return points > 0 ? { rule, ref, address, points, at } : undefined
}

export function isInWindow({ from, until }: Rule, at: number): boolean {
  return (from === undefined || at >= Date.parse(from)) && (until === undefined || at < Date.parse(until))
}

function matches(rule: Rule, event: RuleEvent): boolean {
  if (!isInWindow(rule, event.at)) return false
  switch (rule.kind) {
    case 'claim':
      return event.kind === 'claim' && isAbout(rule, event)
    case 'award':
      return event.kind === 'award' && event.points >= (rule.minPoints ?? 1)
    case 'log':
      return event.kind === 'log' && event.credentialId === rule.credential && hasAmount(rule, event)
    case 'multiplier':
    case 'streak':
      return event.kind === rule.on && isAbout(rule, event)
    case 'referral':
      return event.kind === 'referral' && isAbout(rule, event) && (rule.claims === 'all' || event.first === true)
    case 'daily':
    case 'holder':
      return false
  }
}

const isAbout = ({ quests }: { quests?: string[] | undefined }, { questId = '' }: RuleEvent): boolean =>
  quests === undefined || quests.includes(questId)

const hasAmount = ({ minAmount }: RuleOf<'log'>, { amount }: RuleEvent): boolean =>
  minAmount === undefined || (amount !== undefined && amount >= BigInt(minAmount))

function amountOf(rule: Rule, event: RuleEvent, states: MemberStates): number {
  switch (rule.kind) {
    case 'multiplier':
      // In hundredths, because fractions such as 1.1 are not exact.
      return Math.max(0, Math.floor((event.points * (Math.round(rule.factor * 100) - 100)) / 100))
    case 'streak':
      return continueStreak(rule, event, states)
    case 'referral':
      return rule.points + Math.floor((event.points * rule.percent) / 100)
    case 'claim':
    case 'award':
    case 'holder':
    case 'log':
    case 'daily':
      return rule.points
  }
}

function continueStreak(rule: RuleOf<'streak'>, { at }: RuleEvent, states: MemberStates): number {
  const state = states.get(rule.id) ?? NOTHING
  const runs = addDay(state.runs, dayOf(at))
  states.set(rule.id, { ...state, runs })
  return rule.points * Math.max(0, reached(runs, rule) - reached(state.runs, rule))
}

/** The number of periods whose points are stored. Two suffice, because events arrive at most seconds late. */
const MAX_PERIODS = 2

function withinCap({ id, cap }: Rule, at: number, states: MemberStates, amount: number): number {
  if (!cap || amount <= 0) return amount
  const state = states.get(id) ?? NOTHING
  const given = new Map<number, number>()
  for (let i = 0; i < state.caps.length; i += 2) given.set(state.caps[i] as number, state.caps[i + 1] as number)
  const period = periodOf(cap.per, at)
  const used = given.get(period) ?? 0
  const points = Math.min(amount, Math.max(0, cap.points - used))
  given.set(period, used + points)
  const caps = [...given].toSorted(([a], [b]) => a - b).slice(-MAX_PERIODS)
  states.set(id, { ...state, caps: caps.flat() })
  return points
}
