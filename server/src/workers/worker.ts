import type { Socket } from 'node:net'
import type { ClientConfig } from 'pg'
import type { Address, Take } from '../http/doors.ts'
import type { Failure, Figures, RenderedFigures, ToFirst, ToWorker } from './messages.ts'

/** What a worker hears from the first process, and tells it. The end of the first process is that of the worker. */
export interface Worker {
  /** Answers when the database is there. */
  started(): Promise<Start>
  /** Whether every worker of the instance has taken requests. */
  isComplete: () => boolean
  /** What `/metrics` answers: the figures of all processes. */
  renderFigures: () => Promise<RenderedFigures>
  /** Answers when the service is about to stop. */
  drainAsked(): Promise<void>
  /** Answers when it is time to stop. */
  stopAsked(): Promise<void>
  /** Takes the connections that it is given from now on. */
  serves(service: Service): void
  /** Says how many connections came to it by themselves. */
  tellCame: (count: number) => void
  failed(failure: Failure): Promise<void>
}

/** What a worker does that takes requests. */
export interface Service {
  take: Take
  /** More come at the address than it can be given. */
  crowd: (at: Address) => Promise<void>
  /** No longer. */
  quiet: () => Promise<void>
  figures: () => Promise<Figures>
}

/** What a worker is told that is to take requests. */
export interface Start {
  number: number
  connection: ClientConfig
}

export function becomeWorker(): Worker {
  // Ctrl-C reaches all processes of the terminal; the first one says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const start = Promise.withResolvers<Start>()
  const drain = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()
  const questions = new Map<number, PromiseWithResolvers<RenderedFigures>>()
  let complete = false
  let asked = 0
  let service: Service | undefined

  process.on('message', (message: ToWorker, socket: Socket | undefined) => {
    switch (message.kind) {
      case 'start':
        complete ||= message.complete
        return start.resolve({ number: message.worker, connection: message.connection })
      case 'connection':
        if (socket) service?.take(socket)
        return send({ kind: 'taken' })
      case 'crowd':
        return void service?.crowd(message.at)
      case 'quiet':
        return void service?.quiet()
      case 'complete':
        complete = true
        return
      case 'ping':
        return send({ kind: 'pong' })
      case 'tell figures':
        void tellOwnFigures()
        return
      case 'all figures':
        questions.get(message.question)?.resolve(message.figures)
        return
      case 'no figures':
        questions.get(message.question)?.reject(new Error(message.reason))
        return
      case 'drain':
        return drain.resolve()
      case 'stop':
        return stop.resolve()
    }
  })

  async function tellOwnFigures(): Promise<void> {
    try {
      if (service) send({ kind: 'figures', figures: await service.figures() })
    } catch (error) {
      send({ kind: 'no figures', reason: String(error) })
    }
  }

  return {
    started: () => start.promise,
    isComplete: () => complete,
    async renderFigures() {
      const question = ++asked
      const answer = Promise.withResolvers<RenderedFigures>()
      questions.set(question, answer)
      send({ kind: 'ask for all figures', question })
      return answer.promise.finally(() => questions.delete(question))
    },
    drainAsked: () => drain.promise,
    stopAsked: () => stop.promise,
    tellCame: (count) => send({ kind: 'came', count }),
    serves(what) {
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
