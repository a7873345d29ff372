import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isAllowedHost } from '../settings/hosts.ts'
import { notPublic } from './outgoing-error.ts'
import { isLocalName } from './public-names.ts'
import { parseTarget } from './redirects.ts'

export interface Target {
  url: URL
  /** Whether the operator allowed the host. */
  configured: boolean
}

/**
 * Validates a URL before it is stored. Does not resolve the name, because the guarded connector does so at each
 * request.
 * @param namedBy the setting that lists allowed hosts, for messages
 * @throws OutgoingError if requests to the URL are not allowed
 */
export function checkTarget(text: string, hosts: readonly AllowedHost[], namedBy: string): Target {
  const url = parseTarget(text)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (isAllowedHost(hosts, url.hostname, port)) return { url, configured: true }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isLocalName(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw notPublic(url.host, namedBy)
  return { url, configured: false }
}
