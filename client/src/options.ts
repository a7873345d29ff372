import { type Clock, systemClock } from './clock.ts'

/** What of `fetch` the client uses. */
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
 * How long answers are used again, in milliseconds, by kind; 0 asks every time. The defaults are the shortest times
 * that the specification (8.3) recommends, and its words stand behind each.
 */
export interface CacheTimes {
  /** Starboards and their leaderboards: "poll at most once every 5 minutes". Default 300,000. */
  starboard: number
  /** Figures of one user of a starboard: "60 to 300 seconds". Default 60,000. */
  influence: number
  /** Spaces and their leaderboards: "30 to 60 seconds". Default 30,000. */
  space: number
  /** Credentials and eligibility: "5 to 10 minutes". Default 300,000. */
  eligibility: number
  /** Quests: "1 to 5 minutes". Default 60,000. */
  quest: number
}

export interface PageSettings {
  /** Between the requests for two pages at least as many milliseconds as this… Default 200. */
  minimumWaitMs: number
  /** …and at most as many as this; the client draws a time between them. Default 500. */
  maximumWaitMs: number
  /** How many pages a search for one member reads at most: the specification says 50 to 100. Default 100. */
  searchPages: number
}

export interface RetrySettings {
  /** How often a request is tried again after a quota error or while the service is unavailable. Default 4; 0 never. */
  retries: number
  /** The wait before the first retry, in milliseconds; it doubles each time, and up to half of it is left to chance. Default 1,000. */
  firstWaitMs: number
  /** The longest wait, in milliseconds. A `Retry-After` beyond it fails at once, its time in the error. Default 60,000. */
  maximumWaitMs: number
}

export interface QuestboardOptions {
  /** Where the service is; queries go to `{baseUrl}/query`. */
  baseUrl: string
  /**
   * Server access token. It belongs to servers: in a browser, leave it out and let `baseUrl` be a path of your own
   * that adds it.
   */
  accessToken?: string | (() => string | Promise<string>)
  /** More headers for every request. */
  headers?: Record<string, string>
  /** How long an answer may take, in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Cache times to change, or false to ask every time. */
  cache?: Partial<CacheTimes> | false
  /** How many answers the cache keeps. Default 1,000. */
  cacheEntries?: number
  pages?: Partial<PageSettings>
  retry?: Partial<RetrySettings>
  /** Default: the global `fetch`. */
  fetch?: Fetch
  /** Default: the system's clock. */
  clock?: Clock
  /** A number from 0 up to, but not, 1. Default: `Math.random`. */
  random?: () => number
}

/** For one call. */
export interface RequestOptions {
  /** Gives up the request and all waiting that belongs to it. */
  signal?: AbortSignal | undefined
  /** Asks the service even when an answer is cached; the new answer is cached. */
  fresh?: boolean | undefined
}

/** The options with everything decided. */
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

/** @throws TypeError when the base URL is none */
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

/** The defaults, replaced where something else is given; undefined is not something. */
export function withDefaults<Options extends object>(defaults: Options, given: Partial<Options> | undefined): Options {
  const present = Object.entries(given ?? {}).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(present) }
}

/** The absolute URL, without slashes at its end. In a browser a path is enough. @throws TypeError */
export function absoluteUrl(baseUrl: string): string {
  const here = (globalThis as { location?: { href: string } }).location?.href
  if (!URL.canParse(baseUrl, here) || !/^https?:$/.test(new URL(baseUrl, here).protocol))
    throw new TypeError(`baseUrl must be an http or https URL, such as https://api.example.com; it is ${baseUrl}`)
  return new URL(baseUrl, here).href.replace(/\/+$/, '')
}
