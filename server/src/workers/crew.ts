import cluster from 'node:cluster'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Teller } from './figures.ts'
import { type End, type Hand, hireHand } from './hand.ts'
import { errorOf, type RenderedFigures, type ToWorker } from './messages.ts'

/** The worker processes of this instance: they take the requests that come in at its one port. */
export interface Crew {
  /**
   * Lets them take requests: the first as soon as it can, the others after it.
   * @returns when the first does
   * @throws what kept the first from it
   */
  open(connection: ClientConfig): Promise<void>
  /** The one whose turn it is to be given a connection, of those that are free. */
  next: () => Hand | undefined
  /** Fails when workers end again and again right after their start. */
  readonly lost: Promise<never>
  load: () => { serving: number; starting: number }
  tellers(): Teller[]
  /** Whether every one has taken requests. */
  readonly complete: boolean
  /** Tells each of those that take requests. */
  tell: (message: ToWorker) => void
  /** Lets each say that it goes soon, those as well that begin now. */
  drain: () => void
  /** Lets each finish what it has under way, and waits until all have ended. */
  stop: () => Promise<void>
  /** Ends them at once. */
  dismiss: () => void
}

export interface CrewOptions {
  size: number
  log: Logger
  /** What `/metrics` answers, whichever worker is asked. */
  renderFigures: () => Promise<RenderedFigures>
  hasEnded: (teller: Teller) => void
  /** One of them can be given a connection. */
  isFree: () => void
  /** One takes requests from now on. */
  begins: (hand: Hand) => void
  /** So many connections have come to one of them by themselves. */
  came: (count: number) => void
}

/** Who has worked for this long did not fail at its start. */
const STEADY = 10 * SECOND
/** So many may end early at one place, one after the other, before the service gives up: 15 seconds of pauses lie between. */
const MOST_EARLY_ENDS = 6
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = 8 * SECOND
/** The first answers before the others take the processor to start. */
const HEAD_START = SECOND / 4

const MAIN = join(import.meta.dirname, '..', 'main.ts')

export function createCrew({ size, log, renderFigures, hasEnded, isFree, begins, came }: CrewOptions): Crew {
  const hands = new Map<number, Hand>()
  const opened = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<never>()
  // Whoever waits for them is told, also when they fail before.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let connection: ClientConfig | undefined
  /** Whether the first has taken requests. */
  let begun = false
  let complete = false
  let draining = false
  /** Who was given a connection last. */
  let last = 0
  let stopping = false

  // The first one brings up its code while the database is opened.
  cluster.setupPrimary({ exec: MAIN, serialization: 'advanced' })
  hire(1)

  /** @param earlyEnds how many ended early at this place, one after the other */
  function hire(number: number, earlyEnds = 0): void {
    if (stopping) return
    const hand: Hand = hireHand({
      number,
      log,
      renderFigures,
      serves: () => serves(hand),
      took: isFree,
      came,
      ended: (end) => ended(hand, end, earlyEnds),
    })
    hands.set(number, hand)
    if (connection) start(hand, connection)
  }

  function start(hand: Hand, to: ClientConfig): void {
    hand.send({ kind: 'start', worker: hand.number, connection: to, complete })
  }

  function serves(hand: Hand): void {
    if (draining) hand.send({ kind: 'drain' })
    begins(hand)
    if (!begun) {
      begun = true
      opened.resolve()
      // A stop does not wait for those who have not been hired.
      setTimeout(hireOthers, HEAD_START).unref()
    }
    isFree()
    if (complete || serving().length < size) return
    complete = true
    log.info({ workers: size }, 'all workers take requests')
    tell({ kind: 'complete' })
  }

  function hireOthers(): void {
    for (let number = 2; number <= size; number++) hire(number)
  }

  function ended(hand: Hand, { failure, lasted, ...how }: End, earlyEnds: number): void {
    const { number } = hand
    hands.delete(number)
    hasEnded(hand)
    if (stopping) return
    const reason = failure?.message
    const inShort = `worker ${number} ended with ${how.signal ?? `exit status ${how.code}`}`
    if (!begun) return opened.reject(failure ? errorOf(failure) : new Error(`${inShort} before it was ready.`))
    log.error({ which: number, ...how, reason }, 'a worker ended')
    // Without the database none can start: that passes, and those who work go on.
    const passing = failure?.passing === true
    const early = lasted >= STEADY ? 0 : passing ? earlyEnds : earlyEnds + 1
    if (early >= MOST_EARLY_ENDS)
      return lost.reject(
        new Error(`workers end again and again right after their start. The last: ${reason ?? `${inShort}.`}`),
      )
    setTimeout(hire, passing ? FIRST_PAUSE : pauseAfter(early), number, early).unref()
  }

  function serving(): Hand[] {
    return [...hands.values()].filter((hand) => hand.serving).sort((a, b) => a.number - b.number)
  }

  function tell(message: ToWorker): void {
    for (const hand of serving()) hand.send(message)
  }

  return {
    lost: lost.promise,
    async open(to) {
      connection = to
      for (const hand of hands.values()) start(hand, to)
      return opened.promise
    },
    next() {
      const free = serving().filter((hand) => hand.free)
      const hand = free.find(({ number }) => number > last) ?? free[0]
      last = hand?.number ?? last
      return hand
    },
    get complete() {
      return complete
    },
    load: () => ({ serving: serving().length, starting: size - serving().length }),
    tellers: serving,
    tell,
    drain() {
      draining = true
      tell({ kind: 'drain' })
    },
    async stop() {
      stopping = true
      await Promise.all([...hands.values()].map((hand) => hand.leave()))
    },
    dismiss() {
      stopping = true
      for (const hand of hands.values()) hand.kill()
    },
  }
}

/** None after the first: somebody has ended it, or it has met something rare. */
const pauseAfter = (earlyEnds: number) =>
  earlyEnds <= 1 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (earlyEnds - 2))
