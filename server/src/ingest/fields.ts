import { withinLength } from '../text/characters.ts'
import { COPY_NULL, copyText } from '../database/copy.ts'
import { type ProblemPart, quoteValue, textOfJson } from './problems.ts'
import type { JsonSchema } from '../api/json-schema.ts'
import { type Fault, fault, type FaultFormat, wrongFormat } from '../texts/faults.ts'

/** A field of a record. Its name in files is its key in the kind. */
export interface Field {
  /** Column and type in the staging table. */
  column: string
  type: string
  /** Shown in the documentation and in each rejection. */
  allowed: string
  /** JSON Schema for the description of the API; `read` validates. */
  schema: JsonSchema
  /**
   * The value of a new object if the field is absent or empty (COPY text, or the time of the import). Undefined:
   * required.
   */
  fallback: string | typeof NOW | undefined
  /** Returns the value as COPY text, or undefined if it is not allowed. Never called with an empty value. */
  read(value: unknown): string | undefined
  /** The fault of a rejected value. */
  fault: Fault
  /** A more specific fault of a rejected value. */
  faultOf?(value: unknown): Fault | undefined
  /** A specific reason for a rejected value. */
  explain?(value: unknown): string
  /** The rejected parts of a value that has parts. */
  parts?(value: unknown): ProblemPart[]
}

/** Fallback: the time of the import. */
export const NOW = Symbol('time of the import')

type Rest = Partial<Pick<Field, 'fallback'>>
const field = (
  column: string,
  type: string,
  allowed: string,
  schema: JsonSchema,
  fault: Fault,
  read: Field['read'],
  rest: Rest = {},
): Field => ({ column, type, allowed, schema, fault, read, fallback: rest.fallback })

export const optional: Rest = { fallback: COPY_NULL }

/** Text that PostgreSQL can store. Invalid UTF-8 decodes to U+FFFD. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000') && !text.includes('\uFFFD')
}

export function text(column: string, limit: number, rest?: Rest): Field {
  const read = (value: unknown) =>
    typeof value === 'string' && withinLength(value, limit) && storable(value) ? copyText(value) : undefined
  const allowed = `UTF-8 text of at most ${limit} characters, without NUL`
  const schema = { type: 'string', maxLength: limit }
  return field(column, 'text', allowed, schema, fault('too_long', { max: limit }), read, rest)
}

/** The URL of a page, or empty text. The rule `webLinkIfChanged` checks the form. */
export function webLink(column: string, limit: number, rest?: Rest): Field {
  const allowed = `a URL that begins with https:// or http://, at most ${limit} characters, or empty text`
  return { ...text(column, limit, rest), allowed }
}

/** Text of a fixed format. `canonical` returns the stored spelling, or undefined to reject the text. */
export function shaped(
  column: string,
  allowed: string,
  format: FaultFormat,
  canonical: (text: string) => string | undefined,
  rest?: Rest,
): Field {
  const read = (value: unknown) => {
    const given = exactText(value)
    const found = given === undefined ? undefined : canonical(given)
    return found === undefined || !storable(found) ? undefined : copyText(found)
  }
  return field(column, 'text COLLATE "C"', allowed, { type: 'string' }, wrongFormat(format), read, rest)
}

/** Text, or an integer that is exact. */
function exactText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

export function integer(column: string, min: number, max: number, rest?: Rest): Field {
  const allowed = `a whole number from ${min} to ${max}`
  const read = (value: unknown) => {
    const number = typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value) ? Number(value) : value
    return Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max
      ? String(number)
      : undefined
  }
  const schema = { type: 'integer', minimum: min, maximum: max }
  const faultOf = (value: unknown) =>
    isWhole(textOfJson(value)) ? undefined : fault('wrong_type', { expected: 'whole_number' })
  return { ...field(column, 'integer', allowed, schema, fault('out_of_range', { min, max }), read, rest), faultOf }
}

/** Without `+` in the pattern, which can overflow V8's stack on millions of digits. */
const isWhole = (text: string) => /^[+-]?\d/.test(text) && !/\D/.test(text.slice(1))

