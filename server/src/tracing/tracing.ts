import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import type { AccessLog, Logger } from '../logging/log.ts'

type Handler<Result> = (request: IncomingMessage, response: ServerResponse) => Result

/** Wraps functions so that their calls become OpenTelemetry spans. Without a collector, returns them unchanged. */
export interface Tracing {
  /** Makes each request the root span of the work that it causes, or a child of the span in its `traceparent`. */
  handler<Result>(handler: Handler<Result>): Handler<Result>
  /** @param names - the span name of each method to trace */
  methods<T extends object>(object: T, names: Partial<Record<keyof T, string>>): T
  /** Spans have the names of the prepared statements. */
  reader<T extends Reader>(reader: T): T
  /** Copies the request id, token id and operation of each line to the span of the request. */
  accessLog(write: AccessLog): AccessLog
  /** Sends the remaining spans. */
  close(): Promise<void>
}

const disabled: Tracing = {
  handler: (handler) => handler,
  methods: (object) => object,
  reader: (reader) => reader,
  accessLog: (write) => write,
  close: async () => {},
}

/** Loads the OpenTelemetry SDK only if OTEL_EXPORTER_OTLP_ENDPOINT is set: loading takes time and memory. */
export async function openTracing(deps: { config: Pick<Config, 'traces'>; log: Logger }): Promise<Tracing> {
  const { traces } = deps.config
  if (traces === undefined) return disabled
  const { createTracing } = await import('./spans.ts')
  return createTracing(traces, deps.log)
}
