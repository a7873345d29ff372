/** JSON.parse in which whole numbers beyond 2^53 stay exact, as bigint. */
export function parseExactJson(json: string): unknown {
  if (!/\d{16}/.test(json)) return JSON.parse(json)
  const exact = (_: string, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  return JSON.parse(json, exact)
}
