import type { Fields } from './check.ts'
import { ImportFileError } from './source.ts'

/** Maps the columns of a file to the fields of its kind. */
export interface Adjustments {
  /** Field names by column name. */
  map: ReadonlyMap<string, string>
  /** Values for each line. */
  set: ReadonlyMap<string, string>
  /** Ignore unknown columns instead of rejecting them. */
  ignoreUnknown: boolean
}

export const AS_WRITTEN: Adjustments = { map: new Map(), set: new Map(), ignoreUnknown: false }

export const fieldOf = (column: string, { map }: Adjustments): string => map.get(column.trim()) ?? column.trim()

/** @throws ImportFileError if an adjustment names an unknown field */
export function checkAdjustments(kind: string, fields: Fields, { map, set }: Adjustments): void {
  for (const [option, names] of [
    ['--map', [...map.values()]],
    ['--set', [...set.keys()]],
  ] as const)
    for (const name of names)
      if (!Object.hasOwn(fields, name))
        throw new ImportFileError(
          `${option}: "${name}" is not a field of ${kind}; allowed: ${Object.keys(fields).join(', ')}.`,
        )
}

/** Renames and adds fields of a record. Values that are not objects are returned unchanged. */
export function adjustRecord(record: unknown, fields: Fields, adjustments: Adjustments): unknown {
  if (adjustments === AS_WRITTEN || typeof record !== 'object' || record === null || Array.isArray(record))
    return record
  const named = Object.entries(record).map(([key, value]) => [fieldOf(key, adjustments), value] as const)
  const kept = adjustments.ignoreUnknown ? named.filter(([name]) => Object.hasOwn(fields, name)) : named
  return Object.fromEntries([...kept, ...adjustments.set])
}
