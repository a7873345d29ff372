import type { ClientConfig } from 'pg'
import type { Failure, Figures, RenderedFigures, ToFirst, ToWorker } from './messages.ts'

/** What a worker hears from the first process, and tells it. The end of the first process is that of the worker. */
export interface Worker {
  /** Answers when the database is there. */
  started(): Promise<Start>
  /** Whether every worker of the instance has taken requests. */
  isComplete: () => boolean
  /** What `/metrics` answers: the figures of all processes. */
  renderFigures: () => Promise<RenderedFigures>
  /** Answers how long to go on answering before it stops, in milliseconds. */
  told(): Promise<number>
  listens(port: number, figures: () => Promise<Figures>): void
  failed(failure: Failure): Promise<void>
}

/** What a worker is told that is to take requests. */
export interface Start {
  number: number
  connection: ClientConfig
  /** The port of the instance, when it has taken one. */
  port: number | undefined
}

export function becomeWorker(): Worker {
  // Ctrl-C reaches all processes of the terminal; the first one says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const start = Promise.withResolvers<Start>()
  const stop = Promise.withResolvers<number>()
  const questions = new Map<number, PromiseWithResolvers<RenderedFigures>>()
  let complete = false
  let asked = 0
  let tellFigures: (() => Promise<Figures>) | undefined

  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'start':
        complete ||= message.complete
        return start.resolve({ number: message.worker, connection: message.connection, port: message.port })
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
      case 'stop':
        return stop.resolve(message.notice)
    }
  })

  async function tellOwnFigures(): Promise<void> {
    try {
      if (tellFigures) send({ kind: 'figures', figures: await tellFigures() })
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
    told: () => stop.promise,
    listens(port, figures) {
      tellFigures = figures
      send({ kind: 'listening', port })
    },
    failed: (failure) =>
      new Promise((resolve) => process.send?.({ kind: 'failed', failure }, undefined, {}, () => resolve())),
  }
}

function send(message: ToFirst): void {
  if (process.connected) process.send?.(message)
}
