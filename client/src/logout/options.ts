import { type Clock, systemClock } from '../clock.ts'
import { absoluteUrl, type Fetch, withDefaults } from '../options.ts'

/** The signature algorithms that every Web Crypto implementation has (RFC 7518 3.1). Unsigned tokens and HMAC are not accepted. */
export type LogoutAlgorithm = 'RS256' | 'PS256' | 'ES256'

export interface LogoutTokenOptions {
  /** The public URL of the service, as in its tokens. */
  issuer: string
  clientId: string
  /** The accepted signature algorithms. Default: `['RS256']`. */
  algorithms?: readonly LogoutAlgorithm[]
  /** The accepted difference between both clocks in milliseconds. Default 60,000. */
  toleranceMs?: number
  /** The timeout of each request for keys in milliseconds. Default 5,000. */
  timeoutMs?: number
  /** Default: the global `fetch`. Pass the same function in each call: the keys are cached for each function. */
  fetch?: Fetch
  /** Default: the system's clock. */
  clock?: Clock
}

/** The options with defaults applied. */
export type LogoutSettings = Required<LogoutTokenOptions>

/** One function, because the keys are kept for each `fetch`. It reads the global at each call. */
const globalFetch: Fetch = (url, init) => fetch(url, init)

/** @throws TypeError if an option is invalid */
export function decideLogout({ issuer, clientId, ...options }: LogoutTokenOptions): LogoutSettings {
  if (!clientId) throw new TypeError('clientId must be the client ID of the app')
  const defaults: Omit<LogoutSettings, 'issuer' | 'clientId'> = {
    algorithms: ['RS256'],
    toleranceMs: 60_000,
    timeoutMs: 5_000,
    fetch: globalFetch,
    clock: systemClock,
  }
  return { ...withDefaults(defaults, options), issuer: absoluteUrl(issuer, 'issuer'), clientId }
}
