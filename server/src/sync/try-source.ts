import type { Kysely } from 'kysely'
import { canonicalHolder } from '../addresses/addresses.ts'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { Sender } from '../outgoing/outgoing.ts'
import type { SourceSites } from '../settings/source-sites.ts'
import type { Reading } from './reading.ts'
import { SourceError } from './source-error.ts'
import { isLiveSource, kindOf, type Source } from './source.ts'
import type { Act } from './source-kind.ts'

const MAX_SHOWN = 20
const MAX_TEXT = 200
const TIMEOUT = 15 * SECOND

export interface Trial {
  /**
   * Whether the source works. `message` is the reason of a failure or, for a source without requests, the act of
   * members.
   */
  works: boolean
  message: string | null
  /** The number of read entries, and of those that are not holders of the type. */
  read: number
  invalid: number
  /** Whether these are all entries of the source. */
  complete: boolean
  /** For a source without a list: whether the address holds the credential. */
  holds: boolean | null
  entries: { entry: string; holder: string | null }[]
}

export interface TrialRequest {
  source: Source
  credType: string
  /** For a source without a list: the address to check. */
  address: string | undefined
}

const actTexts: Record<Act, string> = {
  quiz: 'the settings are valid; members become holders when they pass the quiz on the page of a quest',
  visit: 'the settings are valid; members become holders when they open their link on the page of a quest',
}

/** Thrown when enough entries have been read. */
class Enough extends Error {}

/** Reads the first entries of a source, and stores nothing. A failure of the source is a result. */
export async function trySource(
  deps: { kysely: Kysely<DB>; outgoing: Sender; clock: Clock; sites: SourceSites },
  { source, credType, address }: TrialRequest,
): Promise<Trial> {
  const trial: Trial = {
    works: true,
    message: null,
    read: 0,
    invalid: 0,
    complete: false,
    holds: null,
    entries: [],
  }
  const { act } = kindOf(source.kind)
  if (act) return { ...trial, complete: true, message: actTexts[act] }
  const signal = AbortSignal.timeout(TIMEOUT)
  const reading: Reading = {
    ...deps,
    signal,
    timeout: TIMEOUT,
    // A user waits for the response, so retries do not pause.
    pause: async () => signal.throwIfAborted(),
    async give(entries) {
      for (const entry of entries) note(trial, credType, entry)
      if (trial.read >= MAX_SHOWN) throw new Enough()
    },
  }
  try {
    const { check, list, sample } = kindOf(source.kind)
    if (isLiveSource(source)) trial.holds = (await check?.(reading, source, address ?? '')) ?? null
    else if (!sample) await list?.(reading, source, '')
    trial.complete = (await sample?.(reading, source)) ?? true
  } catch (error) {
    if (error instanceof Enough) return trial
    if (signal.aborted)
      return { ...trial, works: false, message: `the source did not respond within ${TIMEOUT / SECOND} seconds` }
    if (error instanceof SourceError || error instanceof OutgoingError)
      return { ...trial, works: false, message: error.message }
    throw error
  }
  return trial
}

function note(trial: Trial, credType: string, entry: unknown): void {
  const holder = typeof entry === 'string' ? canonicalHolder(credType, entry) : undefined
  trial.read++
  if (holder === undefined) trial.invalid++
  const text = typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? '')
  if (trial.entries.length < MAX_SHOWN) trial.entries.push({ entry: text.slice(0, MAX_TEXT), holder: holder ?? null })
}
