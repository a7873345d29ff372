import type { Rule, RuleKind } from '../api/rules.ts'
import { rules as t } from '../texts/index.ts'

/** A rule in the editor. */
export interface Draft {
  /** Stays while the rule is edited. */
  key: number
  rule: Rule
}

let lastKey = 0
export const draftOf = (rule: Rule): Draft => ({ key: ++lastKey, rule })

/** A rule with useful settings, and an id that no other rule has. */
export function newRule(kind: RuleKind, rules: readonly Rule[]): Rule {
  const ids = new Set(rules.map(({ id }) => id))
  let id: string = kind
  for (let n = 2; ids.has(id); n++) id = `${kind}-${n}`
  return { id, kind, description: t.reasons[kind], ...settings[kind], sprint: true }
}

const settings: Record<RuleKind, Partial<Rule>> = {
  claim: { points: 10 },
  award: { points: 10 },
  holder: { points: 10, credential: '', existing: false },
  log: { points: 10, credential: '' },
  daily: { points: 1, minPoints: 1 },
  multiplier: { on: 'award', factor: 2 },
  streak: { on: 'claim', days: 7, points: 100, repeat: true },
  referral: { points: 10, percent: 0, claims: 'first' },
}

const defaults: Record<RuleKind, Partial<Rule>> = {
  claim: {},
  award: {},
  holder: { existing: false },
  log: {},
  daily: {},
  multiplier: {},
  streak: { repeat: true },
  referral: { points: 0, percent: 0, claims: 'first' },
}

/** A text that is equal for rules with the same settings. */
const identityOf = (rule: Rule): string =>
  JSON.stringify({ sprint: true, ...defaults[rule.kind], ...rule }, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

export interface RuleChange {
  id: string
  what: 'added' | 'changed' | 'removed'
}

/** The differences between versions of rules, by id. */
export function changesOf(before: readonly Rule[], after: readonly Rule[]): RuleChange[] {
  const known = new Map(before.map((rule) => [rule.id, identityOf(rule)]))
  const ids = new Set(after.map(({ id }) => id))
  return [
    ...after.flatMap((rule): RuleChange[] => {
      const earlier = known.get(rule.id)
      if (earlier === undefined) return [{ id: rule.id, what: 'added' }]
      return earlier === identityOf(rule) ? [] : [{ id: rule.id, what: 'changed' }]
    }),
    ...before.flatMap(({ id }): RuleChange[] => (ids.has(id) ? [] : [{ id, what: 'removed' }])),
  ]
}

/** Whether the rules that both versions have are in another order. */
export function isReordered(before: readonly Rule[], after: readonly Rule[]): boolean {
  const common = (rules: readonly Rule[], others: readonly Rule[]) =>
    rules.map(({ id }) => id).filter((id) => others.some((other) => other.id === id))
  return common(before, after).join(' ') !== common(after, before).join(' ')
}
