import cluster from 'node:cluster'
import { type MonotonicClock, SECOND } from '../clock.ts'
import { DRAIN_TIMEOUT } from '../lifetimes.ts'
import type { Address } from '../http/listeners.ts'
import type { Logger } from '../logging/log.ts'
import type { MetricsSource } from './aggregate-metrics.ts'
import type { Heartbeat, Heartbeats } from './heartbeat.ts'
import type { Failure, ProcessMetrics, RenderedMetrics, ToFirst, ToWorker } from './messages.ts'

/** A worker process, for the first process. */
export interface WorkerProcess extends MetricsSource {
  /** Its number in the pool. */
  readonly number: number
  /** Whether it accepts requests. */
  readonly serving: boolean
  send(message: ToWorker): void
  /**
   * Lets it finish its requests, or ends it immediately if it does not serve requests yet. Resolves when it has ended.
   * @param notice milliseconds for which it reports the stop first
   */
  stop(notice: number): Promise<void>
  kill(): void
}

/** How a worker process ended. */
export interface WorkerExit {
  pid: number | undefined
  code: number | null
  signal: string | null
  /** The time between its start and its end, in milliseconds. */
  lasted: number
  /** The reason why it could not start, if it has reported one. */
  failure: Failure | undefined
}

export interface WorkerProcessOptions {
  number: number
  clock: MonotonicClock
  log: Logger
  heartbeats: Heartbeats
  /** Renders the response of `/metrics`. */
  renderMetrics: () => Promise<RenderedMetrics>
  onServing: (address: Address) => void
  onEnded: (exit: WorkerExit) => void
}

/** After its last request, a worker has this long to stop. */
const STOP_SLACK = 5 * SECOND

/** Starts a process that loads its code and then waits for the message `start`. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  const { number, clock, log, heartbeats, renderMetrics, onServing, onEnded } = options
  const since = clock.monotonic()
  const worker = cluster.fork()
  const { process } = worker
  const { pid } = process
  let serving = false
  let failure: Failure | undefined
  /** Its metrics were requested, and it has not responded yet. */
  let reading: PromiseWithResolvers<ProcessMetrics> | undefined
  let heartbeat: Heartbeat | undefined

  worker.on('message', hear)
  worker.on('error', (error) => log.warn({ err: error, which: number }, 'a worker could not be told something'))
  worker.once('exit', (code, signal) => {
    heartbeat?.end()
    reading?.reject(new Error('the worker ended'))
    onEnded({ pid, code, signal, lasted: clock.monotonic() - since, failure })
  })

  function hear(message: ToFirst): void {
    switch (message.kind) {
      case 'serving':
        serving = true
        heartbeat = heartbeats.watch({ ask: () => send({ kind: 'ping' }), onUnresponsive: replace })
        return onServing(message.address)
      case 'failed':
        failure = message.failure
        return
      case 'pong':
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
      log.error({ err: error }, 'could not add up the metrics')
      send({ kind: 'no metrics', question, reason: String(error) })
    }
  }

  function replace(): void {
    log.error({ which: number, pid }, 'a worker does not respond and is stopped')
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
    send,
    readMetrics() {
      if (!reading) {
        reading = Promise.withResolvers()
        send({ kind: 'read metrics' })
      }
      return reading.promise
    },
    async stop(notice) {
      // Not events.once: it fails if the stop message cannot be sent to the worker.
      const exited = new Promise((done) => process.once('exit', done))
      if (!serving) kill()
      else send({ kind: 'stop', notice })
      const impatient = setTimeout(kill, notice + DRAIN_TIMEOUT + STOP_SLACK)
      await exited
      clearTimeout(impatient)
    },
    kill,
  }
}
