import { type Fault, fault } from '../texts/faults.ts'
import { type Field, NOW } from './fields.ts'
import { type Problem, type Problems, quoteValue } from './problems.ts'

/** The fields of a kind by their name in files, in the order of the staging table's columns. */
export type Fields = Record<string, Field>

/** The values of one line in the order of the kind's fields; undefined for absent fields. */
export interface SourceRow {
  line: number
  values: unknown[]
}

/**
 * Validates a line and encodes it as a row of the staging table: line number, bit mask of the present fields, values.
 * Returns undefined for an invalid line, after adding its problems.
 */
export type RowEncoder = (row: SourceRow) => string | undefined

export function rowEncoder(fields: Fields, now: number, problems: Problems): RowEncoder {
  const names = Object.keys(fields)
  const specs = Object.values(fields)
  const fallbacks = specs.map(({ fallback }) => (fallback === NOW ? new Date(now).toISOString() : fallback))
  return ({ line, values }) => {
    let given = 0
    let good = true
    let columns = ''
    for (let i = 0; i < specs.length; i++) {
      const value = values[i]
      const spec = specs[i] as Field
      const stored = isEmpty(value) ? fallbacks[i] : spec.read(value)
      if (stored === undefined) {
        const parts = isEmpty(value) ? undefined : spec.parts?.(value)
        problems.add({ line, field: names[i] as string, ...refusalOf(spec, value), ...(parts && { parts }) })
        good = false
        continue
      }
      // An empty time that defaults to the time of the import does not overwrite a stored time.
      if (!isEmpty(value) || (value !== undefined && spec.fallback !== NOW)) given |= 1 << i
      columns += `\t${stored}`
    }
    return good ? `${line}\t${given}${columns}\n` : undefined
  }
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** The reason for which a field rejects a value. */
export function problemOf(spec: Field, value: unknown): string {
  if (isEmpty(value)) return `is missing; allowed: ${spec.allowed}`
  return spec.explain?.(value) ?? `${quoteValue(value)} is not allowed; allowed: ${spec.allowed}`
}

export const refusalOf = (spec: Field, value: unknown): { reason: string; fault: Fault } => ({
  reason: problemOf(spec, value),
  fault: isEmpty(value) ? fault('missing') : (spec.faultOf?.(value) ?? spec.fault),
})

/** The columns of the staging table, in the order of rowEncoder. */
export function stagingColumns(fields: Fields): string[] {
  return ['line', 'given', ...Object.values(fields).map((field) => field.column)]
}

/** Returns a function that reads a record's values in the order of the fields, and reports unknown keys as problems. */
export function recordReader(
  fields: Fields,
  problems: Problems,
): (record: unknown, line: number) => SourceRow | undefined {
  const names = Object.keys(fields)
  const known = new Set(names)
  return (record, line) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      problems.add({
        line,
        reason: `${quoteValue(record)} is not an object with the fields ${names.join(', ')}`,
        fault: fault('wrong_type', { expected: 'object' }),
      })
      return undefined
    }
    for (const key of Object.keys(record)) if (!known.has(key)) problems.add(unknownField(line, key, names))
    return { line, values: names.map((name) => (record as Record<string, unknown>)[name]) }
  }
}

/** The problem of a column or key that is not a field of the kind. */
export const unknownField = (line: number, field: string, known: readonly string[]): Problem => ({
  line,
  field,
  reason: `is not a field of this kind; allowed: ${known.join(', ')}`,
  fault: fault('not_a_column', { allowed: known }),
})

/** Reads the fields of one record; `what` names it in errors. Returns the stored texts, or the first problem. */
export function readFields<F extends Fields>(
  fields: F,
  what: string,
  record: unknown,
  line: number,
): { values: Record<keyof F, string> } | Problem {
  const names = Object.keys(fields)
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { line, reason: `${quoteValue(record)} is not an object with the fields ${names.join(', ')}` }
  for (const field of Object.keys(record))
    if (!names.includes(field))
      return { line, field, reason: `is not a field of ${what}; allowed: ${names.join(', ')}` }
  const values: Record<string, string> = {}
  for (const [field, spec] of Object.entries(fields)) {
    const value = (record as Record<string, unknown>)[field]
    const stored = isEmpty(value) ? spec.fallback : spec.read(value)
    if (typeof stored !== 'string') return { line, field, ...refusalOf(spec, value) }
    values[field] = stored
  }
  return { values: values as Record<keyof F, string> }
}
