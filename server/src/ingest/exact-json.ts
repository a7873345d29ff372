/** JSON.parse in which whole numbers beyond 2^53 stay exact, as bigint. */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (!/\d{16}/.test(json) || !isRounded(value)) return value
  const exact = (_: string, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  return JSON.parse(json, exact)
}

/** Whether a number is, or stands in, the value that a double may not hold exactly. */
function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isRounded((value as Record<string, unknown>)[key])) return true
  return false
}
