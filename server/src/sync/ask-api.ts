import { type Clock, SECOND } from '../clock.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import { upstreamUnavailable } from '../errors.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import type { Logger } from '../logging/log.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { readText } from '../outgoing/read.ts'
import { readApiSource } from './ask-api.queries.ts'
import { parsePointer, valueAt } from './json-pointer.ts'
import { parseJson } from './lists/json-entries.ts'
import { requireSuccess, SourceError } from './source-error.ts'
import { openSource } from './sealed-source.ts'
import type { ApiSource } from './source.ts'

export interface AskDependencies {
  reader: Reader
  outgoing: Outgoing
  clock: Clock
  log: Logger
  secret: InstallationSecret
}

/**
 * Whether an address holds a credential whose API is asked at answer time; undefined when the credential has no such
 * API, and its list answers.
 * @throws UPSTREAM_UNAVAILABLE when the API does not say
 */
export type AskApi = (credentialId: string, address: string) => Promise<boolean | undefined>

const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_ANSWERS = 50_000
const MAX_SOURCES = 10_000
/** Questions to one API at once, from one process. */
const MAX_UNDER_WAY = 50

interface Upstream {
  /** As stored in the database. */
  text: string
  source: ApiSource | undefined
}

/** What is known of an API's health; outlives the source's setting. */
interface Breaker {
  failures: number
  pausedUntil: number
  underWay: number
}

export function createAskApi({ reader, outgoing, clock, log, secret }: AskDependencies): AskApi {
  const upstreams = new Map<string, Upstream>()
  const breakers = new Map<string, Breaker>()
  const answers = new Map<string, { holds: boolean; until: number }>()
  const asking = new Map<string, Promise<boolean>>()

  /** Read for every question, so that a changed source is asked at once; what is remembered is how to read it. */
  async function sourceOf(credentialId: string): Promise<ApiSource | undefined> {
    const text = await readApiSource(reader, credentialId)
    if (text === undefined) return undefined
    const known = upstreams.get(credentialId)
    if (known?.text === text) return known.source
    const source = openSource(secret, credentialId, JSON.parse(text))
    const read = { text, source: source.kind === 'API' ? source : undefined }
    bounded(upstreams, MAX_SOURCES).set(credentialId, read)
    return read.source
  }

  async function ask(credentialId: string, source: ApiSource, address: string, breaker: Breaker): Promise<boolean> {
    breaker.underWay++
    try {
      const holds = await askOnce(outgoing, source, address)
      breaker.failures = 0
      return holds
    } catch (error) {
      breaker.failures++
      if (breaker.failures >= source.failuresBeforePause) {
        breaker.pausedUntil = clock.now() + source.pauseSeconds * SECOND
        // One question after the pause decides whether there is another.
        breaker.failures = source.failuresBeforePause - 1
        log.warn(
          { credentialId, pauseSeconds: source.pauseSeconds },
          'the API of a credential is not asked for a while',
        )
      }
      log.info({ credentialId, reason: (error as Error).message }, 'the API of a credential did not answer')
      throw upstreamUnavailable(error)
    } finally {
      breaker.underWay--
    }
  }

  return async (credentialId, address) => {
    const source = await sourceOf(credentialId)
    if (!source) return undefined
    // Either would leave the place in the URL that is meant for the address.
    if (address === '.' || address === '..') return false
    // A changed source sends requests elsewhere, so its results are stored separately.
    const key = `${credentialId} ${source.url} ${source.result} ${address}`
    const answer = answers.get(key)
    if (answer && answer.until > clock.now()) return answer.holds
    const underWay = asking.get(key)
    if (underWay) return underWay
    let breaker = breakers.get(credentialId)
    if (!breaker)
      bounded(breakers, MAX_SOURCES).set(credentialId, (breaker = { failures: 0, pausedUntil: 0, underWay: 0 }))
    const recovering = breaker.pausedUntil > 0 && breaker.failures > 0
    if (clock.now() < breaker.pausedUntil || breaker.underWay >= (recovering ? 1 : MAX_UNDER_WAY))
      throw upstreamUnavailable(new SourceError('the API is not asked at present'))
    const asked = ask(credentialId, source, address, breaker)
    asking.set(key, asked)
    try {
      const holds = await asked
      if (source.cacheSeconds > 0)
        bounded(answers, MAX_ANSWERS).set(key, { holds, until: clock.now() + source.cacheSeconds * SECOND })
      return holds
    } finally {
      asking.delete(key)
    }
  }
}

async function askOnce(outgoing: Outgoing, source: ApiSource, address: string): Promise<boolean> {
  const answer = await readText(outgoing, {
    url: source.url.replaceAll('{address}', encodeURIComponent(address)),
    headers: { accept: 'application/json', ...source.headers },
    maxBytes: MAX_ANSWER_BYTES,
    timeout: source.timeoutMilliseconds,
  })
  requireSuccess(answer)
  const { host } = new URL(answer.url)
  const value = valueAt(parseJson(answer.text, host), parsePointer(source.result) ?? [])
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  throw new SourceError(`${host} answered neither true nor false at ${JSON.stringify(source.result)}`)
}

/** The map, with room for one more: the oldest entry goes. */
function bounded<V>(map: Map<string, V>, most: number): Map<string, V> {
  const [oldest] = map.size >= most ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
  return map
}
