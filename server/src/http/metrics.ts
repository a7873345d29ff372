import {
  type Aggregator,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { DOCUMENT_OUTCOMES, type DocumentOutcome } from '../access/persisted-documents.ts'
import { type QueryCode, queryCodes } from '../error-codes.ts'
import type { RefusalReason } from '../errors.ts'

/** The outcome of an attempt to send a message to another service (jobs/sender.ts). */
type Outcome = 'delivered' | 'tried again' | 'given up'

/** The result of a query with a publishable token: `answered`, or the reason of its refusal. */
const PUBLISHABLE = ['answered', 'origin', 'token', 'permission', 'quota', 'overloaded', 'other'] as const
export type PublishableOutcome = (typeof PUBLISHABLE)[number]

const STREAM_REFUSALS = [
  'worker full',
  'token full',
  'network full',
  'stopping',
  'origin',
  'quota',
  'other',
] as const satisfies readonly (RefusalReason | 'quota' | 'other')[]
/** The reason why a stream of a live board was not opened. */
export type StreamRefusal = (typeof STREAM_REFUSALS)[number]

/** The metrics of a process, in the text format of Prometheus. */
export interface Metrics {
  /** @param operation the requested fields; undefined if the query failed before they were known */
  query(status: number, seconds: number, operation?: string): void
  /** A failed field of a response with status 200. */
  fieldFailed(code: QueryCode): void
  /** A request other than a query, by part of the service. */
  request(area: string, status: number, seconds: number): void
  /** Items received by the ingest API, by kind and result. */
  ingested(kind: string, status: string, items: number): void
  /** An attempt to deliver a webhook. */
  attempted: (outcome: Outcome) => void
  /** An attempt to deliver a logout token. */
  notified: (outcome: Outcome) => void
  /** A query with a publishable token. */
  publishable: (outcome: PublishableOutcome) => void
  persistedDocument: (outcome: DocumentOutcome) => void
  liveRefused: (reason: StreamRefusal) => void
  /** A stream that was closed, because its client did not read. */
  liveStalled: () => void
  /** Registers a metric that is read when metrics are collected: one value, or one for each value of the labels. */
  watch: (metric: CollectedMetric) => void
  /** The text of `/metrics` and its media type. */
  render: () => Promise<{ type: string; body: string }>
  /** The metrics of this process, to be combined with those of other processes. */
  values: () => Promise<MetricObjectWithValues<MetricValue<string>>[]>
}

export interface CollectedMetric {
  name: string
  help: string
  label?: string | readonly string[]
  /** Whether the value only grows. */
  total?: boolean
  /** How the values of several processes are combined; default: their sum. */
  together?: Extract<Aggregator, 'sum' | 'min' | 'max'>
  /** Values by label; undefined if they are unknown. */
  read: () => Readings | undefined | Promise<Readings | undefined>
}

/** One value, values by the value of the only label, or values with several labels. */
export type Readings =
  number | Readonly<Record<string, number>> | { labels: Readonly<Record<string, string>>; value: number }[]

const FAST = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const SLOW = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30]

