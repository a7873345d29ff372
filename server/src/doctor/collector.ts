import type { Config } from '../config.ts'
import { probe, type ProbeOptions } from './probe.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Sends an empty batch to the collector of traces, if one is configured. */
export function examineCollector(options: ProbeOptions, { traces }: Pick<Config, 'traces'>): Promise<Finding>[] {
  return traces === undefined ? [] : [probeCollector(options, traces)]
}

async function probeCollector(options: ProbeOptions, traces: NonNullable<Config['traces']>): Promise<Finding> {
  const name = 'Trace collector'
  const { host } = new URL(traces.endpoint)
  const response = await probe(options, {
    url: `${traces.endpoint.replace(/\/$/, '')}/v1/traces`,
    method: 'POST',
    headers: { ...traces.headers, 'content-type': 'application/json' },
    body: '{"resourceSpans":[]}',
  })
  if ('failed' in response) return problem(name, 'collector.unreachable', { reason: response.failed })
  if (response.status < 200 || response.status > 299)
    return problem(name, 'collector.refuses', { host, status: response.status })
  return ok(name, 'collector.ok', { host })
}
