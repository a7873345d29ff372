/** JSON.parse in which whole numbers beyond 2^53 stay exact, as bigint, and numbers beyond all bounds stay text. */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (!/\d{16}|\d[eE]/.test(json) || !isRounded(value)) return value
  return JSON.parse(json, exact)
}

function exact(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (/^-?\d+$/.test(source)) return BigInt(source)
  return Number.isFinite(value) ? value : source
}

/** Whether a number is, or stands in, the value that a double may not hold exactly. */
function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isRounded((value as Record<string, unknown>)[key])) return true
  return false
}
