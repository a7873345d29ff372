import cluster from 'node:cluster'
import type { Socket } from 'node:net'
import { SECOND } from '../clock.ts'
import { DRAIN_TIMEOUT } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import type { MetricsSource } from './aggregate-metrics.ts'
import type { Heartbeat, Heartbeats } from './heartbeat.ts'
import type { Failure, ProcessMetrics, RenderedMetrics, ToFirst, ToWorker } from './messages.ts'

/** A worker, as the first process sees it. */
export interface WorkerProcess extends MetricsSource {
  /** Its place in the pool. */
  readonly number: number
  /** Whether it takes requests. */
  readonly serving: boolean
  /** Whether it can be given a connection: it has taken the one before. */
  readonly free: boolean
  send(message: ToWorker): void
  /** Gives it a connection, when it is free. */
  give(socket: Socket): void
  /**
   * Lets it finish what it has under way, or ends it at once when it takes no requests yet.
   * @param notice milliseconds for which the service has said that it goes
   * @returns when it has ended
   */
  stop(notice: number): Promise<void>
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

export interface WorkerProcessOptions {
  number: number
  log: Logger
  heartbeats: Heartbeats
  /** What `/metrics` answers. */
  renderMetrics: () => Promise<RenderedMetrics>
  onServing: () => void
  /** It is free again. */
  onFree: () => void
  /** It has accepted so many connections itself. */
  onAccepted: (count: number) => void
  onEnded: (end: End) => void
}

/** What a worker may take longer to stop than its requests may. */
const STOP_SLACK = 5 * SECOND

/** Starts a process that brings up its code and then waits for the message `start`. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const { number, log, heartbeats, renderMetrics, onServing, onFree, onAccepted, onEnded } = options
  const since = performance.now()
  const worker = cluster.fork()
  const { process } = worker
  const { pid } = process
  let serving = false
  let failure: Failure | undefined
  /** It was asked for its metrics, and has not answered. */
  let reading: PromiseWithResolvers<ProcessMetrics> | undefined
  let heartbeat: Heartbeat | undefined
  let onItsWay: Socket | undefined
  /** What it was asked for whether it hears. */
  let askedFor: Socket | undefined
  let asking: NodeJS.Timeout | undefined

  worker.on('message', hear)
  worker.on('error', (error) => log.warn({ err: error, which: number }, 'a worker could not be told something'))
  worker.once('exit', (code, signal) => {
    heartbeat?.end()
    clearTimeout(asking)
    // Whether it was begun is unknown: who waits is told that nobody answers.
    onItsWay?.destroy()
    reading?.reject(new Error('the worker ended'))
    onEnded({ pid, code, signal, lasted: performance.now() - since, failure })
  })

  function hear(message: ToFirst): void {
    switch (message.kind) {
      case 'serving':
        serving = true
        heartbeat = heartbeats.watch({ ask: () => send({ kind: 'ping' }), onStandstill: replace })
        return onServing()
      case 'taken':
        // The worker holds it; this process lets go of its own end.
        return letGo()
      case 'accepted':
        return onAccepted(message.count)
      case 'failed':
        failure = message.failure
        return
      case 'pong':
        // It heard what was said behind the connection, but not of that: it had no file descriptor left for it.
        if (onItsWay && onItsWay === askedFor) letGo()
        return heartbeat?.answered()
      case 'metrics':
        reading?.resolve(message.metrics)
        reading = undefined
        return
      case 'no metrics':
        log.error({ which: number, reason: message.reason }, 'a worker could not read its metrics')
        reading?.reject(new Error(message.reason))
        reading = undefined
        return
      case 'ask for all metrics':
        void sendAllMetrics(message.question)
    }
  }

  async function sendAllMetrics(question: number): Promise<void> {
    try {
      send({ kind: 'all metrics', question, metrics: await renderMetrics() })
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be added up')
      send({ kind: 'no metrics', question, reason: String(error) })
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
    onFree()
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
    give(socket) {
      onItsWay = socket
      asking = setTimeout(askForIt, SECOND).unref()
      worker.process.send({ kind: 'connection' } satisfies ToWorker, socket, { keepOpen: true })
    },
    readMetrics() {
      if (!reading) {
        reading = Promise.withResolvers()
        send({ kind: 'read metrics' })
      }
      return reading.promise
    },
    async stop(notice) {
      // Not events.once: that fails when the worker cannot be told to stop.
      const exited = new Promise((done) => process.once('exit', done))
      if (!serving) kill()
      else send({ kind: 'stop', notice })
      const impatient = setTimeout(kill, DRAIN_TIMEOUT + STOP_SLACK)
      await exited
      clearTimeout(impatient)
    },
    kill,
  }
}
