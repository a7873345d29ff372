/** The milliseconds of Retry-After (RFC 9110, 10.2.3), relative to the response's Date; undefined if absent. */
export function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim()
  if (value === undefined) return undefined
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - Date.parse(headers.date ?? '')
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
