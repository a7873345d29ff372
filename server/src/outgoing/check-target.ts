import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isAllowedHost } from './hosts.ts'
import { OutgoingError } from './outgoing-error.ts'
import { parseTarget } from './redirects.ts'

export interface Target {
  url: URL
  /** The operator named its host. */
  configured: boolean
}

/**
 * Looks at a URL before it is stored. A name that leads nowhere now is let through: what counts is what the guarded
 * connector finds at each request.
 * @param namedBy the setting that names hosts, for messages
 * @throws OutgoingError when no request may go there
 */
export async function checkTarget(
  text: string,
  hosts: readonly AllowedHost[],
  { lookup = systemLookup, namedBy }: { lookup?: LookupFunction | undefined; namedBy: string },
): Promise<Target> {
  const url = parseTarget(text)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (isAllowedHost(hosts, url.hostname, port)) return { url, configured: true }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await resolved(host, lookup) : [host]
  if (addresses.length > 0 && !addresses.some(isPublicAddress))
    throw new OutgoingError('address', `${url.host} is not on the public Internet; to allow it, add it to ${namedBy}`)
  return { url, configured: false }
}

function resolved(host: string, lookup: LookupFunction): Promise<string[]> {
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) resolve([])
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address))
    })
  })
}
