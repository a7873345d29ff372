import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { readGiftKey } from '../rules/gift-keys.ts'
import { type LedgerSource, ledgerSources } from '../ranking/ledger.ts'

/** The position of an entry in the ledger of its space. */
export interface EntryPosition {
  version: number
  position: number
}

export const LEDGER_START: EntryPosition = { version: 0, position: 0 }

/** A position after all entries. */
export const LEDGER_END: EntryPosition = { version: Number.MAX_SAFE_INTEGER, position: 0 }

export const idOf = ({ version, position }: EntryPosition): string => `${version}-${position}`

/** @returns undefined if no entry can have this id */
export function readEntryId(text: string): EntryPosition | undefined {
  const [, version, position] = /^(0|[1-9]\d{0,14})-(\d{1,10})$/.exec(text) ?? []
  return version === undefined ? undefined : { version: Number(version), position: Number(position) }
}

export interface EntryRow extends EntryPosition {
  enteredAt: Date
  sprintId: number
  address: string
  pointsBefore: number | null
  pointsAfter: number | null
  sprintBefore: number | null
  sprintAfter: number | null
  source: LedgerSource
  key: string | null
  reason: string | null
  actor: string | null
  reverses: string | null
  award: string | null
  pending: number | null
  availableAt: Date | null
  expiresAt: Date | null
}

/** An entry as clients read it. */
export type LedgerEntry = z.infer<typeof entryShape>

const balance = z.int().nullable()

export const entryShape = z.strictObject({
  id: z.string().describe('The version of the board that the change created, and the position in this version'),
  time,
  address: z.string().describe('The member'),
  sprintId: z.int().nullable().describe('null if only the overall board changed'),
  amount: z.int().describe('The change of the points'),
  pointsBefore: balance.describe('On the overall board; null if the member was not on it, or it did not change'),
  pointsAfter: balance,
  sprintBefore: balance.describe('On the board of the sprint'),
  sprintAfter: balance,
  source: z.enum(ledgerSources).describe('The kind of change'),
  key: z.string().nullable().describe('The key of the award'),
  reason: z.string().nullable(),
  actor: uuid.nullable().describe('The id of the ingest token, account or import'),
  reverses: z.string().nullable().describe('The id of the entry that this one takes back'),
  award: z.string().nullable().describe('The id of the award that becomes available'),
  pending: z.int().nullable().describe('The change of the points that are not available yet'),
  availableAt: time.nullable().describe('When the points of the award become available'),
  expiresAt: time.nullable().describe('When the points of the award expire'),
  ruleId: z.string().nullable().describe('The rule that gave the points'),
  ruleVersion: z.int().nullable().describe('The version of the rules of the space'),
})

/** The origin of an entry. */
const authorShape = z.strictObject({
  kind: z.enum(['account', 'token', 'import', 'quest', 'unknown']),
  id: z.string(),
  name: z
    .string()
    .nullable()
    .describe(
      'Of the account, the token, the file or the quest; null if `kind` is `unknown`, or the token or file is of another account and the reader is no operator',
    ),
  by: z.string().nullable().describe('The name of the account that stored the file; null if `name` is null'),
})
export type EntryAuthor = z.infer<typeof authorShape>

/** An entry in a list for people. Exports do not have the additional fields, because these can change later. */
export const shownEntryShape = entryShape.extend({
  reversedBy: z.string().nullable().describe('The id of the entry that took this one back; null if none did'),
  reversible: z
    .boolean()
    .describe('Whether the entry can be reversed now, unless the total of the member would leave its range'),
  username: z.string().describe('The name of the member on the leaderboard; empty if the member is not on it'),
  author: authorShape.nullable().describe('null if the service or a command made the change'),
})

export function toEntry(row: EntryRow): LedgerEntry {
  const { version, position, enteredAt, sprintId, pointsBefore, pointsAfter, sprintBefore, sprintAfter, ...rest } = row
  const { address, source, key, reason, actor, reverses, award, pending, availableAt, expiresAt } = rest
  const rule = source === 'rule' && key !== null ? readGiftKey(key) : undefined
  const overall = pointsBefore !== null || pointsAfter !== null
  return {
    id: idOf({ version, position }),
    time: enteredAt.toISOString(),
    address,
    sprintId: sprintId === 0 ? null : sprintId,
    amount: overall ? (pointsAfter ?? 0) - (pointsBefore ?? 0) : (sprintAfter ?? 0) - (sprintBefore ?? 0),
    pointsBefore,
    pointsAfter,
    sprintBefore,
    sprintAfter,
    source,
    key,
    reason,
    actor,
    reverses,
    award,
    pending,
    availableAt: availableAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    ruleId: rule?.ruleId ?? null,
    ruleVersion: rule?.version ?? null,
  }
}

export const entryFields = Object.keys(entryShape.shape) as (keyof LedgerEntry)[]
