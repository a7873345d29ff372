import type { IncomingMessage, ServerResponse } from 'node:http'
import { TOKEN_LENGTH } from '../secrets/token-format.ts'
import { SECOND } from '../clock.ts'
import { MAX_QUERY_WAIT } from '../lifetimes.ts'
import { measureCapacity } from './capacity.ts'
import { FairQueue } from './fair-queue.ts'
import { lateBodies } from './late-bodies.ts'
import { Places } from './places.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** How much a process takes on at once (docs/limits.md). */
export interface AdmissionLimits {
  /** Requests that are worked on at the same time at most, and that may wait for it. */
  running: number
  waiting: number
  /** Milliseconds after which one that waits is refused. */
  patience: number
}

/** Of queries, and of look-ups of tokens. */
export const ADMITTED: AdmissionLimits = { running: 128, waiting: 2_000, patience: MAX_QUERY_WAIT }

const MOST_KNOWN = 10_000
const LOOK_EVERY = SECOND / 20
/** Requests whose token has not been validated yet share one queue, so inventing tokens gains no additional turns. */
const STRANGERS = ''

/** Requests that were begun and whose bodies are late; they do not count as running until they are there. */
const MOST_LATE = 256

export interface Admission {
  (request: IncomingMessage, response: ServerResponse): void
  /** Requests that are worked on, and that wait for it. */
  load: () => { running: number; waiting: number }
}

/** A request that was begun, the how manyeth; without a place when its body is late. */
interface Begun {
  request: IncomingMessage
  number: number
  place: number | undefined
}

interface Waiting {
  request: IncomingMessage
  response: ServerResponse
  since: number
}

/**
 * Admits as many requests as the process can work on, before any other work for them. Further requests wait briefly in
 * one queue for each token; the queues take turns. If too many requests wait, the longest queue loses its last one.
 * Rejected requests are passed to `refuse` at once.
 */
export function admit(
  handler: Handler,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
  { running: mostRunning, waiting: mostWaiting, patience }: AdmissionLimits = ADMITTED,
): Admission {
  const queue = new FairQueue<Waiting>()
  const known = new Set<string>()
  const capacity = measureCapacity({ running: mostRunning, waiting: mostWaiting, wait: patience / 2 })
  let begunSoFar = 0
  const running = new Places<Begun>()
  const late = lateBodies(MOST_LATE)
  let looking: NodeJS.Timeout | undefined

  const start = (request: IncomingMessage, response: ServerResponse): void => {
    const begun: Begun = { request, number: ++begunSoFar, place: undefined }
    begun.place = running.take(begun)
    void handler(request, response).finally(() => {
      if (begun.place === undefined) late.delete(request)
      else {
        running.leave(begun.place)
        if (request.complete) capacity.answered()
        else capacity.dismissed()
      }
      remember(known, tokenOf(request), response)
      if (queue.size > 0) startNext()
    })
  }

  // Only needed when places are scarce. A slow upload blocks no place: it takes one when its body has arrived.
  const setAsideLate = (): void => {
    for (const begun of running.all().sort((a, b) => a.number - b.number)) {
      const { request, place } = begun
      if (place === undefined || request.complete || request.destroyed) continue
      running.leave(place)
      begun.place = undefined
      capacity.dismissed()
      request.once('end', () => {
        if (late.delete(request)) begun.place = running.take(begun)
      })
      late.add(request)
    }
  }

  const startNext = (): void => {
    const oldest = performance.now() - patience
    while (running.size < capacity.running) {
      const next = queue.take()
      if (!next) break
      if (next.since < oldest) turnAway(next)
      else if (!next.response.destroyed) start(next.request, next.response)
    }
    if (queue.size === 0) stopLooking()
  }

  const turnAway = ({ request, response }: Waiting): void => {
    capacity.refused()
    refuse(request, response)
  }

  // If no request ends, no other event wakes the waiting requests.
  const lookAfterThem = (): void => {
    setAsideLate()
    capacity.judge()
    startNext()
    const oldest = performance.now() - patience
    for (const waiting of queue.takeWhile(({ since }) => since < oldest)) turnAway(waiting)
    if (queue.size === 0) stopLooking()
  }

  function stopLooking(): void {
    clearInterval(looking)
    looking = undefined
  }

  const admit = (request: IncomingMessage, response: ServerResponse): void => {
    if (queue.size === 0) {
      if (running.size >= capacity.running) setAsideLate()
      if (running.size < capacity.running) return start(request, response)
    }
    const token = tokenOf(request)
    queue.add(token !== undefined && known.has(token) ? token : STRANGERS, {
      request,
      response,
      since: performance.now(),
    })
    if (!looking) {
      capacity.restart()
      looking = setInterval(lookAfterThem, LOOK_EVERY)
    }
    if (queue.size <= capacity.waiting) return
    const last = queue.dropLast()
    if (last) turnAway(last)
  }
  return Object.assign(admit, { load: () => ({ running: running.size, waiting: queue.size }) })
}

const BEARER = 'Bearer '

/**
 * A value whose length allows a token, from its header or from a bearer header. Both spellings of a token share one
 * queue, and long values are not kept.
 */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const own = headers['access-token'] ?? headers['access_token']
  if (typeof own === 'string' && own.length === TOKEN_LENGTH) return own
  const { authorization } = headers
  return authorization?.length === BEARER.length + TOKEN_LENGTH ? authorization.slice(BEARER.length) : undefined
}

function remember(known: Set<string>, token: string | undefined, { statusCode }: ServerResponse): void {
  if (token === undefined) return
  if (statusCode === 401) known.delete(token)
  else if (statusCode < 400 && !known.has(token)) {
    const [oldest] = known.size >= MOST_KNOWN ? known : []
    if (oldest !== undefined) known.delete(oldest)
    known.add(token)
  }
}
