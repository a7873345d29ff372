import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isAllowedHost } from './hosts.ts'
import { notPublic } from './outgoing-error.ts'
import { isLocalName } from './public-names.ts'
import { parseTarget } from './redirects.ts'

export interface Target {
  url: URL
  /** The operator named its host. */
  configured: boolean
}

/**
 * Looks at a URL before it is stored, without looking up its name: what counts is what the guarded connector finds at
 * each request.
 * @param namedBy the setting that names hosts, for messages
 * @throws OutgoingError when no request may go there
 */
export function checkTarget(text: string, hosts: readonly AllowedHost[], namedBy: string): Target {
  const url = parseTarget(text)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (isAllowedHost(hosts, url.hostname, port)) return { url, configured: true }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isLocalName(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw notPublic(url.host, namedBy)
  return { url, configured: false }
}
