import { type Field, NOW } from './fields.ts'
import { type Problems, shown } from './problems.ts'

/** The fields of a kind, in the order of the staging table's columns, by what they are called in files. */
export type Fields = Record<string, Field>

/** One line to check: values in the order of the kind's fields, undefined where the line does not have the field. */
export interface SourceRow {
  line: number
  values: unknown[]
}

/**
 * Turns checked lines into rows of the staging table: line, a bit mask of the fields that the line has, the values.
 * Answers undefined for a bad line, after adding each of its problems.
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
        problems.add({ line, field: names[i] as string, reason: whyRefused(spec, value) })
        good = false
        continue
      }
      // An empty time of the import says nothing about an object that has one.
      if (!isEmpty(value) || (value !== undefined && spec.fallback !== NOW)) given |= 1 << i
      columns += `\t${stored}`
    }
    return good ? `${line}\t${given}${columns}\n` : undefined
  }
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** What a refusal says of a value that a field does not take. */
export function whyRefused(spec: Field, value: unknown): string {
  if (isEmpty(value)) return `is missing; allowed: ${spec.allowed}`
  return spec.explain?.(value) ?? `${shown(value)} is not allowed; allowed: ${spec.allowed}`
}

/** Staging columns of a kind, in the order in which rowEncoder writes them. */
export function stagingColumns(fields: Fields): string[] {
  return ['line', 'given', ...Object.values(fields).map((field) => field.column)]
}

/** Answers the values of a record in the order of the fields; adds a problem for every key that is no field. */
export function recordReader(
  fields: Fields,
  problems: Problems,
): (record: unknown, line: number) => SourceRow | undefined {
  const names = Object.keys(fields)
  const known = new Set(names)
  return (record, line) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      problems.add({ line, reason: `${shown(record)} is not an object with the fields ${names.join(', ')}` })
      return undefined
    }
    for (const key of Object.keys(record))
      if (!known.has(key))
        problems.add({ line, field: key, reason: `is not a field of this kind; allowed: ${names.join(', ')}` })
    return { line, values: names.map((name) => (record as Record<string, unknown>)[name]) }
  }
}
