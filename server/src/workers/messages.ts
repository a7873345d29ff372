import type { ClientConfig } from 'pg'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Address } from '../http/doors.ts'

/** What the first process and its workers tell each other. */

/** The figures of one process, as the registry answers them. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

export interface RenderedFigures {
  type: string
  body: string
}

export type ToWorker =
  | { kind: 'start'; worker: number; connection: ClientConfig; complete: boolean }
  /** Comes with a socket, unless that has gone on the way. */
  | { kind: 'connection' }
  /** More come at the address than can be handed over. */
  | { kind: 'crowd'; at: Address }
  /** No longer. */
  | { kind: 'quiet' }
  /** Every worker that was wanted at the start of the service takes requests. */
  | { kind: 'complete' }
  | { kind: 'ping' }
  | { kind: 'tell figures' }
  | { kind: 'all figures'; question: number; figures: RenderedFigures }
  | { kind: 'no figures'; question: number; reason: string }
  /** Go on answering, and say that it ends soon. */
  | { kind: 'drain' }
  | { kind: 'stop' }

export type ToFirst =
  | { kind: 'serving' }
  /** The connection is in its hands, and it can have the next. */
  | { kind: 'taken' }
  /** So many more have come to it by themselves in the crowd. */
  | { kind: 'came'; count: number }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'pong' }
  | { kind: 'figures'; figures: Figures }
  | { kind: 'no figures'; reason: string }
  | { kind: 'ask for all figures'; question: number }

/** Why a worker could not start. */
export interface Failure {
  message: string
  code: string | undefined
  port: number | undefined
  /** Whether it passes by itself: the database cannot be reached. */
  passing: boolean
}

export function failureOf(error: unknown, passing: boolean): Failure {
  const { code, port } = error as { code?: string; port?: number }
  return { message: error instanceof Error ? error.message : String(error), code, port, passing }
}

/** As it would have been thrown in this process. */
export const errorOf = ({ message, code, port }: Failure) => Object.assign(new Error(message), { code, port })
