import type { ClientConfig } from 'pg'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Address } from '../http/listeners.ts'

/** Messages between the first process and its workers. */

/** The metrics of one process, as the registry returns them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

export interface RenderedMetrics {
  type: string
  body: string
}

export type ToWorker =
  /** Without `shared`, no process of this instance listens yet, and the worker checks that the address is free. */
  | { kind: 'start'; worker: number; connection: ClientConfig; address: Address; shared: boolean; complete: boolean }
  /** All workers of the start of the service serve requests. */
  | { kind: 'complete' }
  | { kind: 'ping' }
  | { kind: 'read metrics' }
  | { kind: 'all metrics'; question: number; metrics: RenderedMetrics }
  | { kind: 'no metrics'; question: number; reason: string }
  /** Reports for `notice` milliseconds that the service stops, then finishes running requests. */
  | { kind: 'stop'; notice: number }

export type ToFirst =
  | { kind: 'serving'; address: Address }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'pong' }
  | { kind: 'metrics'; metrics: ProcessMetrics }
  | { kind: 'no metrics'; reason: string }
  | { kind: 'ask for all metrics'; question: number }

/** The reason why a worker could not start. */
export interface Failure {
  message: string
  code: string | undefined
  port: number | undefined
  /** Whether the failure is temporary, because the database cannot be reached. */
  temporary: boolean
}

export function failureOf(error: unknown, temporary: boolean): Failure {
  const { code, port } = error as { code?: string; port?: number }
  return { message: error instanceof Error ? error.message : String(error), code, port, temporary }
}

/** Converts it to the error that this process would have thrown. */
export const errorOf = ({ message, code, port }: Failure) => Object.assign(new Error(message), { code, port })
