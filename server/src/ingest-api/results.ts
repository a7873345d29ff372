import { z } from 'zod'
import { type RefusalReason, refusalReasons } from '../claims/refusals.ts'
import type { Fields } from '../ingest/check.ts'
import type { ProblemCode } from '../ingest/problems.ts'

export const itemStatuses = ['applied', 'duplicate', 'unchanged', 'refused'] as const

const codes = ['INVALID_ARGUMENT', 'NOT_FOUND', 'CONFLICT', 'OUT_OF_RANGE', 'PERMISSION_DENIED'] as const
const reasons = Object.keys(refusalReasons) as RefusalReason[]

const conditionShape = z.object({
  groupId: z.string(),
  group: z.string(),
  expression: z.string(),
  credentialId: z.string(),
  state: z.enum(['not-met', 'syncing', 'unavailable']),
})

const itemErrorShape = z.object({
  code: z.enum(codes satisfies readonly ProblemCode[]),
  field: z.string().optional().describe('Absent if the whole item is invalid.'),
  message: z.string(),
  allowed: z.string().optional().describe('The values that the field accepts.'),
  reason: z.enum(reasons).optional().describe('For completions: why the quest refuses the item.'),
  rule: z.string().optional().describe('For completions: the rule of the quest.'),
  retry: z.boolean().optional().describe('For completions: whether the same item can be accepted later.'),
  conditions: z
    .array(conditionShape)
    .optional()
    .describe('For completions: the conditions that are not met, or not known to be met.'),
})

const completionShape = z.object({
  address: z.string(),
  points: z.int(),
  sprintId: z.int().nullable().describe('The sprint that was current, or null.'),
  claimedAt: z.string().describe('A time in RFC 3339.'),
})

export const itemResultShape = z.object({
  index: z.int().min(0).describe('The position of the item, from 0.'),
  status: z.enum(itemStatuses),
  banned: z
    .literal(true)
    .optional()
    .describe(
      'For awards whose points would count now: the member is banned. The points are stored, and count when the ban ends.',
    ),
  entry: z.string().optional().describe('For reversals: the id of the new entry in the ledger.'),
  completion: completionShape.optional().describe('For completions: what was stored.'),
  error: itemErrorShape.optional(),
})

export type ItemError = z.infer<typeof itemErrorShape>
export type ItemResult = z.infer<typeof itemResultShape>

export type Summary = Record<ItemResult['status'], number>

export interface BatchAnswer {
  summary: Summary
  results: ItemResult[]
}

/** @param fields the fields of the kind, for `allowed` */
export function refusedItem(
  index: number,
  fields: Fields,
  { code, field, reason }: { code: ProblemCode; field?: string | undefined; reason: string },
): ItemResult {
  const spec = field === undefined ? undefined : Object.hasOwn(fields, field) ? fields[field] : undefined
  const message = field === undefined ? reason : `${field}: ${reason}`
  return {
    index,
    status: 'refused',
    error: { code, ...(field !== undefined && { field }), message, ...(spec && { allowed: spec.allowed }) },
  }
}

export function batchAnswer(results: ItemResult[]): BatchAnswer {
  const summary: Summary = { applied: 0, duplicate: 0, unchanged: 0, refused: 0 }
  for (const { status } of results) summary[status]++
  return { summary, results }
}
