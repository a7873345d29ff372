import cluster from 'node:cluster'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Teller } from './figures.ts'
import { type End, type Hand, hireHand } from './hand.ts'
import { errorOf, type RenderedFigures } from './messages.ts'

/** The worker processes of this instance: they take the requests that come in at its one port. */
export interface Crew {
  /**
   * Lets them take requests: the first as soon as it can, the others after it.
   * @returns the port, when the first does
   * @throws what kept the first from it
   */
  open(connection: ClientConfig): Promise<number>
  /** Fails when workers end again and again right after their start. */
  readonly lost: Promise<never>
  load: () => { serving: number; starting: number }
  tellers(): Teller[]
  /** Lets each finish what it has under way, and waits until all have ended. @param notice milliseconds */
  stop: (notice: number) => Promise<void>
  /** Ends them at once. */
  dismiss: () => void
}

export interface CrewOptions {
  size: number
  log: Logger
  /** What `/metrics` answers, whichever worker is asked. */
  renderFigures: () => Promise<RenderedFigures>
  hasEnded: (teller: Teller) => void
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

export function createCrew({ size, log, renderFigures, hasEnded }: CrewOptions): Crew {
  const hands = new Map<number, Hand>()
  const opened = Promise.withResolvers<number>()
  const lost = Promise.withResolvers<never>()
  // Whoever waits for them is told, also when they fail before.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let connection: ClientConfig | undefined
  /** Where the first has listened, and so everybody after it. */
  let port: number | undefined
  let complete = false
  let stopping = false

  // The first one brings up its code while the database is opened.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: MAIN, serialization: 'advanced' })
  hire(1)

  /** @param earlyEnds how many ended early at this place, one after the other */
  function hire(number: number, earlyEnds = 0): void {
    if (stopping) return
    const hand: Hand = hireHand({
      number,
      log,
      renderFigures,
      listens,
      ended: (end) => ended(hand, end, earlyEnds),
    })
    hands.set(number, hand)
    if (connection) start(hand, connection)
  }

  function start(hand: Hand, to: ClientConfig): void {
    hand.send({ kind: 'start', worker: hand.number, connection: to, port, complete })
  }

  function listens(at: number): void {
    if (port === undefined) {
      port = at
      opened.resolve(at)
      // A stop does not wait for those who have not been hired.
      setTimeout(hireOthers, HEAD_START).unref()
    }
    if (complete || serving().length < size) return
    complete = true
    log.info({ workers: size }, 'all workers take requests')
    for (const hand of hands.values()) hand.send({ kind: 'complete' })
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
    if (port === undefined)
      return opened.reject(failure ? errorOf(failure) : new Error(`${inShort} before it was ready.`))
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
    return [...hands.values()].filter((hand) => hand.serving)
  }

  return {
    lost: lost.promise,
    async open(to) {
      connection = to
      for (const hand of hands.values()) start(hand, to)
      return opened.promise
    },
    load: () => ({ serving: serving().length, starting: size - serving().length }),
    tellers: serving,
    async stop(notice) {
      stopping = true
      await Promise.all([...hands.values()].map((hand) => hand.leave(notice)))
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
