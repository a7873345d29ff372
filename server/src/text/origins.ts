export const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns why an origin cannot be listed for requests from pages, or undefined. */
export function originFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || url.origin !== text || text.includes('*') || !['https:', 'http:'].includes(url.protocol))
    return 'must be an origin such as https://app.example.com, without a path'
  if (url.protocol === 'http:' && !loopbackHosts.has(url.hostname)) return 'must use https, or http for localhost'
  return undefined
}
