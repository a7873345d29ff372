/** A host that the operator named: requests may go there wherever its name leads. Without a port: any port. */
export interface AllowedHost {
  /** As `URL.hostname` spells it: lower case, IPv6 in brackets. */
  hostname: string
  port: number | undefined
}

const form = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::([0-9]{1,5}))?$/i

/** Reads `host[:port]`; undefined when it is none. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const match = form.exec(text.trim())
  const port = match?.[2] === undefined ? undefined : Number(match[2])
  const url = match && URL.parse(`http://${match[1]}`)
  if (!url || url.hostname === '' || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { hostname: url.hostname, port }
}

/** Reads a list separated by commas; undefined when one of it is no `host[:port]`. The empty text is the empty list. */
export function parseAllowedHosts(text: string): AllowedHost[] | undefined {
  if (text.trim() === '') return []
  const hosts = text.split(',').map(parseAllowedHost)
  return hosts.every((host) => host !== undefined) ? hosts : undefined
}

export function isAllowedHost(hosts: readonly AllowedHost[], hostname: string, port: number): boolean {
  const wanted = hostname.toLowerCase().replace(/\.$/, '')
  return hosts.some((host) => host.hostname === wanted && (host.port === undefined || host.port === port))
}
