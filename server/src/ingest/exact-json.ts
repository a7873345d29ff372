/** Maximum nesting of arrays and objects. */
const MAX_DEPTH = 32
/** Maximum digits of a bigint. Parsing takes quadratic time, and no field accepts more digits. */
const MAX_DIGITS = 40

/** Matches a number that a double may round: at least 16 digits before the point, or an exponent. */
const longNumber = /(?:^|[\s[:,])-?\d(?:\d{15}|[\d.]*[eE])/

/**
 * JSON.parse that returns integers beyond 2^53 as bigint, and numbers that are too large as text.
 * @throws SyntaxError if the text is invalid JSON or nested too deep
 */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (isDeeper(value, MAX_DEPTH)) throw new SyntaxError(`lists and objects are nested more than ${MAX_DEPTH} deep`)
  if (!longNumber.test(json) || !isRounded(value)) return value
  return JSON.parse(json, exact)
}

function exact(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  // The length is limited first: a `+` pattern over millions of digits can overflow V8's stack when it is not
  // optimized.
  if (source.length > MAX_DIGITS) return Number.isFinite(value) && /[.eE]/.test(source) ? value : source
  if (/^-?\d+$/.test(source)) return BigInt(source)
  return Number.isFinite(value) ? value : source
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1))
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

/** Whether the value contains a number that a double may have rounded. */
function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isRounded((value as Record<string, unknown>)[key])) return true
  return false
}
