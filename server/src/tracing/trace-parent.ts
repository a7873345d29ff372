import { type SpanContext, isSpanContextValid } from '@opentelemetry/api'

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Reads the header `traceparent` (W3C Trace Context, level 1).
 * @returns undefined if the header is missing or invalid
 */
export function readTraceParent(header: string | string[] | undefined): SpanContext | undefined {
  if (typeof header !== 'string') return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = FORM.exec(header) ?? []
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  const context = { traceId, spanId, traceFlags: parseInt(flags, 16) }
  return isSpanContextValid(context) ? context : undefined
}
