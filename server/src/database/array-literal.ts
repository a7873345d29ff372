/**
 * PostgreSQL's text form of arrays, for statements that take thousands of elements: several times as fast as the driver's
 * own, which looks at every element anew. Cast the parameter: `${textArray(values)}::text[]`.
 */

export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`
}

/** The escape of bytea, its backslash escaped once more. */
export function bytesArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `\\\\x${value.toString('hex')}`).join(',')}}`
}

const special = /["\\]/g

export function textArray(values: readonly string[]): string {
  if (values.length === 0) return '{}'
  const escaped = values.map((value) =>
    value.includes('"') || value.includes('\\') ? value.replace(special, '\\$&') : value,
  )
  return `{"${escaped.join('","')}"}`
}
