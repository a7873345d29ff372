import { type Clock, systemClock } from './clock.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    method: string
    headers: Record<string, string>
    body?: string
    redirect: 'manual'
    signal: AbortSignal
  },
) => Promise<Response>

/**
 * Cache lifetimes in milliseconds by kind; 0 disables the cache. The defaults are the shortest times that services
 * recommend to their clients, which are quoted here.
 */
export interface CacheTimes {
  /** Starboards and their leaderboards: "poll at most once every 5 minutes". Default 300,000. */
  starboard: number
  /** Metrics of one user of a starboard: "60 to 300 seconds". Default 60,000. */
  influence: number
  /** Spaces and their leaderboards: "30 to 60 seconds". Default 30,000. */
  space: number
  /** Credentials and eligibility: "5 to 10 minutes". Default 300,000. */
  eligibility: number
  /** Quests: "1 to 5 minutes". Default 60,000. */
  quest: number
}

export interface PageSettings {
  /** The minimum wait between two pages. Default 200. */
  minimumWaitMs: number
  /** The maximum wait between two pages; the client chooses a random time between both. Default 500. */
  maximumWaitMs: number
  /** The maximum pages of a search for a member. Default 100. */
  searchPages: number
}

export interface RetrySettings {
  /** The number of retries after a quota error or while the service is unavailable. Default 4. */
  retries: number
  /**
   * The wait before the first retry in milliseconds; doubles for each retry, minus up to half at random. Default 1,000.
   */
  firstWaitMs: number
  /** The maximum wait in milliseconds. A longer `Retry-After` fails at once. Default 60,000. */
  maximumWaitMs: number
}

export interface QuestboardOptions {
  /** The URL of the service; queries go to `{baseUrl}/query`. */
  baseUrl: string
  /** Server token. Use it only on servers; in a browser, set `baseUrl` to a path of your server that adds the token. */
  accessToken?: string | (() => string | Promise<string>)
  /** Additional headers for all requests. */
  headers?: Record<string, string>
  /** The timeout of a request in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Cache lifetimes, or false to disable the cache. */
  cache?: Partial<CacheTimes> | false
  /** The maximum number of cached responses. Default 1,000. */
  cacheEntries?: number
  pages?: Partial<PageSettings>
  retry?: Partial<RetrySettings>
  /** Default: the global `fetch`. */
  fetch?: Fetch
  /** Default: the system's clock. */
  clock?: Clock
  /** Returns a number in [0, 1). Default: `Math.random`. */
  random?: () => number
}

export interface RequestOptions {
  /** Aborts the request and its waits. */
  signal?: AbortSignal | undefined
  /** Ignores a cached response; the new response is cached. */
  fresh?: boolean | undefined
}

/** The options with defaults applied. */
export interface Settings {
  url: string
  accessToken: () => string | undefined | Promise<string>
  headers: Record<string, string>
  timeoutMs: number
  cache: CacheTimes
  cacheEntries: number
  pages: PageSettings
  retry: RetrySettings
  fetch: Fetch
  clock: Clock
  random: () => number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

const cacheTimes: CacheTimes = {
  starboard: 5 * MINUTE,
  influence: MINUTE,
  space: 30 * SECOND,
  eligibility: 5 * MINUTE,
  quest: MINUTE,
}
const noCache: CacheTimes = { starboard: 0, influence: 0, space: 0, eligibility: 0, quest: 0 }

/** @throws TypeError if the base URL is invalid */
export function decideSettings({ baseUrl, accessToken, cache, pages, retry, ...options }: QuestboardOptions): Settings {
  const defaults = {
    headers: {},
    timeoutMs: 30 * SECOND,
    cacheEntries: 1_000,
    fetch: ((url, init) => fetch(url, init)) satisfies Fetch,
    clock: systemClock,
    random: Math.random,
  }
  return {
    ...withDefaults(defaults, options),
    url: `${absoluteUrl(baseUrl)}/query`,
    accessToken: typeof accessToken === 'function' ? accessToken : () => accessToken,
    cache: cache === false ? noCache : withDefaults(cacheTimes, cache),
    pages: withDefaults({ minimumWaitMs: 200, maximumWaitMs: 500, searchPages: 100 }, pages),
    retry: withDefaults({ retries: 4, firstWaitMs: SECOND, maximumWaitMs: MINUTE }, retry),
  }
}

/** Applies defaults; undefined counts as not given. */
export function withDefaults<Options extends object>(defaults: Options, given: Partial<Options> | undefined): Options {
  const present = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(present) }
}

/** The absolute URL without trailing slashes. In a browser, a path is allowed. @throws TypeError */
export function absoluteUrl(baseUrl: string, name = 'baseUrl'): string {
  const here = (globalThis as { location?: { href: string } }).location?.href
  if (!URL.canParse(baseUrl, here) || !/^https?:$/.test(new URL(baseUrl, here).protocol))
    throw new TypeError(`${name} must be an http or https URL, such as https://api.example.com; it is ${baseUrl}`)
  return new URL(baseUrl, here).href.replace(/\/+$/, '')
}
