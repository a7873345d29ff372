import { CAP_PERIODS, type Rule, RULE_KINDS, type RuleKind } from '../api/rules.ts'

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const oneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value)

const required: Record<string, (value: unknown) => boolean> = {
  id: isText,
  kind: oneOf(RULE_KINDS),
  description: isText,
}
const optional: Record<string, (value: unknown) => boolean> = {
  from: isText,
  until: isText,
  cap: (value) =>
    isObject(value) && (value.points === undefined || isNumber(value.points)) && oneOf(CAP_PERIODS)(value.per),
  sprint: isFlag,
  points: isNumber,
  quests: (value) => Array.isArray(value) && value.every(isText),
  minPoints: isNumber,
  credential: isText,
  existing: isFlag,
  minAmount: isText,
  holdersOf: isText,
  on: oneOf(['claim', 'award']),
  factor: isNumber,
  days: isNumber,
  repeat: isFlag,
  claims: oneOf(['first', 'all']),
  percent: isNumber,
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The path of the first value that forms cannot show, such as `rules.0.points`; undefined if forms can show all. */
export function unshowable(rules: readonly unknown[]): string | undefined {
  for (const [index, rule] of rules.entries()) {
    if (!isObject(rule)) return `rules.${index}`
    for (const [name, fits] of Object.entries(required)) if (!fits(rule[name])) return `rules.${index}.${name}`
    for (const [name, fits] of Object.entries(optional))
      if (rule[name] !== undefined && !fits(rule[name])) return `rules.${index}.${name}`
  }
  return undefined
}

const common = ['id', 'kind', 'description', 'from', 'until', 'cap', 'sprint']
const settings: Record<RuleKind, readonly string[]> = {
  claim: ['points', 'quests'],
  award: ['points', 'minPoints'],
  holder: ['points', 'credential', 'existing'],
  log: ['points', 'credential', 'minAmount'],
  daily: ['points', 'minPoints', 'holdersOf'],
  multiplier: ['on', 'factor', 'quests'],
  streak: ['points', 'on', 'days', 'quests', 'repeat'],
  referral: ['points', 'percent', 'claims', 'quests'],
}

/** Whether the form of a rule has a field for a setting. */
export const hasField = ({ kind }: Rule, path: string): boolean =>
  [...common, ...settings[kind]].includes(path.split('.')[0] ?? '')
