import { z } from 'zod'
import { copyText } from '../../database/copy.ts'
import { faultOfIssue } from '../../text/fault-of-issue.ts'
import { fault, wrongFormat } from '../../texts/faults.ts'
import { schemaOf } from '../../api/json-schema.ts'
import { parseExactJson } from '../exact-json.ts'
import { bigId, type Field, INT32_MAX } from '../fields.ts'
import { type ProblemPart, quoteValue } from '../problems.ts'

const REWARD_TYPES = [
  'NFT',
  'TOKEN',
  'DISCORDROLE',
  'LOYALTYPOINTS',
  'OAT',
  'CUSTOM',
  'LOYALTYPOINTSMYSTERYBOX',
  'MINTLIST',
] as const

// The messages of these schemas are the reasons in rejections.
const storable = (limit: number) => {
  const message = `must be text of at most ${limit} characters, UTF-8, without NUL`
  return z
    .string(message)
    .max(limit, message)
    .refine((text) => text.isWellFormed() && !/[\0\uFFFD]/.test(text), {
      error: message,
      params: wrongFormat('storable_text'),
    })
}
const COUNT = `must be a whole number from 0 to ${INT32_MAX}`
const count = z.int(COUNT).min(0, COUNT).max(INT32_MAX, COUNT)
const listOf = <Item extends z.ZodType>(item: Item, most: number, what: string) => {
  const message = `must be a list of at most ${most} ${what}`
  return z.array(item, message).max(most, message)
}
const objectOf = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const names = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has the unknown field ${issue.keys?.map(quoteValue).join(', ')}; allowed: ${names}`
        : `must be an object with the fields ${names}`,
  })
}

const ids = bigId('')
const credentialId = z.unknown().transform((value, context) => {
  const id = ids.read(value)
  if (id === undefined) context.addIssue({ code: 'custom', message: `must be ${ids.allowed}`, params: ids.fault })
  return id ?? z.NEVER
})
const groupId = z
  .union(
    [z.int().nonnegative().transform(String), storable(100).min(1)],
    'must be text of 1 to 100 characters, or a whole number from 0',
  )
  .nullish()

const condition = objectOf({ expression: storable(2000).nullish(), credentialId })
const reward = objectOf({
  expression: storable(2000).nullish(),
  rewardType: z.enum(REWARD_TYPES, `must be one of ${REWARD_TYPES.join(', ')}`),
  rewardCount: count,
})
const group = objectOf({
  id: groupId,
  name: storable(500).nullish(),
  conditionRelation: z.enum(['ALL', 'ANY'], 'must be one of ALL, ANY'),
  conditions: listOf(condition, 500, 'conditions').nullish(),
  rewards: listOf(reward, 500, 'rewards').nullish(),
})
const groups = listOf(group, 100, 'groups')
  .transform((list) => list.map((group, index) => ({ ...group, id: group.id ?? String(index + 1) })))
  .refine((list) => new Set(list.map((group) => group.id)).size === list.length, {
    error: 'must give each group a different id',
    params: fault('not_unique'),
  })

export interface GroupToStore {
  id: string
  name: string
  conditionRelation: string
  conditions: { expression: string; credentialId: string }[]
  rewards: { expression: string; rewardType: string; rewardCount: number }[]
}

/** The groups of a value; undefined if it is not allowed. */
export function readGroups(value: unknown): GroupToStore[] | undefined {
  const { success, data } = parse(value)
  return success ? staged(data) : undefined
}

/** The format of the staging table. For a condition without an expression, the credential's name is used. */
function staged(list: z.output<typeof groups>): GroupToStore[] {
  return list.map(({ id, name, conditionRelation, conditions, rewards }) => ({
    id,
    name: name ?? '',
    conditionRelation,
    conditions: (conditions ?? []).map((c) => ({ expression: c.expression ?? '', credentialId: c.credentialId })),
    rewards: (rewards ?? []).map((r) => ({
      expression: r.expression ?? '',
      rewardType: r.rewardType,
      rewardCount: r.rewardCount,
    })),
  }))
}

function parse(value: unknown): z.ZodSafeParseResult<z.output<typeof groups>> {
  if (typeof value !== 'string') return groups.safeParse(value, { reportInput: true })
  try {
    return groups.safeParse(parseExactJson(value), { reportInput: true })
  } catch {
    return groups.safeParse(undefined) // reports invalid JSON as a value that is not a list
  }
}

/** The credential groups of a quest: a list; in CSV as JSON text. */
export const credentialGroups: Field = {
  column: 'credential_groups',
  type: 'jsonb',
  allowed:
    'a list (in CSV as JSON text) of at most 100 groups {id, name, conditionRelation: ALL or ANY, ' +
    'conditions: [{expression, credentialId}], rewards: [{expression, rewardType, rewardCount}]}',
  schema: schemaOf(groups),
  fallback: '[]',
  fault: wrongFormat('credential_groups'),
  read(value) {
    const read = readGroups(value)
    return read && copyText(JSON.stringify(read))
  },
  explain: (value) =>
    partsOf(value)
      .map(({ path, reason }) => `${path} ${reason}`.trim())
      .join('; '),
  parts: partsOf,
}

function partsOf(value: unknown): ProblemPart[] {
  const issues = parse(value).error?.issues ?? []
  return issues.map((issue) => ({
    path: issue.path.map(step).join(''),
    reason: issue.message,
    fault: faultOfIssue(issue),
  }))
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}
