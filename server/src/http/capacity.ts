import type { MonotonicClock } from '../clock.ts'
import { busyTime } from './busy-time.ts'

/** The number of queries that a process can run and queue, estimated from the previous interval. */
export interface Capacity {
  /** Limit of queries that run at the same time. */
  readonly running: number
  /** Limit of queued queries. A longer queue would make the last one wait too long. */
  readonly waiting: number
  /** Deletes all measurements. */
  restart: () => void
  answered: () => void
  /** Counts a request that only needed to be recorded. */
  dismissed: () => void
  refused: () => void
  /** Updates both limits from the counts since the last call. */
  judge: () => void
}

export interface CapacityLimits {
  running: number
  waiting: number
  /** Maximum time in milliseconds that the last queued query should wait. */
  wait: number
}

// All running queries may return from the database in one turn of the event loop, and new requests are only accepted
// between two turns. Long turns are more efficient, so turns are kept short only while requests are refused.
const MAX_TURN_MS = 20
const MAX_TURN_REFUSING_MS = 5
const MIN_RUNNING = 4
/** Below this share of busy time the process waits for the database, so a lower limit would only increase latency. */
const BUSY_SHARE = 0.8
const GROWTH = 1.5
/** Allows a short burst even if responses are slow. */
const MIN_WAITING = 20
/** Cost of a refused or recorded request, relative to a response. */
const SMALL_COST = 0.1
/** Weight of the latest interval in the moving average of the rate. */
const LATEST_WEIGHT = 0.2

/** @param busy returns the milliseconds that the event loop was busy since its last call */
export function measureCapacity(
  { running: maxRunning, waiting: maxWaiting, wait }: CapacityLimits,
  clock: MonotonicClock,
  busy: () => number = busyTime(),
): Capacity {
  let running = maxRunning
  let waiting = maxWaiting
  let since = 0
  let answers = 0
  let refusals = 0
  let small = 0
  /** Responses per millisecond. */
  let rate = 0

  const count = (): void => {
    since = clock.monotonic()
    answers = refusals = small = 0
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    restart() {
      busy()
      count()
      // A burst after an idle time must not be refused.
      waiting = maxWaiting
      rate = maxWaiting / wait
    },
    answered: () => void answers++,
    dismissed: () => void small++,
    refused: () => void refusals++,
    judge() {
      const worked = busy()
      const passed = Math.max(1, clock.monotonic() - since)
      const turn = refusals > 0 ? MAX_TURN_REFUSING_MS : MAX_TURN_MS
      const inATurn = (turn / worked) * Math.max(1, answers + SMALL_COST * (small + refusals))
      const wanted = worked < BUSY_SHARE * passed ? GROWTH * running : Math.max(MIN_RUNNING, inATurn)
      running = Math.min(maxRunning, Math.round(wanted))
      const latest = answers / passed
      rate = (1 - LATEST_WEIGHT) * rate + LATEST_WEIGHT * latest
      waiting = Math.min(maxWaiting, Math.max(MIN_WAITING, Math.round(rate * wait)))
      count()
    },
  }
}
