import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE, SECOND } from '../clock.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { SourceError } from './source-error.ts'

/** What a reader of a source may use. */
export interface Reading {
  outgoing: Outgoing
  signal: AbortSignal
  /** Takes entries of the list as the source spells them, in any number of pieces. */
  give(entries: readonly unknown[]): Promise<void>
  /** Waits this many milliseconds. */
  pause(milliseconds: number): Promise<void>
}

/** Bytes of one page. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024
/** Milliseconds for one page. */
export const PAGE_TIMEOUT = MINUTE

const ATTEMPTS = 4
const LONGEST_PAUSE = MINUTE

export function sleepUnless(signal: AbortSignal): Reading['pause'] {
  return (milliseconds) => sleep(milliseconds, undefined, { signal })
}

/** Asks again after 1, 2 and 4 seconds, or after the time that the source names, while the failure is temporary. */
export async function patiently<T>(reading: Pick<Reading, 'pause' | 'signal'>, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const temporary = (error instanceof SourceError || error instanceof OutgoingError) && error.temporary
      if (!temporary || attempt === ATTEMPTS || reading.signal.aborted) throw error
      const asked = error instanceof SourceError ? error.retryAfter : undefined
      if (asked !== undefined && asked > LONGEST_PAUSE) throw error
      await reading.pause(asked ?? 2 ** (attempt - 1) * SECOND)
    }
  }
}
