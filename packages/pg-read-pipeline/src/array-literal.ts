/**
 * Arrays in PostgreSQL's text format. For thousands of elements, this is several times faster than `pg`.
 * Cast the parameter: `$1::text[]`.
 */

export function numberArray(values: readonly number[]): string {
  return `{${values.join(',')}}`
}

/** Elements in the hex format of bytea, with an escaped backslash. */
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
