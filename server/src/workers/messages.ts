import type { ClientConfig } from 'pg'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** What the first process and its workers tell each other. */

/** The figures of one process, as the registry answers them. */
export type Figures = MetricObjectWithValues<MetricValue<string>>[]

export interface RenderedFigures {
  type: string
  body: string
}

export type ToWorker =
  /** @param port the one that the instance has already, which with PORT=0 the first worker took */
  | { kind: 'start'; worker: number; connection: ClientConfig; port: number | undefined; complete: boolean }
  /** Every worker that was wanted at the start of the service takes requests. */
  | { kind: 'complete' }
  | { kind: 'ping' }
  | { kind: 'tell figures' }
  | { kind: 'all figures'; question: number; figures: RenderedFigures }
  | { kind: 'no figures'; question: number; reason: string }
  /** @param notice milliseconds */
  | { kind: 'stop'; notice: number }

export type ToFirst =
  | { kind: 'listening'; port: number }
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
