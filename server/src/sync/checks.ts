import type { Reader } from '@questboard/pg-read-pipeline'
import { type Clock, DAY, SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { upstreamUnavailable } from '../errors.ts'
import type { Logger } from '../logging/log.ts'
import type { Outgoing, Sender } from '../outgoing/outgoing.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import { pauseChecks, readCheckState, readNamesOfKind } from './checks.queries.ts'
import type { SourceContext } from './reading.ts'
import { isPublicOnly, openSource, senderFor } from './sealed-source.ts'
import { isLiveSource, kindOf, type LiveSource, type Source } from './source.ts'
import { SourceError } from './source-error.ts'

export interface CheckDependencies {
  database: Reader & Pick<Database, 'kysely'>
  outgoing: Outgoing
  clock: Clock
  log: Logger
  secret: InstallationSecret
  config: Pick<Config, 'sites'>
}

/** Checks whether one identity is a holder, at the source of the credential. */
export interface Checks {
  /**
   * Checks a holder at a source that has no list. Returns undefined if the credential has no such source; its list then
   * decides. Some kinds of sources check the linked identities of the holder instead. Results are cached for
   * `cacheSeconds`.
   * @throws UPSTREAM_UNAVAILABLE if the source does not respond
   */
  live: (credentialId: string, holder: string) => Promise<boolean | undefined>
  /**
   * Sends a request to the source, even if a result is cached.
   * @throws UPSTREAM_UNAVAILABLE if the source does not respond or asked for a pause
   */
  fresh: (credentialId: string, holder: string) => Promise<FreshCheck>
}

export interface FreshCheck {
  /** Undefined if the credential has no source, or if its source cannot check one identity. */
  held: boolean | undefined
  /** Whether the source has no list, so that its holders are not stored. */
  live: boolean
  /** The stored form of the source; undefined if the credential has no source. */
  source: unknown
}

const MAX_ANSWERS = 50_000
const MAX_SOURCES = 10_000
/** Requests to one source at once, from one process. */
const MAX_UNDER_WAY = 50
/** For sources with a list. Other sources have these values in their settings. */
const LIST_DEFAULTS = { timeoutMilliseconds: 5_000, failuresBeforePause: 5, pauseSeconds: 30 }
/** The longest pause that a source can ask for. */
const MAX_PAUSE = DAY

interface Parsed {
  /** The text of the source as stored in the database. */
  text: string
  source: Source
  outgoing: Sender
  /** Changes with the source, so that results of other settings are not used. */
  version: number
}

/** The failures of a source. They are kept if its settings change. */
interface Breaker {
  failures: number
  pausedUntil: number
  underWay: number
}

interface Answer {
  held: boolean
  at: number
}

export function createChecks(deps: CheckDependencies): Checks {
  const { database, clock, log, secret } = deps
  const sources = new Map<string, Parsed>()
  const breakers = new Map<string, Breaker>()
  const answers = new Map<string, Answer>()
  const pending = new Map<string, Promise<boolean | undefined>>()
  let versions = 0

  /** @throws UPSTREAM_UNAVAILABLE if another secret encrypted the source */
  function open(credentialId: string, stored: unknown): Source {
    try {
      return openSource(secret, credentialId, stored)
    } catch (error) {
      log.warn({ credentialId, reason: (error as Error).message }, 'the source of a credential cannot be used')
      throw upstreamUnavailable(error)
    }
  }

  /** Reads the source for every check, so that a changed source is used at once; caches only the parsed form. */
  async function stateOf(credentialId: string, holder: string) {
    const state = await readCheckState(database, credentialId, holder)
    if (!state) return undefined
    const { source: text, paused_until: pausedUntil, held, checked_at: at } = state
    let parsed = sources.get(credentialId)
    if (parsed?.text !== text) {
      const stored: unknown = JSON.parse(text)
      const source = open(credentialId, stored)
      parsed = {
        text,
        source,
        outgoing: senderFor(deps.outgoing, source, { publicOnly: isPublicOnly(stored) }),
        version: ++versions,
      }
      withRoom(sources, MAX_SOURCES).set(credentialId, parsed)
    }
    const last: Answer | undefined = held === null || at === null ? undefined : { held, at }
    return { ...parsed, pausedUntil: pausedUntil ?? 0, last }
  }

  function breakerOf(credentialId: string): Breaker {
    let breaker = breakers.get(credentialId)
    if (!breaker)
      withRoom(breakers, MAX_SOURCES).set(credentialId, (breaker = { failures: 0, pausedUntil: 0, underWay: 0 }))
    return breaker
  }

  /** Concurrent checks of one holder share one request. @throws UPSTREAM_UNAVAILABLE */
  async function checkOnce(
    credentialId: string,
    { source, outgoing, version, pausedUntil }: Omit<Parsed, 'text'> & { pausedUntil: number },
    holder: string,
  ): Promise<boolean | undefined> {
    const key = `${credentialId} ${version} ${holder}`
    const underWay = pending.get(key)
    if (underWay) return underWay
    const breaker = breakerOf(credentialId)
    const until = Math.max(breaker.pausedUntil, pausedUntil)
    const recovering = breaker.pausedUntil > 0 && breaker.failures > 0
    if (clock.now() < until || breaker.underWay >= (recovering ? 1 : MAX_UNDER_WAY))
      throw upstreamUnavailable(
        new SourceError('requests to the source are paused'),
        Math.max(1, Math.ceil((until - clock.now()) / SECOND)),
      )
    const asked = send(credentialId, { source, outgoing }, holder, breaker)
    pending.set(key, asked)
    try {
      const held = await asked
      if (held !== undefined) withRoom(answers, MAX_ANSWERS).set(key, { held, at: clock.now() })
      return held
    } finally {
      pending.delete(key)
    }
  }

  async function send(
    credentialId: string,
    { source, outgoing }: Pick<Parsed, 'source' | 'outgoing'>,
    holder: string,
    breaker: Breaker,
  ): Promise<boolean | undefined> {
    const { check } = kindOf(source.kind)
    const settings = isLiveSource(source) ? source : LIST_DEFAULTS
    breaker.underWay++
    try {
      const held = await check?.(contextOf(deps, outgoing, settings.timeoutMilliseconds), source, holder)
      breaker.failures = 0
      return held
    } catch (error) {
      breaker.failures++
      if (breaker.failures >= settings.failuresBeforePause) {
        breaker.pausedUntil = clock.now() + settings.pauseSeconds * SECOND
        // If the first request after the pause fails, another pause starts.
        breaker.failures = settings.failuresBeforePause - 1
        log.warn(
          { credentialId, pauseSeconds: settings.pauseSeconds },
          'checks at the source of a credential are paused',
        )
      }
      log.info({ credentialId, reason: (error as Error).message }, 'a check at the source of a credential failed')
      const wait = error instanceof SourceError ? error.retryAfter : undefined
      if (wait !== undefined)
        await pauseChecks(database.kysely, credentialId, new Date(clock.now() + Math.min(wait, MAX_PAUSE)))
      throw upstreamUnavailable(error, wait === undefined ? undefined : Math.max(1, Math.ceil(wait / SECOND)))
    } finally {
      breaker.underWay--
    }
  }

  async function checkOne(credentialId: string, holder: string): Promise<boolean | undefined> {
    const state = await stateOf(credentialId, holder)
    if (!state || !isLiveSource(state.source)) return undefined
    const known = newest(answers.get(`${credentialId} ${state.version} ${holder}`), state.last)
    if (known && isFresh(known, state.source, clock.now())) return known.held
    return (await checkOnce(credentialId, state, holder)) ?? false
  }

  return {
    async live(credentialId, holder) {
      const kind = (await stateOf(credentialId, holder))?.source.kind
      const identityKind = kind && kindOf(kind).identityKind
      if (identityKind === undefined) return checkOne(credentialId, holder)
      for (const name of await readNamesOfKind(database, holder, identityKind))
        if (await checkOne(credentialId, name)) return true
      return false
    },
    async fresh(credentialId, holder) {
      const state = await stateOf(credentialId, holder)
      if (!state || !kindOf(state.source.kind).check)
        return { held: undefined, live: false, source: state && JSON.parse(state.text) }
      const held = await checkOnce(credentialId, state, holder)
      return { held, live: isLiveSource(state.source), source: JSON.parse(state.text) }
    },
  }
}

function contextOf(
  { database: { kysely }, clock, config: { sites } }: CheckDependencies,
  outgoing: Sender,
  timeout: number,
): SourceContext {
  return { outgoing, kysely, clock, sites, timeout, signal: AbortSignal.timeout(2 * timeout) }
}

const newest = (a: Answer | undefined, b: Answer | undefined): Answer | undefined =>
  a && b ? (a.at >= b.at ? a : b) : (a ?? b)

const isFresh = ({ at }: Answer, { cacheSeconds }: LiveSource, now: number): boolean => at + cacheSeconds * SECOND > now

/** Deletes the oldest entry of a full map, so that one can be added. Returns the map. */
function withRoom<V>(map: Map<string, V>, max: number): Map<string, V> {
  const [oldest] = map.size >= max ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  return map
}
