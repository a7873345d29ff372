import type { ClientConfig } from 'pg'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Address } from '../http/listeners.ts'

/** What the first process and its workers tell each other. */

/** The metrics of one process, as the registry answers them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

export interface RenderedMetrics {
  type: string
  body: string
}

export type ToWorker =
  | { kind: 'start'; worker: number; connection: ClientConfig; complete: boolean }
  /** Comes with a socket, unless that has gone on the way. */
  | { kind: 'connection' }
  /** A surge: more connections come to the address than can be dispatched. */
  | { kind: 'listen'; address: Address }
  /** It is over. */
  | { kind: 'stop listening' }
  /** Every worker that was wanted at the start of the service takes requests. */
  | { kind: 'complete' }
  | { kind: 'ping' }
  | { kind: 'read metrics' }
  | { kind: 'all metrics'; question: number; metrics: RenderedMetrics }
  | { kind: 'no metrics'; question: number; reason: string }
  /** Go on answering, and say that it ends soon. */
  | { kind: 'drain' }
  /** It has gone on for so many milliseconds. */
  | { kind: 'stop'; notice: number }

export type ToFirst =
  | { kind: 'serving' }
  /** It has the connection, and can have the next. */
  | { kind: 'taken' }
  /** It has accepted so many more at sockets of its own. */
  | { kind: 'accepted'; count: number }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'pong' }
  | { kind: 'metrics'; metrics: ProcessMetrics }
  | { kind: 'no metrics'; reason: string }
  | { kind: 'ask for all metrics'; question: number }

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
