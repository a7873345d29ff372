import { loopbackHosts } from '../text/origins.ts'

/** Rules for redirect URIs (RFC 6749 3.1.2, RFC 8252 7, RFC 9700 2.1). */

const MAX_LENGTH = 1000
const answerParameters = new Set(['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'session_state'])

/**
 * Returns the reason why a redirect URI cannot be registered, or undefined. Allowed: https, loopback http, and private-use
 * schemes.
 */
export function redirectUriFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(text) || /[<>"\\^`{|}*]/.test(text))
    return 'must be a plain URI: no spaces, wildcards, backslashes or non-ASCII characters'
  if (text.includes('#')) return 'must not have a fragment'
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URI'
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(text)) return 'must not have userinfo'
  if (/%(?![0-9a-fA-F]{2})|%(?:00|0a|0d|2e|2f|5c)/i.test(text)) return 'must not hide separators or control characters'
  if (/\/\.{1,2}(?:[/?]|$)/.test(text)) return 'must not have dot segments'
  if (url.protocol === 'https:') return spelledAs(text, url)
  if (url.protocol === 'http:')
    return loopbackHosts.has(url.hostname)
      ? spelledAs(text, url)
      : 'must use https; http is allowed for localhost, 127.0.0.1 and [::1] only'
  // RFC 8252 7.1: a scheme based on a reversed domain name of the app's developer.
  if (/^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/.*/.test(text)) return undefined
  return 'must use https, loopback http, or a private-use scheme with a dot, such as com.example.app:/callback'
}

function spelledAs(text: string, url: URL): string | undefined {
  const spelled = `${url.protocol}//${url.host}`
  return text === spelled || text.startsWith(`${spelled}/`) || text.startsWith(`${spelled}?`)
    ? undefined
    : `must be spelled with its normal scheme, host and port: ${spelled}/…`
}

// Not `localhost`, whose address a resolver decides (RFC 8252 8.3).
const loopbackAddress = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::[1-9]\d{0,4})?(?=[/?]|$)/
const loopbackName = /^http:\/\/localhost(?::[1-9]\d{0,4})?(?=[/?]|$)/

interface Registered {
  redirectUris: readonly string[]
  publicClient: boolean
  metadataUrl: string | null
}

/**
 * Whether a redirect URI of a request is registered. It is compared byte for byte. Only the port is ignored at a loopback
 * address of an app without a server, because the operating system chooses the port of a native app (RFC 8252 7.3). For a
 * client with a metadata document, it is also ignored at `localhost`, because users cannot register another URI.
 */
export function isRegistered({ redirectUris, publicClient, metadataUrl }: Registered, redirectUri: string): boolean {
  if (redirectUris.includes(redirectUri)) return true
  if (!publicClient || redirectUriFault(redirectUri) !== undefined) return false
  const loopback = [loopbackAddress, ...(metadataUrl === null ? [] : [loopbackName])]
  return loopback.some((host) => {
    const withoutPort = (uri: string) => uri.replace(host, (origin) => origin.replace(/:\d+$/, ''))
    const wanted = host.test(redirectUri) ? withoutPort(redirectUri) : undefined
    return redirectUris.some((uri) => host.test(uri) && withoutPort(uri) === wanted)
  })
}

interface PostLogout {
  redirectUris: readonly string[]
  postLogoutRedirectUris: readonly string[]
}

/**
 * Whether users may return to this URI after signing out. An operator approves redirect URIs only, so it must have the
 * origin of one of them.
 */
export const isPostLogoutUri = ({ redirectUris, postLogoutRedirectUris }: PostLogout, uri: string): boolean =>
  postLogoutRedirectUris.includes(uri) && hasOriginOf(redirectUris, uri)

export const hasOriginOf = (redirectUris: readonly string[], uri: string): boolean =>
  redirectUris.some((redirectUri) => siteOf(redirectUri) === siteOf(uri))

/** Scheme, host and port. `URL.origin` is not used, because it is `null` for all private-use schemes. */
function siteOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return `${protocol}//${host}`
}

/** Loopback and private-use URIs, which any program on the user's device may receive. */
export function isOnDevice(redirectUri: string): boolean {
  return URL.parse(redirectUri)?.protocol !== 'https:'
}

/**
 * The redirect URL: the registered URI with the response parameters, which replace registered ones of the same name.
 */
export function answerUrl(redirectUri: string, answer: Record<string, string>): string {
  const [base = '', query = ''] = splitOnce(redirectUri, '?')
  const kept = query.split('&').filter((pair) => pair !== '' && !answerParameters.has(decodedName(pair)))
  const ours = Object.entries(answer).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${base}?${[...kept, ...ours].join('&')}`
}

function decodedName(pair: string): string {
  const name = splitOnce(pair, '=')[0] ?? ''
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
