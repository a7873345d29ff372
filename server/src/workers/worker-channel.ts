import type { Address } from '../http/listeners.ts'
import { STOP_SIGNALS } from '../lifetimes.ts'
import type { Failure, ProcessMetrics, RenderedMetrics, ToFirst, ToWorker } from './messages.ts'

/** The messages between a worker and the first process. If the first process ends, the worker ends too. */
export interface WorkerChannel {
  /** Resolves when the database is available. */
  started(): Promise<Start>
  /** Whether every worker of the instance has accepted requests. */
  isComplete: () => boolean
  /** Renders the response of `/metrics`, with the metrics of all processes. */
  renderMetrics: () => Promise<RenderedMetrics>
  /** Resolves when it is time to stop, with the notice in milliseconds. */
  stopAsked(): Promise<number>
  /** Reports that the worker serves requests. From then on, it responds with its metrics. */
  serves(address: Address, readMetrics: ReadMetrics): void
  failed(failure: Failure): Promise<void>
}

type ReadMetrics = () => Promise<ProcessMetrics>
type Start = Extract<ToWorker, { kind: 'start' }>

export function openWorkerChannel(): WorkerChannel {
  // Ctrl-C reaches all processes of the terminal; the first process tells the workers to stop.
  for (const signal of STOP_SIGNALS) process.on(signal, () => {})
  const start = Promise.withResolvers<Start>()
  const stop = Promise.withResolvers<number>()
  const questions = new Map<number, PromiseWithResolvers<RenderedMetrics>>()
  let complete = false
  let asked = 0
  let readMetrics: ReadMetrics | undefined

  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'start':
        complete ||= message.complete
        return start.resolve(message)
      case 'complete':
        complete = true
        return
      case 'ping':
        return send({ kind: 'pong' })
      case 'read metrics':
        void sendOwnMetrics()
        return
      case 'all metrics':
        questions.get(message.question)?.resolve(message.metrics)
        return
      case 'no metrics':
        questions.get(message.question)?.reject(new Error(message.reason))
        return
      case 'stop':
        return stop.resolve(message.notice)
    }
  })

  async function sendOwnMetrics(): Promise<void> {
    try {
      if (readMetrics) send({ kind: 'metrics', metrics: await readMetrics() })
    } catch (error) {
      send({ kind: 'no metrics', reason: String(error) })
    }
  }

  return {
    started: () => start.promise,
    isComplete: () => complete,
    async renderMetrics() {
      const question = ++asked
      const answer = Promise.withResolvers<RenderedMetrics>()
      questions.set(question, answer)
      send({ kind: 'ask for all metrics', question })
      return answer.promise.finally(() => questions.delete(question))
    },
    stopAsked: () => stop.promise,
    serves(address, read) {
      readMetrics = read
      send({ kind: 'serving', address })
    },
    failed: (failure) =>
      new Promise((resolve) => process.send?.({ kind: 'failed', failure }, undefined, {}, () => resolve())),
  }
}

function send(message: ToFirst): void {
  if (process.connected) process.send?.(message)
}
