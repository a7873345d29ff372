import { OutgoingError } from './outgoing-error.ts'

/** One request of a chain of redirects. */
export interface Hop {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
}

/** The headers that are sent to another origin; others may contain secrets. */
const KEPT_HEADERS = new Set(['accept', 'content-type'])
const MAX_URL_LENGTH = 8_192

/** @throws OutgoingError if the URL is never allowed */
export function parseTarget(text: string): URL {
  // The URL parser silently removes some of them. Bidirectional controls change how a URL is displayed.
  if (/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(text))
    throw new OutgoingError('url', 'the URL must not contain control characters')
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.href.length > MAX_URL_LENGTH)
    throw new OutgoingError('url', 'the URL must be an absolute http or https URL')
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('url', `the URL of ${url.host} must not contain a user name or password; use a header`)
  url.hash = ''
  return url
}

/** The request that follows a redirect (RFC 9110, 15.4). @throws OutgoingError if it must not be followed */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = URL.parse(location, hop.url)
  if (!target) throw new OutgoingError('redirect', `${hop.url.host} redirects to an invalid URL`)
  const url = parseTarget(target.href)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw new OutgoingError('redirect', `${hop.url.host} redirects from https to http`)
  // A POST is neither converted to a GET, nor repeated where it could be processed twice.
  if (hop.method === 'POST' && status !== 307 && status !== 308)
    throw new OutgoingError('redirect', `${hop.url.host} responds to a POST with the redirect ${status}`)
  const headers =
    url.origin === hop.url.origin
      ? hop.headers
      : Object.fromEntries(Object.entries(hop.headers).filter(([name]) => KEPT_HEADERS.has(name)))
  return { ...hop, url, headers }
}
