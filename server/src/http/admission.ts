import type { IncomingMessage, ServerResponse } from 'node:http'
import { TOKEN_LENGTH } from '../secrets/token-format.ts'
import { type MonotonicClock, SECOND } from '../clock.ts'
import { MAX_QUERY_WAIT } from '../lifetimes.ts'
import { measureCapacity } from './capacity.ts'
import { FairQueue } from './fair-queue.ts'
import { lateBodies } from './late-bodies.ts'
import { SlotList } from './slot-list.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Limits for the concurrent work of one process (docs/limits.md). */
export interface AdmissionLimits {
  /** The maximum numbers of running and of waiting requests. */
  running: number
  waiting: number
  /** Milliseconds after which a waiting request is rejected. */
  maxWait: number
}

/** Limits for queries and token look-ups. */
export const ADMITTED: AdmissionLimits = { running: 128, waiting: 2_000, maxWait: MAX_QUERY_WAIT }

const MAX_KNOWN_TOKENS = 10_000
const CHECK_INTERVAL = SECOND / 20
/**
 * Requests whose tokens are not validated yet share one queue. Otherwise, a client could get more turns by inventing
 * tokens.
 */
const UNVALIDATED = ''

/** Maximum number of started requests without a slot, because their bodies have not arrived. */
const MAX_LATE_BODIES = 256

export interface Admission {
  (request: IncomingMessage, response: ServerResponse): void
  load: () => { running: number; waiting: number }
}

/** A started request. `number` is its position in the order of starts. `slot` is undefined while its body is late. */
interface Started {
  request: IncomingMessage
  number: number
  slot: number | undefined
}

interface Waiting {
  request: IncomingMessage
  response: ServerResponse
  since: number
}

/**
 * Limits the running requests to the capacity of the process, before any other work on a request. Further
 * requests wait briefly. Each token has its own queue, and the queues take turns. If too many requests wait, the last
 * request of the longest queue is rejected. Rejected requests are passed to `refuse` immediately.
 */
export function admit(
  handler: Handler,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
  clock: MonotonicClock,
  { running: maxRunning, waiting: maxWaiting, maxWait }: AdmissionLimits = ADMITTED,
): Admission {
  const queue = new FairQueue<Waiting>()
  const known = new Set<string>()
  const capacity = measureCapacity({ running: maxRunning, waiting: maxWaiting, wait: maxWait / 2 }, clock)
  let startedCount = 0
  const running = new SlotList<Started>()
  const late = lateBodies(MAX_LATE_BODIES)
  let checks: NodeJS.Timeout | undefined

  const start = (request: IncomingMessage, response: ServerResponse): void => {
    const started: Started = { request, number: ++startedCount, slot: undefined }
    started.slot = running.take(started)
    void handler(request, response).finally(() => {
      if (started.slot === undefined) late.delete(request)
      else {
        running.leave(started.slot)
        if (request.complete) capacity.answered()
        else capacity.dismissed()
      }
      remember(known, tokenOf(request), response)
      if (queue.size > 0) startNext()
    })
  }

  // Frees the slots of requests whose bodies have not arrived, oldest request first. Called if all slots are taken or
  // requests wait. A request takes a slot again when its body has arrived.
  const setAsideLate = (): void => {
    for (const started of running.all().sort((a, b) => a.number - b.number)) {
      const { request, slot } = started
      if (slot === undefined || request.complete || request.destroyed) continue
      running.leave(slot)
      started.slot = undefined
      capacity.dismissed()
      request.once('end', () => {
        if (late.delete(request)) started.slot = running.take(started)
      })
      late.add(request)
    }
  }

  const startNext = (): void => {
    const oldest = clock.monotonic() - maxWait
    while (running.size < capacity.running) {
      const next = queue.take()
      if (!next) break
      if (next.since < oldest) reject(next)
      else if (!next.response.destroyed) start(next.request, next.response)
    }
    if (queue.size === 0) stopChecks()
  }

  const reject = ({ request, response }: Waiting): void => {
    capacity.refused()
    refuse(request, response)
  }

  // Called at an interval while requests wait. Otherwise, waiting requests would only be checked when a running request
  // ends.
  const checkWaiting = (): void => {
    setAsideLate()
    capacity.judge()
    startNext()
    const oldest = clock.monotonic() - maxWait
    for (const waiting of queue.takeWhile(({ since }) => since < oldest)) reject(waiting)
    if (queue.size === 0) stopChecks()
  }

  function stopChecks(): void {
    clearInterval(checks)
    checks = undefined
  }

  const admit = (request: IncomingMessage, response: ServerResponse): void => {
    if (queue.size === 0) {
      if (running.size >= capacity.running) setAsideLate()
      if (running.size < capacity.running) return start(request, response)
    }
    const token = tokenOf(request)
    queue.add(token !== undefined && known.has(token) ? token : UNVALIDATED, {
      request,
      response,
      since: clock.monotonic(),
    })
    if (!checks) {
      capacity.restart()
      checks = setInterval(checkWaiting, CHECK_INTERVAL)
    }
    if (queue.size <= capacity.waiting) return
    const last = queue.dropLast()
    if (last) reject(last)
  }
  return Object.assign(admit, { load: () => ({ running: running.size, waiting: queue.size }) })
}

const BEARER = 'Bearer '
/** Matches a publishable token in a URL. */
const IN_URL = new RegExp(`[?&]access_token=(qbp_[0-9A-Za-z]{${TOKEN_LENGTH - 4}})(?:&|$)`)

/**
 * Returns the token from its own header, a bearer header or the URL, so that a token has the same queue in all cases.
 * Ignores values that do not have the length of a token, so that long values are not kept.
 */
function tokenOf({ method, headers, url = '' }: IncomingMessage): string | undefined {
  const own = headers['access-token'] ?? headers['access_token']
  if (typeof own === 'string' && own.length === TOKEN_LENGTH) return own
  const { authorization } = headers
  if (authorization !== undefined)
    return authorization.length === BEARER.length + TOKEN_LENGTH ? authorization.slice(BEARER.length) : undefined
  return method === 'GET' ? IN_URL.exec(url)?.[1] : undefined
}

function remember(known: Set<string>, token: string | undefined, { statusCode }: ServerResponse): void {
  if (token === undefined) return
  if (statusCode === 401) known.delete(token)
  else if (statusCode < 400 && !known.has(token)) {
    const [oldest] = known.size >= MAX_KNOWN_TOKENS ? known : []
    if (oldest !== undefined) known.delete(oldest)
    known.add(token)
  }
}
