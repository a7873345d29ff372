import { type Clock, systemClock } from '../clock.ts'
import { type Fetch, absoluteUrl, withDefaults } from '../options.ts'
import { type RandomBytes, systemRandomBytes } from './pkce.ts'
import type { Scope } from './scopes.ts'

/** The URLs of the steps, which differ between services. The defaults are those of Questboard services. */
export interface SignInEndpoints {
  /** Step 1, for the browser: `{baseUrl}/oauth`. */
  authorize: string
  /** Steps 2 and 3: `{baseUrl}/oauth/auth/2/token`. */
  token: string
  /** Step 4: `{baseUrl}/oauth/api/2/token`. */
  tokenDetail: string
  /** Step 5: `{baseUrl}/oauth/api/2/user`. */
  userData: string
}

export interface SignInOptions {
  /** The public URL of the service. */
  baseUrl: string
  clientId: string
  /** Only for servers. Omit it for an app without a server, which finishes sign-ins in the browser by PKCE alone. */
  clientSecret?: string
  /** The redirect URI, exactly as registered. */
  redirectUri: string
  /** The requested scopes. Default: those that the user granted before. */
  scope?: readonly Scope[]
  /** URLs that differ from the defaults. */
  endpoints?: Partial<SignInEndpoints>
  /** The expected `iss` of callbacks (RFC 9207). Default: `baseUrl`; null accepts any. */
  issuer?: string | null
  /**
   * The header for the user's access token: `access_token`, which every service reads, or `authorization` with `Bearer`,
   * which also passes proxies that drop headers with underscores.
   */
  tokenHeader?: 'access_token' | 'authorization'
  /** Access tokens are refreshed this many milliseconds before they expire. Default 60,000. */
  refreshBeforeMs?: number
  /** The timeout of a request in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Default: the global `fetch`. */
  fetch?: Fetch
  /** Default: the system's clock. */
  clock?: Clock
  /** Default: `crypto.getRandomValues`. */
  randomBytes?: RandomBytes
}

/** The options with defaults applied. */
export interface SignInSettings extends Required<Omit<SignInOptions, 'baseUrl' | 'clientSecret' | 'endpoints'>> {
  clientSecret: string | undefined
  endpoints: SignInEndpoints
}

/** @throws TypeError if the base URL is invalid */
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
