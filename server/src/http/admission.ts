import type { IncomingMessage, ServerResponse } from 'node:http'
import { TOKEN_LENGTH } from '../access/token-format.ts'
import { SECOND } from '../clock.ts'
import { MOST_WAIT_FOR_A_PLACE } from '../lifetimes.ts'
import { busyTime } from './busy-time.ts'
import { FairQueue } from './fair-queue.ts'
import { lateBodies } from './late-bodies.ts'
import { Places } from './places.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** How much a process takes on at once (docs/operations.md). */
export interface AdmissionLimits {
  /** Queries that are worked on at the same time at most, and that may wait for it. */
  running: number
  waiting: number
  /** Milliseconds after which one that waits is refused. */
  patience: number
}

export const QUERIES: AdmissionLimits = { running: 128, waiting: 2_000, patience: MOST_WAIT_FOR_A_PLACE }

const MOST_KNOWN = 10_000
const LOOK_EVERY = SECOND / 20
/** Those whose token has not been seen to work share one turn: inventing tokens wins nobody more of them. */
const STRANGERS = ''

// All that is worked on may come back from the database in one turn of the event loop, and a turn takes one new
// connection: as long as requests wait, so few are worked on that a turn stays as short as this.
const LONGEST_TURN_MS = 3
const LEAST_RUNNING = 4
/** Queries that were begun and whose bodies are late; they do not count as running until they are there. */
const MOST_LATE = 256
/** What refusing costs, in queries; or taking note of one whose body does not come. */
const REFUSAL = 0.1

export interface Admission {
  (request: IncomingMessage, response: ServerResponse): void
  /** Queries that are worked on, and that wait for it. */
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
 * Lets in as many requests as can be worked on, before anything is done for them. Beyond that they wait a moment, each
 * token in a line of its own, the lines taking turns; when too many wait, the longest line loses its last. Who is not
 * let in is answered by `refuse` at once.
 */
export function admit(
  handler: Handler,
  refuse: (request: IncomingMessage, response: ServerResponse) => void,
  { running: mostRunning, waiting: mostWaiting, patience }: AdmissionLimits = QUERIES,
): Admission {
  const queue = new FairQueue<Waiting>()
  const known = new Set<string>()
  const busy = busyTime()
  let begunSoFar = 0
  let done = 0
  let allowed = mostRunning
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
        done += request.complete ? 1 : REFUSAL
      }
      remember(known, request, response)
      if (queue.size > 0) startNext()
    })
  }

  // Only looked at when places are scarce. Whoever sends a body slowly holds up nobody: it takes a place when it is there.
  const setAsideLate = (): void => {
    for (const begun of running.all().sort((a, b) => a.number - b.number)) {
      const { request, place } = begun
      if (place === undefined || request.complete || request.destroyed) continue
      running.leave(place)
      begun.place = undefined
      done += REFUSAL
      request.once('end', () => {
        if (late.delete(request)) begun.place = running.take(begun)
      })
      late.add(request)
    }
  }

  const startNext = (): void => {
    const oldest = performance.now() - patience
    while (running.size < allowed) {
      const next = queue.take()
      if (!next) break
      if (next.since < oldest) turnAway(next)
      else if (!next.response.destroyed) start(next.request, next.response)
    }
    if (queue.size === 0) stopLooking()
  }

  const adapt = (): void => {
    const cost = busy() / Math.max(1, done)
    done = 0
    allowed = Math.min(mostRunning, Math.max(LEAST_RUNNING, Math.round(LONGEST_TURN_MS / cost)))
  }

  const turnAway = ({ request, response }: Waiting): void => {
    done += REFUSAL
    refuse(request, response)
  }

  // When nothing ends there is nobody else to tell those who wait.
  const lookAfterThem = (): void => {
    setAsideLate()
    adapt()
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
      if (running.size >= allowed) setAsideLate()
      if (running.size < allowed) return start(request, response)
    }
    const token = tokenOf(request)
    queue.add(token !== undefined && known.has(token) ? token : STRANGERS, {
      request,
      response,
      since: performance.now(),
    })
    if (!looking) {
      busy()
      done = 0
      looking = setInterval(lookAfterThem, LOOK_EVERY)
    }
    if (queue.size <= mostWaiting) return
    const last = queue.dropLast()
    if (last) turnAway(last)
  }
  return Object.assign(admit, { load: () => ({ running: running.size, waiting: queue.size }) })
}

const BEARER = 'Bearer '

/** What may be a token by its length: another spelling of one has no line of its own, and nothing long is kept. */
function tokenOf({ headers: { 'access-token': own, authorization } }: IncomingMessage): string | undefined {
  if (typeof own === 'string' && own.length === TOKEN_LENGTH) return own
  return authorization?.length === BEARER.length + TOKEN_LENGTH ? authorization.slice(BEARER.length) : undefined
}

function remember(known: Set<string>, request: IncomingMessage, { statusCode }: ServerResponse): void {
  const token = tokenOf(request)
  if (token === undefined) return
  if (statusCode === 401) known.delete(token)
  else if (statusCode < 400 && !known.has(token)) {
    const [oldest] = known.size >= MOST_KNOWN ? known : []
    if (oldest !== undefined) known.delete(oldest)
    known.add(token)
  }
}
