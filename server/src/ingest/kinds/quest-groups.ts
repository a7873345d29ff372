import { z } from 'zod'
import { copyText } from '../../database/copy.ts'
import { schemaOf } from '../../openapi/json-schema.ts'
import { parseExactJson } from '../exact-json.ts'
import { bigId, type Field, INT32_MAX } from '../fields.ts'

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

const storable = (limit: number) =>
  z
    .string(`must be text of at most ${limit} characters`)
    .max(limit)
    .refine((text) => text.isWellFormed() && !/[\0\uFFFD]/.test(text), 'must be UTF-8 text without NUL')

const ids = bigId('')
const credentialId = z.unknown().transform((value, context) => {
  const id = ids.read(value)
  if (id === undefined) context.addIssue(`must be ${ids.allowed}`)
  return id ?? z.NEVER
})
const groupId = z
  .union([z.int().nonnegative().transform(String), storable(100).min(1)], 'must be text of 1 to 100 characters')
  .nullish()

const groups = z
  .array(
    z.strictObject({
      id: groupId,
      name: storable(500).nullish(),
      conditionRelation: z.enum(['ALL', 'ANY']),
      conditions: z
        .array(z.strictObject({ expression: storable(2000).nullish(), credentialId }))
        .max(500)
        .nullish(),
      rewards: z
        .array(
          z.strictObject({
            expression: storable(2000).nullish(),
            rewardType: z.enum(REWARD_TYPES),
            rewardCount: z.int().min(0).max(INT32_MAX),
          }),
        )
        .max(500)
        .nullish(),
    }),
    'must be a list of groups',
  )
  .max(100)
  .transform((list) => list.map((group, index) => ({ ...group, id: group.id ?? String(index + 1) })))
  .refine(
    (list) => new Set(list.map((group) => group.id)).size === list.length,
    'must give each group an id of its own',
  )

/** As it waits in the staging table: an empty expression of a condition stands for the credential's name. */
function staged(list: z.output<typeof groups>) {
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
  if (typeof value !== 'string') return groups.safeParse(value)
  try {
    return groups.safeParse(parseExactJson(value))
  } catch {
    return groups.safeParse(undefined) // what is no JSON is no list, and refused as such
  }
}

/** The credential groups of a quest: a list, in CSV as JSON text. */
export const credentialGroups: Field = {
  column: 'credential_groups',
  type: 'jsonb',
  allowed:
    'a list (in CSV as JSON text) of at most 100 groups {id, name, conditionRelation: ALL or ANY, ' +
    'conditions: [{expression, credentialId}], rewards: [{expression, rewardType, rewardCount}]}',
  schema: schemaOf(groups),
  fallback: '[]',
  read(value) {
    const { success, data } = parse(value)
    return success ? copyText(JSON.stringify(staged(data))) : undefined
  },
  explain(value) {
    const issues = parse(value).error?.issues ?? []
    return issues.map(({ path, message }) => `${path.map(step).join('')} ${message}`.trim()).join('; ')
  },
}

function step(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}
