/** How many milliseconds an answer asks to wait (RFC 9110, 10.2.3), told by the answer's own clock; undefined when it does not. */
export function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim()
  if (value === undefined) return undefined
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - Date.parse(headers.date ?? '')
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
