import type { Pool } from 'pg'
import { REQUEST_LOG_FLUSH_INTERVAL } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { addRequests, type LoggedRequest, trimRequests } from './request-log.queries.ts'

/** Stores the last requests of each token for its owner: in memory, and every few seconds in the database. */
export interface RequestLog {
  record(request: LoggedRequest): void
  /** Writes the remaining requests. */
  close(): Promise<void>
}

/** The number of requests of a token that its owner can see. */
export const KEPT_REQUESTS = 100
/** Beyond this number between two writes, the first requests of further tokens are left out. */
const MAX_OPEN = 20_000

interface Ring {
  requests: LoggedRequest[]
  /** The position of the next request, if the ring is full. */
  next: number
}

export function createRequestLog(pool: Pool, log: Logger): RequestLog {
  let rings = new Map<string, Ring>()
  let open = 0
  let writing = Promise.resolve()
  /** Requests written since the last deletion, by token. */
  let written = new Map<string, number>()

  const write = async (batch: readonly LoggedRequest[]): Promise<void> => {
    await addRequests(pool, batch)
    for (const { tokenId } of batch) written.set(tokenId, (written.get(tokenId) ?? 0) + 1)
    const busy = [...written].flatMap(([tokenId, count]) => (count >= KEPT_REQUESTS ? [tokenId] : []))
    if (written.size > MAX_OPEN) written = new Map()
    if (busy.length === 0) return
    for (const tokenId of busy) written.delete(tokenId)
    await trimRequests(pool, busy.sort(), KEPT_REQUESTS)
  }

  const flush = (): Promise<void> => {
    if (open === 0) return writing
    const batch = [...rings.values()].flatMap(({ requests }) => requests)
    rings = new Map()
    open = 0
    writing = writing
      .then(() => write(batch))
      .catch((error: unknown) => log.warn({ err: error }, 'could not write the log of requests; these are left out'))
    return writing
  }

  const timer = setInterval(() => void flush(), REQUEST_LOG_FLUSH_INTERVAL)
  timer.unref()

  return {
    record(request) {
      let ring = rings.get(request.tokenId)
      if (!ring) {
        if (open >= MAX_OPEN) return
        rings.set(request.tokenId, (ring = { requests: [], next: 0 }))
      }
      if (ring.requests.length === KEPT_REQUESTS) {
        ring.requests[ring.next] = request
        ring.next = (ring.next + 1) % KEPT_REQUESTS
      } else if (open < MAX_OPEN) {
        ring.requests.push(request)
        open++
      }
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
