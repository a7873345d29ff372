import type { Pool } from 'pg'
import { type Clock, DAY } from '../clock.ts'
import { USAGE_FLUSH_INTERVAL } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { latencyRange, noLatencies } from './latency.ts'
import { addUsage, type UsageCount } from './usage.queries.ts'

/** Counts the requests of each token by day, operation, HTTP status and duration in memory; writes them every second. */
export interface UsageRecorder {
  record(tokenId: string, operation: string, status: number, milliseconds: number): void
  /** Writes the remaining counts. */
  close(): Promise<void>
}

// Operation labels come from documents, so callers could create any number; beyond this they share one count.
const MAX_OPEN_COUNTS = 10_000

type Counted = Pick<UsageCount, 'tokenId' | 'day' | 'operation' | 'status'>

/** By token, then by operation. */
type Counts = Map<string, Map<string, UsageCount[]>>

export function createUsageRecorder(pool: Pool, clock: Clock, log: Logger): UsageRecorder {
  let counts: Counts = new Map()
  let open = 0
  let writing = Promise.resolve()
  let day = ''
  let dayEnds = 0

  const flush = (): Promise<void> => {
    if (open === 0) return writing
    const batch = [...counts.values()].flatMap((ofToken) => [...ofToken.values()].flat())
    counts = new Map()
    open = 0
    writing = writing
      .then(() => addUsage(pool, batch))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'could not write usage counts; retrying with the next ones')
        for (const count of batch) addAgain(count)
      })
    return writing
  }

  const countOf = ({ tokenId, day, operation, status }: Counted): UsageCount => {
    let ofToken: Map<string, UsageCount[]> | undefined = counts.get(tokenId)
    if (!ofToken) counts.set(tokenId, (ofToken = new Map<string, UsageCount[]>()))
    let ofOperation = ofToken.get(operation)
    if (!ofOperation) ofToken.set(operation, (ofOperation = []))
    const known = ofOperation.find((count) => count.status === status && count.day === day)
    if (known) return known
    const latencies = noLatencies()
    const fresh: UsageCount = { tokenId, day, operation, status, requests: 0, lastUsedAt: new Date(0), latencies }
    ofOperation.push(fresh)
    open++
    return fresh
  }

  const addAgain = (lost: UsageCount): void => {
    const count = countOf(lost)
    count.requests += lost.requests
    count.latencies = count.latencies.map((requests, range) => requests + (lost.latencies[range] ?? 0))
    if (lost.lastUsedAt > count.lastUsedAt) count.lastUsedAt = lost.lastUsedAt
  }

  const timer = setInterval(() => void flush(), USAGE_FLUSH_INTERVAL)
  timer.unref()

  return {
    record(tokenId, label, status, milliseconds) {
      const now = clock.now()
      if (now >= dayEnds || now < dayEnds - DAY) {
        day = new Date(now).toISOString().slice(0, 10)
        dayEnds = Date.parse(day) + DAY
      }
      const count = countOf({ tokenId, day, operation: open < MAX_OPEN_COUNTS ? label : '(other)', status })
      count.requests++
      const range = latencyRange(milliseconds)
      count.latencies[range] = (count.latencies[range] ?? 0) + 1
      if (now > count.lastUsedAt.getTime()) count.lastUsedAt = new Date(now)
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