/** @param worker the number of the worker process, which becomes a label of Node's own metrics */
export function createMetrics(worker?: number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, ...(worker !== undefined && { labels: { worker: String(worker) } }) })
  const queries = new Counter({
    name: 'questboard_queries_total',
    help: 'Queries by HTTP status and by root field ("several" if there was more than one).',
    labelNames: ['status', 'operation'],
    registers,
  })
  const durations = new Histogram({
    name: 'questboard_query_duration_seconds',
    help: 'Duration of queries.',
    buckets: FAST,
    registers,
  })
  const fieldErrors = new Counter({
    name: 'questboard_field_errors_total',
    help: 'Failed fields in responses with status 200, by code.',
    labelNames: ['code'],
    registers,
  })
  // Starts at 0, because Prometheus computes no rate for the first value of a counter.
  for (const [code, { status }] of Object.entries(queryCodes)) if (status >= 500) fieldErrors.inc({ code }, 0)
  const requests = new Counter({
    name: 'questboard_requests_total',
    help: 'Requests other than queries, by part of the service and HTTP status.',
    labelNames: ['area', 'status'],
    registers,
  })
  const requestDurations = new Histogram({
    name: 'questboard_request_duration_seconds',
    help: 'Duration of requests other than queries, by part of the service.',
    labelNames: ['area'],
    buckets: SLOW,
    registers,
  })
  const ingested = new Counter({
    name: 'questboard_ingest_items_total',
    help: 'Items received by the ingest API, by kind and result.',
    labelNames: ['kind', 'status'],
    registers,
  })
  const deliveries = new Counter({
    name: 'questboard_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const logoutNotices = new Counter({
    name: 'questboard_logout_notices_total',
    help: 'Attempts to deliver a logout token to an app, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const publishable = new Counter({
    name: 'questboard_publishable_requests_total',
    help: 'Queries with a publishable token, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const documents = new Counter({
    name: 'questboard_persisted_documents_total',
    help: 'Uses of persisted documents, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const liveRefused = new Counter({
    name: 'questboard_live_refused_total',
    help: 'Streams of live boards that were not opened, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const liveStalled = new Counter({
    name: 'questboard_live_stalled_total',
    help: 'Streams of live boards that were closed because their clients did not read the rest in time.',
    registers,
  })
  for (const outcome of PUBLISHABLE) publishable.inc({ outcome }, 0)
  for (const outcome of DOCUMENT_OUTCOMES) documents.inc({ outcome }, 0)
  for (const reason of STREAM_REFUSALS) liveRefused.inc({ reason }, 0)
  // Labels are hashed once, and not with every request.
  const counters = new Map<string, Map<number, Counter.Internal>>()
  const counterOf = (status: number, operation: string): Counter.Internal => {
    let ofOperation = counters.get(operation)
    if (!ofOperation) counters.set(operation, (ofOperation = new Map<number, Counter.Internal>()))
    let counter = ofOperation.get(status)
    if (!counter) ofOperation.set(status, (counter = queries.labels(String(status), operation)))
    return counter
  }
  const others = new Map<string, { counter: Counter.Internal; duration: Histogram.Internal<'area'> }>()
  const otherOf = (area: string, status: number) => {
    const name = `${status} ${area}`
    let other = others.get(name)
    if (!other) {
      other = { counter: requests.labels(area, String(status)), duration: requestDurations.labels(area) }
      others.set(name, other)
    }
    return other
  }
  return {
    query(status, seconds, operation = '') {
      counterOf(status, operation.includes(' ') ? 'several' : operation).inc()
      durations.observe(seconds)
    },
    fieldFailed: (code) => fieldErrors.inc({ code }),
    request(area, status, seconds) {
      const { counter, duration } = otherOf(area, status)
      counter.inc()
      duration.observe(seconds)
    },
    ingested(kind, status, items) {
      if (items > 0) ingested.inc({ kind, status }, items)
    },
    attempted: (outcome) => deliveries.inc({ outcome }),
    notified: (outcome) => logoutNotices.inc({ outcome }),
    publishable: (outcome) => publishable.inc({ outcome }),
    persistedDocument: (outcome) => documents.inc({ outcome }),
    liveRefused: (reason) => liveRefused.inc({ reason }),
    liveStalled: () => liveStalled.inc(),
    watch: (metric) => watch(metric, registry),
    render: async () => ({ type: registry.contentType, body: await registry.metrics() }),
    values: () => registry.getMetricsAsJSON(),
  }
}

function watch(
  { name, help, label, total = false, together = 'sum', read }: CollectedMetric,
  registry: Registry,
): void {
  const labelNames = [label ?? []].flat()
  const options = { name, help, labelNames, registers: [registry], aggregator: together }
  const show = async (metric: Counter | Gauge): Promise<void> => {
    const readings = await read()
    metric.reset()
    if (readings === undefined) metric.remove({})
    else if (typeof readings === 'number') metric.inc(readings)
    else if (Array.isArray(readings)) for (const { labels, value } of readings) metric.inc(labels, value)
    else for (const [key, value] of Object.entries(readings)) metric.inc({ [label as string]: key }, value)
  }
  if (total) {
    const metric: Counter = new Counter({ ...options, collect: () => show(metric) })
  } else {
    const metric: Gauge = new Gauge({ ...options, collect: () => show(metric) })
  }
}
