import { type ErrorCategory, type ErrorCode, type ErrorEntry, invalidResponse, QuestboardError } from './errors.ts'
import type { Fetch, Settings } from './options.ts'

/** The JSON body of a GraphQL request. */
export interface QueryBody {
  query: string
  variables?: object | undefined
  operationName?: string | undefined
}

/**
 * Sends one query and returns its `data`.
 * @throws QuestboardError for each failure; an abort throws the signal's reason
 */
export async function sendQuery(
  settings: Settings,
  question: QueryBody,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<unknown> {
  const headers = {
    ...settings.headers,
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === undefined ? {} : { 'access-token': token }),
  }
  const request = { method: 'POST', headers, body: JSON.stringify(question) }
  const { response, text } = await exchange(settings, settings.url, request, signal)
  return readAnswer(response, text)
}

type Request = Omit<Parameters<Fetch>[1], 'redirect' | 'signal'>

/**
 * Sends a request and reads the whole response. Does not follow redirects, which would send the token elsewhere.
 * @throws QuestboardError NETWORK_ERROR or TIMEOUT; the signal's reason if aborted
 */
export async function exchange(
  { fetch, timeoutMs }: Pick<Settings, 'fetch' | 'timeoutMs'>,
  url: string,
  request: Request,
  signal?: AbortSignal,
): Promise<{ response: Response; text: string }> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: either })
    return { response, text: await response.text() }
  } catch (cause) {
    signal?.throwIfAborted()
    if (timeout.aborted)
      throw new QuestboardError(`${url} did not respond within ${timeoutMs} ms`, {
        code: 'TIMEOUT',
        category: 'CLIENT',
        cause,
      })
    throw new QuestboardError(`${url} could not be reached`, { code: 'NETWORK_ERROR', category: 'CLIENT', cause })
  }
}

/** Converts a response that reports a failure to an error. */
export function failureOf(response: Response, text: string): QuestboardError {
  const { data, errors } = parseAnswer(text)
  return refusal(response, Array.isArray(errors) ? (errors as ErrorEntry[]) : [], data)
}

function readAnswer(response: Response, text: string): unknown {
  const { data, errors } = parseAnswer(text)
  const hasFailed = Array.isArray(errors) && errors.length > 0
  if (!hasFailed && response.ok && typeof data === 'object' && data !== null) return data
  throw failureOf(response, text)
}

function parseAnswer(text: string): { data?: unknown; errors?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { data?: unknown; errors?: unknown }
  } catch {
    // Not JSON, for example an error page of a proxy; the caller reports the status.
    return {}
  }
}

function refusal(response: Response, errors: readonly ErrorEntry[], data: unknown): QuestboardError {
  const [first] = errors
  const { code, category, http_status, request_id } = first?.extensions ?? {}
  const httpStatus = http_status ?? (response.ok ? undefined : response.status)
  const facts = {
    httpStatus,
    requestId: request_id ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(response.headers),
    errors,
    data,
  }
  const [usualCode, usualCategory] = byStatus(httpStatus)
  if (first || usualCode !== 'INVALID_RESPONSE')
    return new QuestboardError(first?.message ?? `The service returned status ${response.status}`, {
      code: code ?? usualCode,
      category: category ?? usualCategory,
      ...facts,
    })
  return invalidResponse(`The response is not GraphQL: HTTP status ${response.status}`, facts)
}

/** The code and category for an error response that has none, for example from a proxy. */
function byStatus(status: number | undefined): [ErrorCode, ErrorCategory] {
  if (status === 429) return ['QUOTA_EXCEEDED', 'RATE_LIMIT']
  if (status === 503) return ['UNAVAILABLE', 'UNAVAILABLE']
  return ['INVALID_RESPONSE', 'CLIENT']
}

/** Seconds, or a date relative to the `Date` of the response (RFC 9110, 10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
