import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '../clock.ts'
import { MOST_WAIT_FOR_A_PLACE } from '../lifetimes.ts'
import { FairQueue } from './fair-queue.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** How much a process takes on at once (docs/operations.md). */
export interface AdmissionLimits {
  /** Queries that are worked on at the same time, and that may wait for it. */
  running: number
  waiting: number
  /** Milliseconds after which one that waits is refused. */
  patience: number
}

export const QUERIES: AdmissionLimits = { running: 256, waiting: 512, patience: MOST_WAIT_FOR_A_PLACE }

const MOST_KNOWN = 10_000
const LOOK_EVERY = SECOND / 20
/** Those whose token has not been seen to work share one turn: inventing tokens wins nobody more of them. */
const STRANGERS = ''

export interface Admission {
  (request: IncomingMessage, response: ServerResponse): void
  /** Queries that are worked on, and that wait for it. */
  load: () => { running: number; waiting: number }
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
  let running = 0
  let looking: NodeJS.Timeout | undefined

  const start = (request: IncomingMessage, response: ServerResponse): void => {
    running++
    void handler(request, response).finally(() => {
      running--
      remember(known, request, response)
      if (queue.size > 0) startNext()
    })
  }

  const startNext = (): void => {
    const oldest = performance.now() - patience
    while (running < mostRunning) {
      const next = queue.take()
      if (!next) break
      if (next.since < oldest) refuse(next.request, next.response)
      else if (!next.response.destroyed) start(next.request, next.response)
    }
    if (queue.size === 0) stopLooking()
  }

  // When nothing ends there is nobody else to tell those who wait.
  const refuseImpatient = (): void => {
    const oldest = performance.now() - patience
    for (const { request, response } of queue.takeWhile(({ since }) => since < oldest)) refuse(request, response)
    if (queue.size === 0) stopLooking()
  }

  function stopLooking(): void {
    clearInterval(looking)
    looking = undefined
  }

  const admit = (request: IncomingMessage, response: ServerResponse): void => {
    if (running < mostRunning && queue.size === 0) return start(request, response)
    const token = tokenOf(request)
    queue.add(token !== undefined && known.has(token) ? token : STRANGERS, {
      request,
      response,
      since: performance.now(),
    })
    looking ??= setInterval(refuseImpatient, LOOK_EVERY)
    if (queue.size <= mostWaiting) return
    const last = queue.dropLast()
    if (last) refuse(last.request, last.response)
  }
  return Object.assign(admit, { load: () => ({ running, waiting: queue.size }) })
}

/** What stands where the token is looked for, whether it is one or not. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const own = headers['access-token']
  return typeof own === 'string' ? own : headers.authorization
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
