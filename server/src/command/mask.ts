import { describeSettings } from '../config.ts'

export const MASK = '***'

// The URL of a node often contains its key.
const secretName = /SECRET|KEY|TOKEN|PASSWORD|RPC|OTLP_HEADERS/
const nodeName = /_NODE$/

/** The value of a setting, safe to print. */
export function masked(name: string, value: string): string {
  if (value === '') return ''
  if (secretName.test(name)) return MASK
  if (name === 'QUESTBOARD_LOGO') return `(${value.length} characters)`
  if (name === 'DATABASE_NODE_URLS') return value.split(',').map(maskedNode).join(',')
  const urls = value.split(',')
  if (urls.length > 1 && urls.every((url) => URL.canParse(url))) return urls.map((url) => masked(name, url)).join(',')
  if (!URL.canParse(value)) return value
  const url = new URL(value)
  const places = secretPlaces(name, url)
  if (places.length === 0) return value
  if (url.password !== '') url.password = MASK
  if (url.searchParams.has('password')) url.searchParams.set('password', MASK)
  if (places.includes('path')) return `${url.origin}/${MASK}`
  return url.href
}

/** HOST:PORT=URL. A URL that cannot be read may contain a password too, such as one with a comma. */
function maskedNode(entry: string): string {
  const [, address = '', url = ''] = /^(\s*[^\s=@/]+:\d+=)?(.*)$/s.exec(entry) ?? []
  if (URL.canParse(url) && url.includes('://')) return address + masked('', url)
  return address + (/^\s*(?:off)?\s*$/.test(url) ? url : MASK)
}

function secretPlaces(name: string, url: URL): string[] {
  const places = []
  if (url.password !== '') places.push('password')
  if (url.searchParams.has('password')) places.push('query')
  // A short path such as /v1 is not a key.
  if (nodeName.test(name) && (url.pathname.length > 4 || url.search !== '')) places.push('path')
  return places
}

/** Returns a filter that removes the environment's secrets from text of other programs, such as error messages. */
export function secretFilter(environment: Record<string, string | undefined>): (text: string) => string {
  const secrets = describeSettings().flatMap(({ name }) => secretsOf(name, environment[name] ?? ''))
  const longestFirst = [...new Set(secrets)].filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, MASK), text)
}

function secretsOf(name: string, value: string): string[] {
  const urls = value.split(/[\s,]+|(?<=\d)=/).filter((part) => /^[a-z]+:\/\//i.test(part) && URL.canParse(part))
  const inUrls = urls
    .map((text) => new URL(text))
    .flatMap((url) => [
      url.password,
      decode(url.password),
      url.searchParams.get('password') ?? '',
      ...(secretName.test(name) || nodeName.test(name) ? [url.pathname.slice(1), url.search.slice(1)] : []),
    ])
  return secretName.test(name) && urls.length === 0 ? [value, ...value.split(/\r?\n/)] : inUrls
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // an unencoded percent sign in the password
  }
}
