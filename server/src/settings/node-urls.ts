/**
 * URLs of nodes by their addresses: `host:port=url`, separated by commas. Undefined for `off`. An entry without an address
 * has an invalid URL.
 */
export function nodeUrls(text: string): ReadonlyMap<string, string> | undefined {
  if (text.trim() === 'off') return undefined
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  return new Map(
    entries.map((entry) => {
      const [, address = entry, url = ''] = /^([^\s=]+:\d+)=(.*)$/.exec(entry) ?? []
      return [address, url]
    }),
  )
}
