import { fault, wrongFormat } from '../texts/faults.ts'
import { pattern } from '../text/fault-of-issue.ts'
import { z } from 'zod'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { isIdentifier } from '../resolvers/identifiers.ts'
import { characters } from '../text/characters.ts'

export const MAX_RULES = 50
const MAX_QUESTS = 100
const MAX_POINTS = 1_000_000

const integer = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.int({ error: rule }).min(min, rule).max(max, rule)
}
const TIME = 'must be a time such as 2026-12-31T00:00:00Z'
const time = z.iso.datetime({ offset: true, error: TIME })
const ID = 'must be 1 to 40 characters of a-z, 0-9 and -, starting with a letter'

const points = integer(1, MAX_POINTS)
const quests = z
  .array(z.string().refine(isIdentifier, { error: 'must be the id of a quest', params: wrongFormat('quest_id') }))
  .min(1, 'must name at least one quest')
  .max(MAX_QUESTS, `must name at most ${MAX_QUESTS} quests`)
  .optional()
  .describe('Only claims of these quests; default: of all quests of the space')
const minPoints = integer(1, 2_147_483_647).optional().describe('Only events with at least so many points')
const AMOUNT = 'must be a whole number of base units, as a string'
const credential = z
  .string()
  .refine(isCredentialId, { error: 'must be the id of a credential', params: wrongFormat('credential_id') })

/** The periods of a cap, in UTC. A week begins on Monday. */
export const CAP_PERIODS = ['day', 'week', 'month', 'ever'] as const

/** The fields that all rules have. */
const common = {
  id: z
    .string()
    .regex(pattern('rule_id', /^[a-z][a-z0-9-]{0,39}$/), ID)
    .describe('Identifies the rule in all versions and in the ledger'),
  description: characters(1, 200, z.string().trim()).describe('The reason in the ledger'),
  from: time.optional().describe('Only events from this time on'),
  until: time.optional().describe('Only events before this time'),
  cap: z
    .strictObject({ points: integer(1, 2_147_483_647), per: z.enum(CAP_PERIODS) })
    .optional()
    .describe('The most points that the rule gives a member in a period'),
  sprint: z.boolean().default(true).describe('Whether the points also count in the sprint of the time of the event'),
}

const claim = z
  .strictObject({ ...common, kind: z.literal('claim'), quests, points })
  .describe('Gives points for each claim of a quest')
const award = z
  .strictObject({ ...common, kind: z.literal('award'), minPoints, points })
  .describe('Gives points for each award')
const holder = z
  .strictObject({
    ...common,
    kind: z.literal('holder'),
    credential: credential.describe('The credential with the list'),
    existing: z.boolean().default(false).describe('Whether holders that are on the list already get the points too'),
    points,
  })
  .describe('Gives points once for each address that is added to the list of a credential')
const log = z
  .strictObject({
    ...common,
    kind: z.literal('log'),
    credential: credential.describe('The credential whose source reads the logs of an event'),
    minAmount: z
      .string({ error: AMOUNT })
      .regex(pattern('base_units', /^(0|[1-9][0-9]{0,77})$/), AMOUNT)
      .optional()
      .describe('Only logs with at least this amount, in base units'),
    points,
  })
  .describe('Gives points for each log of an event of a contract')
const daily = z
  .strictObject({
    ...common,
    kind: z.literal('daily'),
    holdersOf: credential.optional().describe('For the holders of this credential'),
    minPoints: integer(-2_147_483_648, 2_147_483_647)
      .optional()
      .describe('For the members with at least so many points on the overall board'),
    points,
  })
  .refine(({ holdersOf, minPoints: least }) => (holdersOf === undefined) !== (least === undefined), {
    error: 'must have either holdersOf or minPoints',
    params: fault('one_of_two'),
    path: ['holdersOf'],
  })
  .describe('Gives points once each UTC day')
const multiplier = z
  .strictObject({
    ...common,
    kind: z.literal('multiplier'),
    from: time.describe('The beginning of the window'),
    until: time.describe('The end of the window'),
    on: z.enum(['claim', 'award']),
    quests,
    factor: z
      .number({ error: 'must be a number from 1.01 to 100' })
      .min(1.01, 'must be a number from 1.01 to 100')
      .max(100, 'must be a number from 1.01 to 100')
      .multipleOf(0.01, 'must have at most two decimals')
      .describe('2 gives the points of the event once more; fractions are rounded down'),
  })
  .describe('Multiplies the points of claims or awards in a window of time')
const streak = z
  .strictObject({
    ...common,
    kind: z.literal('streak'),
    on: z.enum(['claim', 'award']),
    quests,
    days: integer(2, 366).describe('The number of UTC days in a row with an event'),
    repeat: z
      .boolean()
      .default(true)
      .describe('Whether a streak that goes on gets the points again after as many days'),
    points,
  })
  .describe('Gives points for claims or awards on several days in a row')
const referral = z
  .strictObject({
    ...common,
    kind: z.literal('referral'),
    claims: z.enum(['first', 'all']).default('first').describe('The claims of the referred member that count'),
    quests,
    points: integer(0, MAX_POINTS).default(0),
    percent: integer(0, 100).default(0).describe('Of the points of the claim, rounded down'),
  })
  .refine((rule) => rule.points + rule.percent > 0, {
    error: 'must be above 0, or percent must be',
    params: fault('no_reward'),
    path: ['points'],
  })
  .describe('Gives points to the member that referred the member of a claim')

const kinds = [claim, award, holder, log, daily, multiplier, streak, referral] as const

/** The names of all kinds. */
export const RULE_KINDS = ['claim', 'award', 'holder', 'log', 'daily', 'multiplier', 'streak', 'referral'] as const

const rule = z
  .discriminatedUnion('kind', kinds, { error: `must be one of ${RULE_KINDS.join(', ')}` })
  .superRefine((one, context) => {
    if (one.from !== undefined && one.until !== undefined && new Date(one.until) <= new Date(one.from))
      context.addIssue({
        code: 'custom',
        message: 'must be after from',
        params: fault('not_after_start'),
        path: ['until'],
      })
    if ('quests' in one && one.quests !== undefined && 'on' in one && one.on === 'award')
      context.addIssue({
        code: 'custom',
        message: 'applies only to claims',
        params: fault('only_for_claims'),
        path: ['quests'],
      })
  })

/** The rules of a space, as operators write them. */
export const ruleDocument = z
  .strictObject({
    $schema: z.string().max(500).optional().describe('The URL of this schema, for editors'),
    rules: z.array(rule).max(MAX_RULES, `must have at most ${MAX_RULES} rules`),
  })
  .superRefine(({ rules }, context) => {
    rules.forEach(({ id }, index) => {
      if (rules.findIndex((other) => other.id === id) < index)
        context.addIssue({
          code: 'custom',
          message: 'is the id of another rule',
          params: fault('not_unique'),
          path: ['rules', index, 'id'],
        })
    })
  })

export type Rule = z.output<typeof rule>
export type RuleOf<Kind extends Rule['kind']> = Extract<Rule, { kind: Kind }>

/** The rules that events of this kind can match. */
export const listensTo = ({ kind, ...rule }: Rule, event: 'award' | 'claim'): boolean =>
  kind === event || (kind === 'referral' && event === 'claim') || ('on' in rule && rule.on === event)

/** Rules that a job evaluates for days and lists. Their events are not stored. */
export const isAboutLists = ({ kind }: Rule): boolean => kind === 'daily' || kind === 'holder'

/** Rules with work that no event of the space announces. */
export const isTicking = (rule: Rule): boolean => isAboutLists(rule) || rule.kind === 'log'
