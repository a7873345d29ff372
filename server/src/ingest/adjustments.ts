import type { Fields } from './check.ts'
import { ImportFileError } from './source.ts'

/** How the columns of a file become the fields of its kind. */
export interface Adjustments {
  /** Fields by the name that the file has for them. */
  map: ReadonlyMap<string, string>
  /** Values that every line has. */
  set: ReadonlyMap<string, string>
  /** Leave columns out that are no field, instead of refusing them. */
  ignoreUnknown: boolean
}

export const AS_WRITTEN: Adjustments = { map: new Map(), set: new Map(), ignoreUnknown: false }

export const fieldOf = (column: string, { map }: Adjustments): string => map.get(column.trim()) ?? column.trim()

/** @throws ImportFileError when an adjustment names what is no field of the kind */
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

/** A record with the names of fields; what is no object stays as it is. */
export function adjustRecord(record: unknown, fields: Fields, adjustments: Adjustments): unknown {
  if (adjustments === AS_WRITTEN || typeof record !== 'object' || record === null || Array.isArray(record))
    return record
  const named = Object.entries(record).map(([key, value]) => [fieldOf(key, adjustments), value] as const)
  const kept = adjustments.ignoreUnknown ? named.filter(([name]) => Object.hasOwn(fields, name)) : named
  return Object.fromEntries([...kept, ...adjustments.set])
}
