import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type Clock, MINUTE, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Sender } from '../outgoing/outgoing.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { SourceSites } from '../settings/source-sites.ts'
import { SourceError } from './source-error.ts'

/** The means for a request to a source. */
export interface SourceContext {
  outgoing: Sender
  signal: AbortSignal
  kysely: Kysely<DB>
  clock: Clock
  sites: SourceSites
  /** Milliseconds for one request. */
  timeout: number
  /** Waits this many milliseconds; without it, a temporary failure is not repeated, because a caller waits. */
  pause?: (milliseconds: number) => Promise<void>
}

export interface Reading extends SourceContext {
  /** Receives entries of the list as in the source, in any number of calls. */
  give: (entries: readonly unknown[]) => Promise<void>
}

/** Bytes of one page. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024
/** Milliseconds for one page. */
export const PAGE_TIMEOUT = MINUTE

const ATTEMPTS = 4
const MAX_PAUSE = MINUTE

export function sleepUnless(signal: AbortSignal): NonNullable<SourceContext['pause']> {
  return (milliseconds) => sleep(milliseconds, undefined, { signal })
}

/** Retries temporary failures after 1, 2 and 4 seconds, or after the time that the source requests. */
export async function withRetries<T>(
  { pause, signal }: Pick<SourceContext, 'pause' | 'signal'>,
  ask: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const temporary = (error instanceof SourceError || error instanceof OutgoingError) && error.temporary
      if (!temporary || !pause || attempt === ATTEMPTS || signal.aborted) throw error
      const asked = error instanceof SourceError ? error.retryAfter : undefined
      if (asked !== undefined && asked > MAX_PAUSE) throw error
      await pause(asked ?? 2 ** (attempt - 1) * SECOND)
    }
  }
}
