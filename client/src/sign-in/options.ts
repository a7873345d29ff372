import { type Clock, systemClock } from '../clock.ts'
import { type Fetch, absoluteUrl, withDefaults } from '../options.ts'
import { type RandomBytes, systemRandomBytes } from './pkce.ts'
import type { Scope } from './scopes.ts'

/** The URLs of the steps. The specification (4.5) leaves them open; the defaults are a Questboard service's. */
export interface SignInEndpoints {
  /** Step 1, where the browser goes: `{baseUrl}/oauth`. */
  authorize: string
  /** Steps 2 and 3: `{baseUrl}/oauth/auth/2/token`. */
  token: string
  /** Step 4: `{baseUrl}/oauth/api/2/token`. */
  tokenDetail: string
  /** Step 5: `{baseUrl}/oauth/api/2/user`. */
  userData: string
}

export interface SignInOptions {
  /** Where the service is, as browsers reach it. */
  baseUrl: string
  clientId: string
  /** Belongs to servers. A browser can begin a sign-in without it, and cannot finish one. */
  clientSecret?: string
  /** Where the user comes back to: exactly as registered. */
  redirectUri: string
  /** What the app asks the user to share. Default: nothing, which gives what the user shared with this app before. */
  scope?: readonly Scope[]
  /** URLs that are not the defaults. */
  endpoints?: Partial<SignInEndpoints>
  /** The `iss` that a callback may name (RFC 9207). Default: `baseUrl`; null takes any. */
  issuer?: string | null
  /**
   * The header that carries the user's access token: `access_token`, as the specification says, or
   * `authorization`, with `Bearer`, which also passes proxies that drop headers with underscores.
   */
  tokenHeader?: 'access_token' | 'authorization'
  /** Refresh an access token so many milliseconds before it expires. Default 60,000. */
  refreshBeforeMs?: number
  /** How long an answer may take, in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Default: the global `fetch`. */
  fetch?: Fetch
  /** Default: the system's clock. */
  clock?: Clock
  /** Default: `crypto.getRandomValues`. */
  randomBytes?: RandomBytes
}

/** The options with everything decided. */
export interface SignInSettings extends Required<Omit<SignInOptions, 'baseUrl' | 'clientSecret' | 'endpoints'>> {
  clientSecret: string | undefined
  endpoints: SignInEndpoints
}

/** @throws TypeError when the base URL is none */
export function decideSignIn({ baseUrl: given, endpoints, ...options }: SignInOptions): SignInSettings {
  const baseUrl = absoluteUrl(given)
  const defaults: Omit<SignInSettings, 'clientId' | 'redirectUri'> = {
    clientSecret: undefined,
    scope: [],
    issuer: baseUrl,
    tokenHeader: 'access_token',
    refreshBeforeMs: 60_000,
    timeoutMs: 30_000,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    randomBytes: systemRandomBytes,
    endpoints: withDefaults(
      {
        authorize: `${baseUrl}/oauth`,
        token: `${baseUrl}/oauth/auth/2/token`,
        tokenDetail: `${baseUrl}/oauth/api/2/token`,
        userData: `${baseUrl}/oauth/api/2/user`,
      },
      endpoints,
    ),
  }
  return { ...options, ...withDefaults(defaults, options) }
}
