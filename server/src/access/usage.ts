import type { Pool } from 'pg'
import { type Clock, DAY } from '../clock.ts'
import { USAGE_FLUSH_INTERVAL } from '../lifetimes.ts'
import type { Logger } from '../log.ts'
import { addUsage, type UsageCount } from './usage.queries.ts'

/** Counts what each token asked for, by day, operation and HTTP status. Counted in memory, written every second. */
export interface UsageRecorder {
  record(tokenId: string, operation: string, status: number): void
  /** Writes what is still in memory. */
  close(): Promise<void>
}

// Labels come from documents, so a caller could invent many; beyond this they are counted together.
const MAX_OPEN_COUNTS = 10_000

export function createUsageRecorder(pool: Pool, clock: Clock, log: Logger): UsageRecorder {
  let counts = new Map<string, UsageCount>()
  let writing = Promise.resolve()
  let day = ''
  let dayEnds = 0

  const flush = (): Promise<void> => {
    if (counts.size === 0) return writing
    const batch = counts
    counts = new Map()
    writing = writing
      .then(() => addUsage(pool, [...batch.values()]))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'usage could not be written; it is counted with the next')
        for (const [key, count] of batch) add(key, count)
      })
    return writing
  }

  const add = (key: string, count: UsageCount): void => {
    const known = counts.get(key)
    if (!known) counts.set(key, count)
    else {
      known.requests += count.requests
      if (count.lastUsedAt > known.lastUsedAt) known.lastUsedAt = count.lastUsedAt
    }
  }

  const timer = setInterval(() => void flush(), USAGE_FLUSH_INTERVAL)
  timer.unref()

  return {
    record(tokenId, label, status) {
      const lastUsedAt = new Date(clock.now())
      if (lastUsedAt.getTime() >= dayEnds || lastUsedAt.getTime() < dayEnds - DAY) {
        day = lastUsedAt.toISOString().slice(0, 10)
        dayEnds = Date.parse(day) + DAY
      }
      const operation = counts.size < MAX_OPEN_COUNTS ? label : '(other)'
      add(`${tokenId} ${day} ${status} ${operation}`, { tokenId, day, operation, status, requests: 1, lastUsedAt })
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
