import { playground } from '../texts/index.ts'
import { type Access, sessionAccess } from './access.ts'

const t = playground.response

/** One entry of the response's `errors`, as the service documents it. */
export interface AnsweredError {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; category?: string; http_status?: number; request_id?: string; details?: string[] }
}

export interface AnswerBody {
  data?: Record<string, unknown> | null
  errors?: AnsweredError[]
}

export interface QueryResponse {
  /** HTTP status; 0 when the service could not be reached. */
  status: number
  milliseconds: number
  requestId: string | undefined
  /** The header `Retry-After`, in seconds. */
  retryAfter: string | undefined
  body: AnswerBody
}

export interface QueryInput {
  query: string
  variables?: unknown
  /** Chooses one of several operations of the query. */
  operationName?: string | undefined
}

/**
 * Sends a query and returns the response, even if it is an error. A token goes to `POST /query` without cookies. A session goes
 * to `POST /api/query`, where the account has the limits of the plan `free`.
 */
export async function sendQuery(request: QueryInput, access: Access, signal?: AbortSignal): Promise<QueryResponse> {
  const response = await send(request, access, signal)
  if ('token' in access || response.body.errors?.[0]?.extensions?.code !== 'bad_csrf_token') return response
  // Another tab has started a new session. It is used only if it belongs to the same account.
  const renewed = await sessionAccess()
  return renewed?.account.id === access.account.id ? send(request, renewed, signal) : response
}

async function send(request: QueryInput, access: Access, signal: AbortSignal | undefined): Promise<QueryResponse> {
  const started = performance.now()
  const response: QueryResponse = { status: 0, milliseconds: 0, requestId: undefined, retryAfter: undefined, body: {} }
  try {
    const received = await fetch('token' in access ? '/query' : '/api/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proofOf(access) },
      body: JSON.stringify(request),
      credentials: 'token' in access ? 'omit' : 'same-origin',
      ...(signal && { signal }),
    })
    response.status = received.status
    response.requestId = received.headers.get('x-request-id') ?? undefined
    response.retryAfter = received.headers.get('retry-after') ?? undefined
    response.body = parseBody(await received.text(), received.status)
  } catch (error) {
    response.body = { errors: [{ message: t.noResponse(String(error)) }] }
  }
  response.milliseconds = Math.round(performance.now() - started)
  return response
}

function proofOf(access: Access): Record<string, string> {
  if ('account' in access) return { 'x-csrf-token': access.csrfToken }
  return access.token === '' ? {} : { 'access-token': access.token }
}

/** A refusal of the JSON API is one error; any other text (a proxy's error page, say) is shown as it is. */
function parseBody(text: string, status: number): AnswerBody {
  const body = parseJson(text)
  if (isAnswerBody(body)) return body
  if (isRefusal(body)) {
    const { code, message, request_id } = body.error
    return { errors: [{ message, extensions: { code, request_id } }] }
  }
  return { errors: [{ message: t.notGraphql(status, text.slice(0, 300)) }] }
}

function isAnswerBody(body: unknown): body is AnswerBody {
  return typeof body === 'object' && body !== null && ('data' in body || 'errors' in body)
}

interface Refusal {
  error: { code: string; message: string; request_id: string }
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
