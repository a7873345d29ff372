import cluster from 'node:cluster'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { DRAIN_TIMEOUT } from '../lifetimes.ts'
import type { Logger } from '../log.ts'
import type { Teller } from './figures.ts'
import type { Failure, Figures, RenderedFigures, ToFirst, ToWorker } from './messages.ts'
import { type Pulse, watchPulse } from './pulse.ts'

/** A worker, as the first process sees it. */
export interface Hand extends Teller {
  /** Which of the crew it is. */
  readonly number: number
  /** Whether it takes requests. */
  readonly serving: boolean
  /** Whether it can be given a connection: it has taken the one before. */
  readonly free: boolean
  send(message: ToWorker): void
  /** Gives it a connection, when it is free. */
  take(socket: Socket): void
  /**
   * Lets it finish what it has under way, or ends it at once when it takes no requests yet.
   * @returns when it has ended
   */
  leave(): Promise<void>
  /** Ends it at once. */
  kill(): void
}

/** How a worker came to its end. */
export interface End {
  pid: number | undefined
  code: number | null
  signal: string | null
  /** How long it was there, in milliseconds. */
  lasted: number
  /** Why it could not start, when it could say so. */
  failure: Failure | undefined
}

export interface HandOptions {
  number: number
  log: Logger
  /** What `/metrics` answers. */
  renderFigures: () => Promise<RenderedFigures>
  serves: () => void
  /** It is free again. */
  took: () => void
  /** So many connections have come to it by themselves. */
  came: (count: number) => void
  ended: (end: End) => void
}

/** What a worker may take longer to stop than its requests may. */
const STOP_SLACK = 5 * SECOND

/** Starts a process that brings up its code and then waits for the message `start`. */
export function hireHand({ number, log, renderFigures, serves, took, came, ended }: HandOptions): Hand {
  const since = performance.now()
  const worker = cluster.fork()
  const { process } = worker
  const { pid } = process
  let serving = false
  let failure: Failure | undefined
  /** It was asked for its figures, and has not answered. */
  let asked: PromiseWithResolvers<Figures> | undefined
  let pulse: Pulse | undefined
  let onItsWay: Socket | undefined
  /** What it was asked for whether it hears. */
  let askedFor: Socket | undefined
  let asking: NodeJS.Timeout | undefined

  worker.on('message', hear)
  worker.on('error', (error) => log.warn({ err: error, which: number }, 'a worker could not be told something'))
  worker.once('exit', (code, signal) => {
    pulse?.end()
    clearTimeout(asking)
    // Whether it was begun is unknown: who waits is told that nobody answers.
    onItsWay?.destroy()
    asked?.reject(new Error('the worker ended'))
    ended({ pid, code, signal, lasted: performance.now() - since, failure })
  })

  function hear(message: ToFirst): void {
    switch (message.kind) {
      case 'serving':
        serving = true
        pulse = watchPulse({ ask: () => send({ kind: 'ping' }), stopped: replace })
        return serves()
      case 'taken':
        // The worker holds it; this process lets go of its own end.
        return letGo()
      case 'came':
        return came(message.count)
      case 'failed':
        failure = message.failure
        return
      case 'pong':
        // It heard what was said behind the connection, but not of that: it had no file descriptor left for it.
        if (onItsWay && onItsWay === askedFor) letGo()
        return pulse?.felt()
      case 'figures':
        asked?.resolve(message.figures)
        asked = undefined
        return
      case 'no figures':
        log.error({ which: number, reason: message.reason }, 'a worker could not tell its figures')
        asked?.reject(new Error(message.reason))
        asked = undefined
        return
      case 'ask for all figures':
        void tellAllFigures(message.question)
    }
  }

  async function tellAllFigures(question: number): Promise<void> {
    try {
      send({ kind: 'all figures', question, figures: await renderFigures() })
    } catch (error) {
      log.error({ err: error }, 'the figures could not be added up')
      send({ kind: 'no figures', question, reason: String(error) })
    }
  }

  function askForIt(): void {
    askedFor = onItsWay
    send({ kind: 'ping' })
  }

  function letGo(): void {
    clearTimeout(asking)
    onItsWay?.destroy()
    onItsWay = undefined
    took()
  }

  /** Whoever waits for it waits in vain; its end makes room for another. */
  function replace(): void {
    log.error({ which: number, pid }, 'a worker stands still and is ended')
    kill()
  }

  function send(message: ToWorker): void {
    if (worker.isConnected()) worker.send(message)
  }

  function kill(): void {
    process.kill('SIGKILL')
  }

  return {
    number,
    get serving() {
      return serving
    },
    get free() {
      return serving && onItsWay === undefined && worker.isConnected()
    },
    send,
    take(socket) {
      onItsWay = socket
      asking = setTimeout(askForIt, SECOND).unref()
      worker.process.send({ kind: 'connection' } satisfies ToWorker, socket, { keepOpen: true })
    },
    tell() {
      if (!asked) {
        asked = Promise.withResolvers()
        send({ kind: 'tell figures' })
      }
      return asked.promise
    },
    async leave() {
      // Not events.once: that fails when the worker cannot be told to stop.
      const exited = new Promise((done) => process.once('exit', done))
      if (!serving) kill()
      else send({ kind: 'stop' })
      const impatient = setTimeout(kill, DRAIN_TIMEOUT + STOP_SLACK)
      await exited
      clearTimeout(impatient)
    },
    kill,
  }
}
