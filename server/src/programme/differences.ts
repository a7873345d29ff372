import { isDeepStrictEqual } from 'node:util'

export interface FieldChange {
  /** The path of the value, such as `credentialGroups[0].name`. */
  field: string
  before: unknown
  after: unknown
}

/** The values that differ. Lists of the same length are compared by position. */
export function differences(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((value: unknown, index) => differences(`${field}[${index}]`, value, after[index]))
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      differences(`${field}.${name}`, before[name] ?? null, after[name] ?? null),
    )
  return [{ field, before, after }]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A record with the values that JSON can contain. */
export const asJson = (value: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value)) as Record<string, unknown>
