import type { MonotonicClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../logging/log.ts'
import type { Tracing } from './spans.ts'

export type { Tracing } from './spans.ts'

const disabled: Tracing = {
  handler: (handler) => handler,
  methods: (object) => object,
  reader: (reader) => reader,
  accessLog: (write) => write,
  close: async () => {},
}

/** Loads the OpenTelemetry SDK only if OTEL_EXPORTER_OTLP_ENDPOINT is set: loading takes time and memory. */
export async function openTracing(deps: {
  config: Pick<Config, 'traces'>
  clock: MonotonicClock
  log: Logger
}): Promise<Tracing> {
  const { traces } = deps.config
  if (traces === undefined) return disabled
  const { createTracing } = await import('./spans.ts')
  return createTracing(traces, deps)
}
