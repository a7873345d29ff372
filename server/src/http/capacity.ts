import { busyTime } from './busy-time.ts'

/** What a process can take on at the moment, by what it managed in the moment before. */
export interface Capacity {
  /** So many may be worked on at the same time. */
  readonly running: number
  /** So many may wait: what comes beyond would wait too long. */
  readonly waiting: number
  /** What has happened until now tells nothing of what comes. */
  restart: () => void
  answered: () => void
  /** Taken note of, and nothing more. */
  dismissed: () => void
  refused: () => void
  /** Judges by what has happened since it was asked last. */
  judge: () => void
}

export interface CapacityLimits {
  running: number
  waiting: number
  /** Milliseconds that the last of those who wait should have to wait at most. */
  wait: number
}

// All that is worked on may come back from the database in one turn of the event loop, and who comes anew is let in
// between two. A turn of many is cheaper, so it is kept short only while requests are refused.
const LONGEST_TURN_MS = 20
const LONGEST_TURN_REFUSING_MS = 5
const LEAST_RUNNING = 4
/** A process that has less to do than this share of the time waits for others: fewer at once would only wait longer. */
const BUSY = 0.8
const GROWTH = 1.5
/** Fewer are a moment's accident, however slow the answers are. */
const LEAST_WAITING = 20
/** What one that is refused or only noted costs, in answers. */
const SMALL = 0.1
/** How much of the rate is of the last look; the rest is of those before. */
const NEWS = 0.2

export function measureCapacity({ running: mostRunning, waiting: mostWaiting, wait }: CapacityLimits): Capacity {
  const busy = busyTime()
  let running = mostRunning
  let waiting = mostWaiting
  let since = 0
  let answers = 0
  let refusals = 0
  let small = 0
  /** Answers a millisecond. */
  let rate = 0

  const count = (): void => {
    since = performance.now()
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
      // A moment in which nothing ends does not refuse a burst that comes all at once.
      waiting = mostWaiting
      rate = mostWaiting / wait
    },
    answered: () => void answers++,
    dismissed: () => void small++,
    refused: () => void refusals++,
    judge() {
      const worked = busy()
      const passed = Math.max(1, performance.now() - since)
      const turn = refusals > 0 ? LONGEST_TURN_REFUSING_MS : LONGEST_TURN_MS
      const inATurn = (turn / worked) * Math.max(1, answers + SMALL * (small + refusals))
      const wanted = worked < BUSY * passed ? GROWTH * running : Math.max(LEAST_RUNNING, inATurn)
      running = Math.min(mostRunning, Math.round(wanted))
      const latest = answers / passed
      rate = (1 - NEWS) * rate + NEWS * latest
      waiting = Math.min(mostWaiting, Math.max(LEAST_WAITING, Math.round(rate * wait)))
      count()
    },
  }
}
