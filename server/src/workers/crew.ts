import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { SECOND } from '../clock.ts'
import { DRAIN_TIMEOUT } from '../lifetimes.ts'
import type { Logger } from '../log.ts'
import type { Teller } from './figures.ts'
import { errorOf, type Failure, type Figures, type RenderedFigures, type ToFirst, type ToWorker } from './messages.ts'

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
/** So many may end early, one after the other, before the service gives up: half a minute with the pauses between. */
const MOST_EARLY_ENDS = 6
const FIRST_PAUSE = SECOND
const LONGEST_PAUSE = 8 * SECOND
/** The first answers before the others take the processor to start. */
const HEAD_START = SECOND / 4
/** What a worker may take longer to stop than its requests may. */
const STOP_SLACK = 5 * SECOND

const MAIN = join(import.meta.dirname, '..', 'main.ts')

interface Place extends Teller {
  number: number
  process: Worker
  since: number
  serving: boolean
  failure?: Failure
  /** Has been asked for its figures. */
  asked?: PromiseWithResolvers<Figures>
}

export function createCrew({ size, log, renderFigures, hasEnded }: CrewOptions): Crew {
  const places = new Map<number, Place>()
  const opened = Promise.withResolvers<number>()
  const lost = Promise.withResolvers<never>()
  // Whoever waits for them is told, also when they fail before.
  lost.promise.catch(() => {})
  opened.promise.catch(() => {})
  let earlyEnds = 0
  let connection: ClientConfig | undefined
  let isOpen = false
  let complete = false
  let stopping = false

  // The first one brings up its code while the database is opened.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: MAIN, serialization: 'advanced' })
  hire(1)

  function hire(number: number): void {
    const worker = cluster.fork()
    const place: Place = {
      number,
      process: worker,
      since: performance.now(),
      serving: false,
      tell: () => askForFigures(place),
    }
    places.set(number, place)
    closeWhatItNeverTook(worker)
    worker.on('message', (message: ToFirst) => hear(place, message))
    worker.on('error', (error) => log.warn({ err: error, which: number }, 'a worker could not be told something'))
    worker.once('exit', (code, signal) => ended(place, code, signal as string | null))
    if (connection) start(place, connection)
  }

  function start({ number, process }: Place, to: ClientConfig): void {
    send(process, { kind: 'start', worker: number, connection: to, complete })
  }

  function hear(place: Place, message: ToFirst): void {
    if (message.kind === 'listening') listening(place, message.port)
    else if (message.kind === 'failed') place.failure = message.failure
    else if (message.kind === 'figures') {
      place.asked?.resolve(message.figures)
      delete place.asked
    } else {
      const { question } = message
      renderFigures().then(
        (figures) => send(place.process, { kind: 'all figures', question, figures }),
        (error: unknown) => log.error({ err: error }, 'the figures could not be added up'),
      )
    }
  }

  function listening(place: Place, port: number): void {
    place.serving = true
    if (!isOpen) {
      isOpen = true
      opened.resolve(port)
      setTimeout(hireOthers, HEAD_START)
    }
    if (complete || places.size < size || ![...places.values()].every(({ serving }) => serving)) return
    complete = true
    log.info({ workers: size }, 'all workers take requests')
    for (const { process } of places.values()) send(process, { kind: 'complete' })
  }

  function hireOthers(): void {
    for (let number = 2; number <= size && !stopping; number++) hire(number)
  }

  function ended(place: Place, code: number | null, signal: string | null): void {
    places.delete(place.number)
    hasEnded(place)
    place.asked?.reject(new Error('the worker ended'))
    if (stopping) return
    const { failure, number, process } = place
    const how = `worker ${number} ended with ${signal ?? `exit status ${code}`}`
    if (!isOpen) return opened.reject(failure ? errorOf(failure) : new Error(`${how} before it was ready.`))
    log.error({ which: number, pid: process.process.pid, code, signal, reason: failure?.message }, 'a worker ended')
    if (performance.now() - place.since >= STEADY) earlyEnds = 0
    // Without the database none can start: that passes, and those who work go on.
    else if (failure?.passing !== true) earlyEnds++
    if (earlyEnds >= MOST_EARLY_ENDS)
      return lost.reject(
        new Error(`workers end again and again right after their start. The last: ${failure?.message ?? `${how}.`}`),
      )
    const pause = failure?.passing === true ? FIRST_PAUSE : pauseAfter(earlyEnds)
    setTimeout(() => {
      if (!stopping) hire(number)
    }, pause)
  }

  function askForFigures(place: Place): Promise<Figures> {
    if (!place.asked) {
      place.asked = Promise.withResolvers()
      send(place.process, { kind: 'tell figures' })
    }
    return place.asked.promise
  }

  return {
    lost: lost.promise,
    async open(to) {
      connection = to
      for (const place of places.values()) start(place, to)
      return opened.promise
    },
    load() {
      const serving = [...places.values()].filter((place) => place.serving).length
      return { serving, starting: size - serving }
    },
    tellers: () => [...places.values()].filter(({ serving }) => serving),
    async stop(notice) {
      stopping = true
      const leaving = [...places.values()].map(async ({ process, serving }) => {
        const exited = once(process, 'exit')
        if (!serving) process.process.kill('SIGKILL')
        const impatient = setTimeout(() => process.process.kill('SIGKILL'), notice + DRAIN_TIMEOUT + STOP_SLACK)
        send(process, { kind: 'stop', notice })
        await exited
        clearTimeout(impatient)
      })
      await Promise.all(leaving)
    },
    dismiss() {
      stopping = true
      for (const { process } of places.values()) process.process.kill('SIGKILL')
    },
  }
}

/**
 * A connection that was on its way to a worker when that ended would stay open and unanswered for ever: node:cluster waits
 * for the worker to say that it has it, and hands a worker one at a time.
 */
function closeWhatItNeverTook({ process }: Worker): void {
  const send = process.send.bind(process) as (...values: unknown[]) => boolean
  let onItsWay: { close(): void } | undefined
  process.send = (...values: unknown[]) => {
    const [, handle] = values
    if (handle) onItsWay = handle as { close(): void }
    return send(...values)
  }
  // Closing what was taken, and so is closed here, does nothing.
  process.once('exit', () => onItsWay?.close())
}

/** None after the first: somebody has ended it, or it has met something rare. */
const pauseAfter = (earlyEnds: number) =>
  earlyEnds <= 1 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (earlyEnds - 2))

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}
