/** Lists and objects within each other; nothing that is taken comes near it. */
const DEEPEST = 32
/** Characters of a whole number that is made a bigint; making one takes ever longer, and no field takes as many. */
const LONGEST = 40

/** A number that a double may round: it has 16 digits before its point, or an exponent. No text that begins with a letter. */
const longNumber = /(?:^|[\s[:,])-?\d(?:\d{15}|[\d.]*[eE])/

/**
 * JSON.parse in which whole numbers beyond 2^53 stay exact, as bigint, and numbers beyond all bounds stay text.
 * @throws SyntaxError for what is not JSON, or nested too deep
 */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json)
  if (isDeeper(value, DEEPEST)) throw new SyntaxError(`lists and objects are nested more than ${DEEPEST} deep`)
  if (!longNumber.test(json) || !isRounded(value)) return value
  return JSON.parse(json, exact)
}

function exact(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  // No `+` meets a text of any length: V8 leaves out optimizations in a process that has compiled many patterns, and the
  // stack of the one below would be too small for millions of digits.
  if (source.length > LONGEST) return Number.isFinite(value) && /[.eE]/.test(source) ? value : source
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

/** Whether a number is, or stands in, the value that a double may not hold exactly. */
function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isRounded((value as Record<string, unknown>)[key])) return true
  return false
}
