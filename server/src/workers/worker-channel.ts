import type { Socket } from 'node:net'
import type { ClientConfig } from 'pg'
import type { Accept, Address } from '../http/listeners.ts'
import { STOP_SIGNALS } from '../lifetimes.ts'
import type { Failure, ProcessMetrics, RenderedMetrics, ToFirst, ToWorker } from './messages.ts'

/** What a worker hears from the first process, and tells it. The end of the first process is that of the worker. */
export interface WorkerChannel {
  /** Answers when the database is there. */
  started(): Promise<Start>
  /** Whether every worker of the instance has taken requests. */
  isComplete: () => boolean
  /** What `/metrics` answers: the metrics of all processes. */
  renderMetrics: () => Promise<RenderedMetrics>
  /** Answers when the service is about to stop. */
  drainAsked(): Promise<void>
  /** Answers when it is time to stop: for how many milliseconds the service has said so. */
  stopAsked(): Promise<number>
  /** Takes the connections that it is given from now on. */
  serve(service: WorkerService): void
  /** Says how many connections it has accepted itself. */
  tellAccepted: (count: number) => void
  failed(failure: Failure): Promise<void>
}

/** What a worker does that takes requests. */
export interface WorkerService {
  /** Takes a connection that the first process has accepted. */
  adopt: Accept
  /** Accepts connections itself. */
  listen: (at: Address) => Promise<void>
  /** No longer. */
  stopListening: () => Promise<void>
  readMetrics: () => Promise<ProcessMetrics>
}

/** What a worker is told that is to take requests. */
export interface Start {
  number: number
  connection: ClientConfig
}

export function openWorkerChannel(): WorkerChannel {
  // Ctrl-C reaches all processes of the terminal; the first one says what is to be done.
  for (const signal of STOP_SIGNALS) process.on(signal, () => {})
  const start = Promise.withResolvers<Start>()
  const drain = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<number>()
  const questions = new Map<number, PromiseWithResolvers<RenderedMetrics>>()
  let complete = false
  let asked = 0
  let service: WorkerService | undefined

  process.on('message', (message: ToWorker, socket: Socket | undefined) => {
    switch (message.kind) {
      case 'start':
        complete ||= message.complete
        return start.resolve({ number: message.worker, connection: message.connection })
      case 'connection':
        if (socket) service?.adopt(socket)
        return send({ kind: 'taken' })
      case 'listen':
        return void service?.listen(message.address)
      case 'stop listening':
        return void service?.stopListening()
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
      case 'drain':
        return drain.resolve()
      case 'stop':
        return stop.resolve(message.notice)
    }
  })

  async function sendOwnMetrics(): Promise<void> {
    try {
      if (service) send({ kind: 'metrics', metrics: await service.readMetrics() })
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
    drainAsked: () => drain.promise,
    stopAsked: () => stop.promise,
    tellAccepted: (count) => send({ kind: 'accepted', count }),
    serve(what) {
      service = what
      send({ kind: 'serving' })
    },
    failed: (failure) =>
      new Promise((resolve) => process.send?.({ kind: 'failed', failure }, undefined, {}, () => resolve())),
  }
}

function send(message: ToFirst): void {
  if (process.connected) process.send?.(message)
}
