/**
 * An array in PostgreSQL's text format, with NULL for undefined elements. Without other elements it is empty, because
 * `unnest` of several arrays fills shorter ones with NULL.
 */
export function nullableArray(values: readonly (number | string | Date | undefined)[]): string {
  if (values.every((value) => value === undefined)) return '{}'
  return `{${values.map(element).join(',')}}`
}

function element(value: number | string | Date | undefined): string {
  if (value === undefined) return 'NULL'
  if (value instanceof Date) return `"${value.toISOString()}"`
  return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`
}
