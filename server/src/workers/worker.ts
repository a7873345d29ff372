import type { ClientConfig } from 'pg'
import type { Failure, Figures, RenderedFigures, ToFirst, ToWorker } from './messages.ts'

/** What a worker hears from the first process, and tells it. The end of the first process is that of the worker. */
export interface Worker {
  /** Answers when the database is there. */
  started(): Promise<{ number: number; connection: ClientConfig }>
  /** Whether every worker of the instance has taken requests. */
  isComplete: () => boolean
  /** What `/metrics` answers: the figures of all processes. */
  renderFigures: () => Promise<RenderedFigures>
  /** Answers how long to go on answering before it stops, in milliseconds. */
  told(): Promise<number>
  listens(port: number, figures: () => Promise<Figures>): void
  failed(failure: Failure): Promise<void>
}

export function becomeWorker(): Worker {
  // Ctrl-C reaches all processes of the terminal; the first one says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const start = Promise.withResolvers<{ number: number; connection: ClientConfig }>()
  const stop = Promise.withResolvers<number>()
  const questions = new Map<number, (figures: RenderedFigures) => void>()
  let complete = false
  let asked = 0
  let tellFigures: (() => Promise<Figures>) | undefined

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'start') {
      complete ||= message.complete
      start.resolve({ number: message.worker, connection: message.connection })
    } else if (message.kind === 'complete') complete = true
    else if (message.kind === 'stop') stop.resolve(message.notice)
    else if (message.kind === 'tell figures') void tellFigures?.().then((figures) => send({ kind: 'figures', figures }))
    else {
      questions.get(message.question)?.(message.figures)
      questions.delete(message.question)
    }
  })

  return {
    started: () => start.promise,
    isComplete: () => complete,
    renderFigures: () =>
      new Promise((resolve) => {
        const question = ++asked
        questions.set(question, resolve)
        send({ kind: 'ask for all figures', question })
      }),
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
