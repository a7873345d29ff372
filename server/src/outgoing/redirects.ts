import { OutgoingError } from './outgoing-error.ts'

/** One request on the way to an answer. */
export interface Hop {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
}

/** What may go along to another origin: a header of any other name may carry a secret. */
const HARMLESS = new Set(['accept', 'content-type'])
const MAX_URL_LENGTH = 8_192

/** @throws OutgoingError when a request to it must not be made whatever it leads to */
export function parseTarget(text: string): URL {
  // The URL parser drops some of them silently.
  if (/\p{Cc}/u.test(text)) throw new OutgoingError('url', 'the URL must not contain control characters')
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.href.length > MAX_URL_LENGTH)
    throw new OutgoingError('url', 'the URL must be an absolute http or https URL')
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('url', `the URL of ${url.host} must not carry a user name or password; use a header`)
  url.hash = ''
  return url
}

/** The request that a redirect asks for (RFC 9110, 15.4). @throws OutgoingError when it must not be followed */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = URL.parse(location, hop.url)
  if (!target) throw new OutgoingError('redirect', `${hop.url.host} redirects to something that is no URL`)
  const url = parseTarget(target.href)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw new OutgoingError('redirect', `${hop.url.host} redirects from https to http`)
  // What was posted is not silently turned into a question, nor repeated where it may be taken twice.
  if (hop.method === 'POST' && status !== 307 && status !== 308)
    throw new OutgoingError('redirect', `${hop.url.host} answers a POST with the redirect ${status}`)
  const headers =
    url.origin === hop.url.origin
      ? hop.headers
      : Object.fromEntries(Object.entries(hop.headers).filter(([name]) => HARMLESS.has(name)))
  return { ...hop, url, headers }
}
