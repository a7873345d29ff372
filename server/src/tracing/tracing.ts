import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Reader } from '../database/statement.ts'
import type { AccessLog, Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'

export type Attributes = Readonly<Record<string, string | number | undefined>>

type Handler<Result> = (request: IncomingMessage, response: ServerResponse) => Result

/** Where spans of OpenTelemetry are made. Without an endpoint to send them to each of these gives back what it is given. */
export interface Tracing {
  /** A request and its answer as the root of what happens meanwhile. */
  handler<Result>(handler: Handler<Result>): Handler<Result>
  /** Calls of the methods named are spans with these names. */
  methods<T extends object>(object: T, names: Partial<Record<keyof T, string>>): T
  /** Statements are spans with their names. */
  reader<T extends Reader>(reader: T): T
  /** What is logged of a request stands in its span, too. */
  accessLog(write: AccessLog): AccessLog
  /** Sends what is left. */
  close(): Promise<void>
}

export interface TracingDependencies {
  config: Pick<Config, 'traces'>
  clock: Clock
  random: Random
  log: Logger
}

const untraced: Tracing = {
  handler: (handler) => handler,
  methods: (object) => object,
  reader: (reader) => reader,
  accessLog: (write) => write,
  close: async () => {},
}

/** Loads what makes and sends spans only where OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export async function openTracing(deps: TracingDependencies): Promise<Tracing> {
  const { traces } = deps.config
  if (traces === undefined) return untraced
  const { createTracing } = await import('./spans.ts')
  return createTracing(deps, traces)
}
