import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

/** The figures that an operator watches, in Prometheus' text format. */
export interface Metrics {
  query(status: number, seconds: number): void
  /** Items of the ingest API by kind and what happened to them. */
  ingested(kind: string, status: string, items: number): void
  /** The text of `/metrics` and its media type. */
  render(): Promise<{ type: string; body: string }>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const queries = new Counter({
    name: 'questboard_queries_total',
    help: 'Answered queries by HTTP status.',
    labelNames: ['status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'questboard_query_duration_seconds',
    help: 'Time from the request to its answer.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  const ingested = new Counter({
    name: 'questboard_ingest_items_total',
    help: 'Items of the ingest API by kind and what happened to them.',
    labelNames: ['kind', 'status'],
    registers: [registry],
  })
  return {
    ingested(kind, status, items) {
      if (items > 0) ingested.inc({ kind, status }, items)
    },
    query(status, seconds) {
      queries.inc({ status })
      durations.observe(seconds)
    },
    render: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  }
}
