import { OAuthError } from '../sign-in/oauth-error.ts'
import { getJson } from '../sign-in/requests.ts'
import { isKeyFor, type PublicKey } from './algorithms.ts'
import type { Fetch } from '../options.ts'
import { isObject } from './jwt.ts'
import type { LogoutAlgorithm, LogoutSettings } from './options.ts'

type KeySettings = Pick<LogoutSettings, 'issuer' | 'timeoutMs' | 'fetch' | 'clock'>

interface IssuerKeys {
  jwksUri: string
  keys: readonly PublicKey[]
  /** The time at which the last read began. */
  readAt: number
  /** The time at which the address of the keys was read. */
  discoveredAt: number
  /** The error of the last read, if it failed. */
  failure: OAuthError | undefined
  /** The read that is running; concurrent calls share it. */
  reading: Promise<void> | undefined
}

const KEYS_LIFETIME = 3_600_000
/** An unknown key causes at most one read in this time, because everyone can send tokens with unknown keys. */
const REREAD_AFTER = 60_000
/** Without keys, a failed read is repeated after this time. */
const RETRY_AFTER = 10_000

/** By issuer, for each `fetch`: apps have few of both. */
const issuersOf = new WeakMap<Fetch, Map<string, IssuerKeys>>()

const unread = (): IssuerKeys => ({
  jwksUri: '',
  keys: [],
  readAt: -Infinity,
  discoveredAt: -Infinity,
  failure: undefined,
  reading: undefined,
})

/**
 * The key with this ID; undefined if the issuer does not publish it.
 * @throws OAuthError network_error, timeout, invalid_response
 */
export async function findKey(
  settings: KeySettings,
  keyId: string,
  algorithm: LogoutAlgorithm,
): Promise<PublicKey | undefined> {
  const issuers = issuersOf.get(settings.fetch) ?? new Map<string, IssuerKeys>()
  issuersOf.set(settings.fetch, issuers)
  const known = issuers.get(settings.issuer) ?? unread()
  issuers.set(settings.issuer, known)
  const find = () => known.keys.find((key) => key.kid === keyId && isKeyFor(key, algorithm))

  const now = settings.clock.now()
  const isCurrent = isWithin(now - known.discoveredAt, KEYS_LIFETIME)
  if (isCurrent) {
    const key = find()
    if (key) return key
  }
  if (known.reading || !isWithin(now - known.readAt, isCurrent ? REREAD_AFTER : RETRY_AFTER))
    await read(settings, known)
  else if (known.failure) throw known.failure
  return find()
}

/** False for a negative age, because the clock was set back. */
const isWithin = (age: number, limit: number): boolean => age >= 0 && age < limit

async function read(settings: KeySettings, known: IssuerKeys): Promise<void> {
  known.reading ??= readKeys(settings, known).finally(() => {
    known.reading = undefined
  })
  await known.reading
}

async function readKeys(settings: KeySettings, known: IssuerKeys): Promise<void> {
  const now = settings.clock.now()
  known.readAt = now
  try {
    const isDiscovered = isWithin(now - known.discoveredAt, KEYS_LIFETIME)
    const jwksUri = isDiscovered ? known.jwksUri : await discover(settings)
    const { keys } = await getJson(settings, jwksUri)
    if (!Array.isArray(keys)) throw invalid(`${jwksUri} has no list of keys`)
    Object.assign(known, { jwksUri, keys: keys.filter(isObject), failure: undefined })
    if (!isDiscovered) known.discoveredAt = now
  } catch (error) {
    known.failure = error as OAuthError
    throw error
  }
}

/** OpenID Connect Discovery 1.0, section 4. @returns the address of the keys */
async function discover(settings: KeySettings): Promise<string> {
  const url = `${settings.issuer}/.well-known/openid-configuration`
  const { issuer, jwks_uri: jwksUri } = await getJson(settings, url)
  if (typeof issuer !== 'string' || withoutSlash(issuer) !== settings.issuer)
    throw invalid(`${url} is of another issuer than ${settings.issuer}`)
  // A key that came over http would make an issuer with https worthless.
  const schemes = settings.issuer.startsWith('https:') ? /^https:/ : /^https?:/
  if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri) || !schemes.test(jwksUri))
    throw invalid(`${url} has no jwks_uri`)
  return jwksUri
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const invalid = (message: string) => new OAuthError('invalid_response', message)
