/** A host that the operator allowed, even with a private address. Without a port, all ports are allowed. */
export interface AllowedHost {
  /** In the form of `URL.hostname`: lower case, IPv6 in brackets. */
  hostname: string
  port: number | undefined
}

const form = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::([0-9]{1,5}))?$/i

/** Parses `host[:port]`. Returns undefined if invalid. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const match = form.exec(text.trim())
  const port = match?.[2] === undefined ? undefined : Number(match[2])
  const url = match && URL.parse(`http://${match[1]}`)
  if (!url || url.hostname === '' || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { hostname: url.hostname, port }
}

/** The host of a URL that the operator configured. */
export function hostOfUrl(text: string): AllowedHost {
  const url = new URL(text)
  return { hostname: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

/** Parses a list separated by commas. Returns undefined if an entry is invalid; empty text is an empty list. */
export function parseAllowedHosts(text: string): AllowedHost[] | undefined {
  if (text.trim() === '') return []
  const hosts = text.split(',').map(parseAllowedHost)
  return hosts.every((host) => host !== undefined) ? hosts : undefined
}

export function isAllowedHost(hosts: readonly AllowedHost[], hostname: string, port: number): boolean {
  const wanted = hostname.toLowerCase().replace(/\.$/, '')
  return hosts.some((host) => host.hostname === wanted && (host.port === undefined || host.port === port))
}