export const INT32_MAX = 2_147_483_647
export const count = (column: string, rest?: Rest) => integer(column, 0, INT32_MAX, rest)
export const positive = (column: string, rest?: Rest) => integer(column, 1, INT32_MAX, rest)

const INT64_MAX = 9_223_372_036_854_775_807n

/** An id of up to 19 digits. Rejects numbers that a JavaScript program would have rounded. */
export function bigId(column: string, rest?: Rest): Field {
  const read = (value: unknown) => {
    const digits = exactText(value)
    if (digits === undefined || !/^\d{1,19}$/.test(digits)) return undefined
    const id = BigInt(digits)
    return id <= INT64_MAX ? String(id) : undefined
  }
  const allowed = `a whole number from 0 to ${INT64_MAX}, at most 19 digits`
  const schema = { type: ['string', 'integer'], pattern: '^[0-9]{1,19}$', minimum: 0 }
  const explain = (value: unknown) =>
    typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
      ? `${quoteValue(value)} is a number that may have lost digits; write ids above 2^53 as text; allowed: ${allowed}`
      : `${quoteValue(value)} is not allowed; allowed: ${allowed}`
  return { ...field(column, 'bigint', allowed, schema, wrongFormat('credential_id'), read, rest), explain }
}

/** A decimal with up to 14 digits before the point, rounded to six after it. */
export function decimal(column: string, rest?: Rest): Field {
  const read = (value: unknown) => {
    if (typeof value === 'number') return value >= 0 && value < 1e14 ? String(value) : undefined
    return typeof value === 'string' && /^\d{1,14}(\.\d{1,30})?$/.test(value) && Number(value) < 1e14
      ? value
      : undefined
  }
  const schema = {
    type: ['number', 'string'],
    minimum: 0,
    exclusiveMaximum: 1e14,
    pattern: '^[0-9]{1,14}([.][0-9]{1,30})?$',
  }
  const allowed = 'a decimal from 0 to below 100000000000000, such as 12.5'
  return field(column, 'numeric(20, 6)', allowed, schema, wrongFormat('decimal'), read, rest)
}

export function flag(column: string, rest?: Rest): Field {
  const read = (value: unknown) =>
    value === true || value === 'true' ? 'true' : value === false || value === 'false' ? 'false' : undefined
  const wrong = fault('not_one_of', { allowed: ['true', 'false'] })
  return field(column, 'boolean', 'true or false', { type: 'boolean' }, wrong, read, rest)
}

export function oneOf(column: string, values: readonly string[], rest?: Rest): Field {
  const known = new Set<unknown>(values)
  return field(
    column,
    'text',
    `one of ${values.join(', ')}`,
    { type: 'string', enum: values },
    fault('not_one_of', { allowed: values }),
    (value) => (known.has(value) ? (value as string) : undefined),
    rest,
  )
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i
const YEAR_10000 = 253_402_300_800

/** Parses an RFC 3339 time to milliseconds. Returns undefined for invalid text or dates. */
function parseRfc3339(value: string): number | undefined {
  const match = TIME.exec(value)
  if (!match) return undefined
  const [, year, month, day] = match
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined
  const parsed = Date.parse(value)
  return parsed >= 0 ? parsed : undefined
}

function milliseconds(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'string' && !/^\d{1,12}(\.\d{1,6})?$/.test(value)) return parseRfc3339(value)
  const seconds = typeof value === 'string' ? Number(value) : value
  return typeof seconds === 'number' ? Math.round(seconds * 1000) : undefined
}

/** RFC 3339 or Unix seconds, with millisecond precision. */
export function time(column: string, rest?: Rest): Field {
  const read = (value: unknown) => {
    const at = milliseconds(value)
    return at !== undefined && at >= 0 && at < YEAR_10000 * 1000 ? new Date(at).toISOString() : undefined
  }
  const allowed = 'a time as RFC 3339 (2026-11-21T12:00:00Z) or in Unix seconds, from 1970 to 9999'
  const schema = { type: ['string', 'number'], examples: ['2026-11-21T12:00:00Z'] }
  return field(column, 'timestamptz', allowed, schema, wrongFormat('time'), read, rest)
}
