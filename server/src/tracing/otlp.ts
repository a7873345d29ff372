import { MINUTE, SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../logging/log.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'

const kinds = { internal: 1, server: 2, client: 3 } as const
export type SpanKind = keyof typeof kinds

export interface FinishedSpan {
  traceId: string
  spanId: string
  parentId: string | undefined
  name: string
  kind: SpanKind
  /** Milliseconds since 1970. */
  start: number
  milliseconds: number
  attributes: Readonly<Record<string, string | number | undefined>>
  failure: string | undefined
}

/** Gathers spans and sends them on; what the collector does not take in time is thrown away and counted. */
export interface Exporter {
  add(span: FinishedSpan): void
  close(): Promise<void>
}

const SEND_EVERY = SECOND
const SEND_AT = 512
const MOST_KEPT = 4_096
const TIMEOUT = 5 * SECOND
const MOST_ANSWER_BYTES = 64 * 1024
const ERROR_STATUS = 2

/** OTLP over HTTP in its JSON encoding (OpenTelemetry protocol 1.x). */
export function createExporter(
  { endpoint, headers, serviceName }: NonNullable<Config['traces']>,
  log: Logger,
): Exporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const { hostname } = new URL(url)
  const outgoing = createOutgoing({
    hosts: [{ hostname, port: undefined }],
    namedBy: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  })
  let waiting: FinishedSpan[] = []
  let sending: Promise<void> | undefined
  let dropped = 0
  let toldAt = -MINUTE

  /** A collector that is away is told of once a minute. */
  const tell = (error: unknown): void => {
    if (performance.now() - toldAt < MINUTE) return
    toldAt = performance.now()
    log.warn({ err: error, dropped }, 'traces were not taken by the collector')
  }

  const send = async (spans: readonly FinishedSpan[]): Promise<void> => {
    try {
      const request = {
        url,
        method: 'POST' as const,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(spans, serviceName)),
        maxBytes: MOST_ANSWER_BYTES,
        timeout: TIMEOUT,
        redirects: 0,
      }
      const status = await outgoing.send(request, async (answer) => answer.status)
      if (status < 200 || status >= 300) throw new Error(`the collector answered ${status}`)
    } catch (error) {
      dropped += spans.length
      tell(error)
    }
  }

  const flush = (): Promise<void> => {
    if (waiting.length === 0) return sending ?? Promise.resolve()
    if (sending) return sending.then(flush)
    const spans = waiting
    waiting = []
    sending = send(spans).finally(() => (sending = undefined))
    return sending
  }

  const timer = setInterval(() => {
    if (!sending) void flush()
  }, SEND_EVERY)
  timer.unref()

  return {
    add(span) {
      if (waiting.length >= MOST_KEPT) {
        dropped++
        return
      }
      waiting.push(span)
      if (waiting.length >= SEND_AT && !sending) void flush()
    },
    async close() {
      clearInterval(timer)
      await flush()
      await outgoing.close()
    },
  }
}

function requestOf(spans: readonly FinishedSpan[], serviceName: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': serviceName }) },
        scopeSpans: [{ scope: { name: 'questboard' }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf({
  traceId,
  spanId,
  parentId,
  name,
  kind,
  start,
  milliseconds,
  attributes,
  failure,
}: FinishedSpan): object {
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(start + milliseconds),
    attributes: attributesOf(attributes),
    ...(failure !== undefined && { status: { code: ERROR_STATUS, message: failure } }),
  }
}

/** A 64-bit number is a text in the JSON encoding; microseconds are as exact as a number of milliseconds is. */
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1_000)}000`

function attributesOf(attributes: FinishedSpan['attributes']): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })
}
