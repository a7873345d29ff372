import type { Config } from '../config.ts'
import { ask, type Asking } from './ask.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Sends an empty batch to the collector of traces, if one is configured. */
export function examineCollector(asking: Asking, { traces }: Pick<Config, 'traces'>): Promise<Finding>[] {
  return traces === undefined ? [] : [askCollector(asking, traces)]
}

async function askCollector(asking: Asking, traces: NonNullable<Config['traces']>): Promise<Finding> {
  const name = 'Trace collector'
  const { host } = new URL(traces.endpoint)
  const asked = await ask(asking, {
    url: `${traces.endpoint.replace(/\/$/, '')}/v1/traces`,
    method: 'POST',
    headers: { ...traces.headers, 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
  })
  if ('failed' in asked)
    return problem(
      name,
      asked.failed,
      'Check OTEL_EXPORTER_OTLP_ENDPOINT: use the HTTP port, often 4318, not the gRPC port.',
    )
  if (asked.status < 200 || asked.status > 299)
    return problem(
      name,
      `${host} answers ${asked.status}`,
      'Check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.',
    )
  return ok(name, `${host} takes traces`)
}
