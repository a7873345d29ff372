import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { MINUTE, type MonotonicClock, SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Reader } from '@questboard/pg-read-pipeline'
import type { AccessLog, Logger } from '../logging/log.ts'
import { readTraceParent } from './trace-parent.ts'

const EXPORT_INTERVAL = SECOND
const EXPORT_TIMEOUT = 5 * SECOND
const MAX_QUEUED_SPANS = 4_096
const WARNING_INTERVAL = MINUTE

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

interface Outside {
  clock: MonotonicClock
  log: Logger
}

export function createTracing(traces: NonNullable<Config['traces']>, outside: Outside): Tracing {
  const provider = createProvider(traces, outside)
  const tracer = provider.getTracer('questboard')
  const contexts = new AsyncLocalStorage<Context | undefined>()

  function startRequest({ headers, method = '', url = '' }: IncomingMessage): Context {
    const caller = readTraceParent(headers.traceparent)
    const context = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT
    const path = url.split('?', 1)[0] ?? ''
    const attributes = { 'http.request.method': method, 'url.path': path }
    const name = `${method} ${path.split('/', 2).join('/')}`
    return trace.setSpan(context, tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context))
  }

  function endRequest(span: Span, response: ServerResponse): void {
    const { statusCode } = response
    span.setAttribute('http.response.status_code', statusCode)
    addLogFields(span, { request_id: response.getHeader('x-request-id') })
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: `HTTP status ${statusCode}` })
    span.end()
  }

  /** Runs `work` in a child span of the current span. Without a current span, only runs `work`. */
  function runInSpan<Result>(name: string, kind: SpanKind, attributes: Record<string, string>, work: () => Result) {
    const parent = contexts.getStore()
    if (!parent) return work()
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    const fail = (error: unknown): void => {
      const message = error instanceof Error ? error.message : 'failed'
      span.setStatus({ code: SpanStatusCode.ERROR, message }).end()
    }
    try {
      const result = contexts.run(trace.setSpan(parent, span), work)
      if (result instanceof Promise) result.then(() => span.end(), fail)
      else span.end()
      return result
    } catch (error) {
      fail(error)
      throw error
    }
  }

  return {
    handler: (handler) => (request, response) => {
      const context = startRequest(request)
      const span = trace.getSpan(context) as Span
      // `run` with undefined detaches the request from a trace whose work called this handler.
      if (!span.isRecording()) return contexts.run(undefined, () => handler(request, response))
      response.once('close', () => endRequest(span, response))
      return contexts.run(context, () => handler(request, response))
    },
    methods(object, names) {
      const wrapped = { ...object }
      for (const [key, name] of Object.entries(names) as [keyof typeof object, string][]) {
        const method = object[key] as (...args: unknown[]) => unknown
        const traced = (...args: unknown[]) => runInSpan(name, SpanKind.INTERNAL, {}, () => method(...args))
        wrapped[key] = traced as (typeof object)[typeof key]
      }
      return wrapped
    },
    reader<T extends Reader>(reader: T): T {
      const database = { 'db.system.name': 'postgresql' }
      const traced: Reader = {
        read: (prepared, values) =>
          runInSpan(prepared.name, SpanKind.CLIENT, database, () => reader.read(prepared, values)),
        readShared: (prepared, values) =>
          runInSpan(prepared.name, SpanKind.CLIENT, database, () => reader.readShared(prepared, values)),
      }
      return { ...reader, ...traced }
    },
    accessLog: (write) => (line) => {
      const context = contexts.getStore()
      const span = context && trace.getSpan(context)
      if (span) addLogFields(span, line)
      write(line)
    },
    // The exporter has logged why the last spans were lost.
    close: () => provider.shutdown().catch(() => {}),
  }
}

function createProvider({ endpoint, headers, serviceName, ratio }: NonNullable<Config['traces']>, outside: Outside) {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const exporter = new LoggingExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT }, outside)
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: EXPORT_INTERVAL,
        exportTimeoutMillis: EXPORT_TIMEOUT,
        maxQueueSize: MAX_QUEUED_SPANS,
      }),
    ],
  })
}

/** Logs failed exports, at most once a minute. */
class LoggingExporter extends OTLPTraceExporter {
  readonly #outside: Outside
  #lost = 0
  #warnedAt = -Infinity

  constructor(options: ConstructorParameters<typeof OTLPTraceExporter>[0], outside: Outside) {
    super(options)
    this.#outside = outside
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.error) this.#warn(result.error, spans.length)
      done(result)
    })
  }

  #warn(error: Error, lost: number): void {
    this.#lost += lost
    const { clock, log } = this.#outside
    if (clock.monotonic() - this.#warnedAt < WARNING_INTERVAL) return
    this.#warnedAt = clock.monotonic()
    log.warn({ err: error, lost_spans: this.#lost }, 'the trace collector did not accept spans')
  }
}

/** Fields that lines of the log and spans share, so that one leads to the other. */
const LOG_FIELDS = ['request_id', 'token_id', 'operation'] as const

function addLogFields(span: Span, fields: Partial<Record<(typeof LOG_FIELDS)[number], unknown>>): void {
  for (const name of LOG_FIELDS) {
    const value = fields[name]
    if (typeof value === 'string') span.setAttribute(`questboard.${name}`, value)
  }
}
