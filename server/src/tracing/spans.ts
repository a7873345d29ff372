import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { Reader } from '../database/statement.ts'
import { createExporter, type Exporter, type FinishedSpan, type SpanKind } from './otlp.ts'
import { readTraceParent } from './trace-parent.ts'
import type { Attributes, Tracing, TracingDependencies } from './tracing.ts'

const TRACE_BYTES = 16
const SPAN_BYTES = 8
const RATIO_BYTES = 6

/** A span that has begun. */
interface Span {
  traceId: string
  spanId: string
  attributes: Record<string, string | number>
  end(failure?: unknown): void
}

interface Beginning {
  name: string
  kind: SpanKind
  traceId: string
  parentId: string | undefined
}

export function createTracing(
  { clock, random, log }: TracingDependencies,
  traces: NonNullable<Config['traces']>,
): Tracing {
  const exporter: Exporter = createExporter(traces, log)
  const underWay = new AsyncLocalStorage<Span | undefined>()

  function begin({ name, kind, traceId, parentId }: Beginning): Span {
    const start = clock.now()
    const began = performance.now()
    const spanId = random.bytes(SPAN_BYTES).toString('hex')
    const attributes: Span['attributes'] = {}
    let ended = false
    return {
      traceId,
      spanId,
      attributes,
      end(failure) {
        if (ended) return
        ended = true
        const finished: FinishedSpan = {
          ...{ traceId, spanId, parentId, name, kind, start, attributes },
          milliseconds: performance.now() - began,
          failure: failure === undefined ? undefined : failure instanceof Error ? failure.message : 'failed',
        }
        exporter.add(finished)
      },
    }
  }

  const isChosen = (): boolean =>
    traces.ratio >= 1 || random.bytes(RATIO_BYTES).readUIntBE(0, RATIO_BYTES) / 256 ** RATIO_BYTES < traces.ratio

  /** Undefined for a request that is not traced. */
  function beginRequest({ headers, method = '', url = '' }: IncomingMessage): Span | undefined {
    const parent = readTraceParent(headers.traceparent)
    if (!(parent ? parent.sampled : isChosen())) return undefined
    const path = url.split('?', 1)[0] ?? ''
    const span = begin({
      name: `${method} ${path.split('/', 2).join('/')}`,
      kind: 'server',
      traceId: parent?.traceId ?? random.bytes(TRACE_BYTES).toString('hex'),
      parentId: parent?.spanId,
    })
    Object.assign(span.attributes, { 'http.request.method': method, 'url.path': path })
    return span
  }

  function endRequest(span: Span, response: ServerResponse): void {
    const { statusCode } = response
    span.attributes['http.response.status_code'] = statusCode
    noteLogged(span, { request_id: response.getHeader('x-request-id') })
    span.end(statusCode >= 500 ? new Error(`answered ${statusCode}`) : undefined)
  }

  /** Runs a piece of work as a span below the one under way; where none is, it just runs. */
  function within<Result>(name: string, kind: SpanKind, attributes: Attributes, work: () => Result): Result {
    const parent = underWay.getStore()
    if (!parent) return work()
    const span = begin({ name, kind, traceId: parent.traceId, parentId: parent.spanId })
    Object.assign(span.attributes, attributes)
    try {
      const result = underWay.run(span, work)
      if (result instanceof Promise)
        result.then(
          () => span.end(),
          (error: unknown) => span.end(error),
        )
      else span.end()
      return result
    } catch (error) {
      span.end(error)
      throw error
    }
  }

  return {
    handler: (handler) => (request, response) => {
      const span = beginRequest(request)
      // It may be called while another request is under way, whose trace it is no part of.
      if (!span) return underWay.run(undefined, () => handler(request, response))
      response.once('close', () => endRequest(span, response))
      return underWay.run(span, () => handler(request, response))
    },
    methods(object, names) {
      const wrapped = { ...object }
      for (const [key, name] of Object.entries(names) as [keyof typeof object, string][]) {
        const method = object[key] as (...args: unknown[]) => unknown
        const traced = (...args: unknown[]) => within(name, 'internal', {}, () => method(...args))
        wrapped[key] = traced as (typeof object)[typeof key]
      }
      return wrapped
    },
    reader<T extends Reader>(reader: T): T {
      const statement = { 'db.system.name': 'postgresql' }
      const traced: Reader = {
        read: (prepared, values) => within(prepared.name, 'client', statement, () => reader.read(prepared, values)),
        readShared: (prepared, values) =>
          within(prepared.name, 'client', statement, () => reader.readShared(prepared, values)),
      }
      return { ...reader, ...traced }
    },
    accessLog: (write) => (line) => {
      const span = underWay.getStore()
      if (span) noteLogged(span, line)
      write(line)
    },
    close: () => exporter.close(),
  }
}

/** What a line of the log and a span have in common. */
const LOGGED = ['request_id', 'token_id', 'operation'] as const

function noteLogged({ attributes }: Span, fields: object): void {
  const known = fields as Partial<Record<(typeof LOGGED)[number], unknown>>
  for (const name of LOGGED) if (typeof known[name] === 'string') attributes[`questboard.${name}`] = known[name]
}
