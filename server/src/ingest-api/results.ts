import type { MissingCondition, RefusalReason } from '../claims/refusals.ts'
import type { Fields } from '../ingest/check.ts'

export type ItemStatus = 'applied' | 'duplicate' | 'unchanged' | 'refused'

export interface ItemResult {
  /** The position of the item, from 0. */
  index: number
  status: ItemStatus
  error?: ItemError
  /** For reversals: the id of the new entry in the ledger. */
  entry?: string
  /** For completions of quests. */
  completion?: { address: string; points: number; sprintId: number | null; claimedAt: string }
}

export interface ItemError {
  code: string
  /** Absent if the whole item is invalid. */
  field?: string
  message: string
  /** The values that the field accepts. */
  allowed?: string
  /**
   * For completions of quests: the reason, its rule, whether the same request can succeed later, and the conditions that
   * are not met.
   */
  reason?: RefusalReason
  rule?: string
  retry?: boolean
  conditions?: readonly MissingCondition[]
}

export type Summary = Record<ItemStatus, number>

export interface BatchAnswer {
  summary: Summary
  results: ItemResult[]
}

/** @param fields the fields of the kind, for `allowed` */
export function refusedItem(
  index: number,
  fields: Fields,
  { code, field, reason }: { code: string; field?: string | undefined; reason: string },
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
