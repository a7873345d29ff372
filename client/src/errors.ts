import type { Unlisted } from './schema.ts'

/** The codes of services, and of this client: `NETWORK_ERROR` (no response), `TIMEOUT` and `INVALID_RESPONSE`. */
export type ErrorCode =
  | ('TOKEN_REQUIRED' | 'INVALID_TOKEN' | 'QUOTA_EXCEEDED' | 'PERMISSION_DENIED' | 'NOT_FOUND' | 'INVALID_ARGUMENT')
  | ('VERSION_EXPIRED' | 'COMPLEXITY_LIMIT_EXCEEDED' | 'DEPTH_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'UNAVAILABLE')
  | ('NETWORK_ERROR' | 'TIMEOUT' | 'INVALID_RESPONSE')
  | Unlisted

/** The category of a code; `CLIENT` for codes of this client. */
export type ErrorCategory =
  | ('AUTHENTICATION' | 'AUTHORIZATION' | 'RATE_LIMIT' | 'NOT_FOUND' | 'VALIDATION' | 'INTERNAL' | 'UNAVAILABLE')
  | 'CLIENT'
  | Unlisted

/** An element of a response's `errors`. Some servers return only `message`. */
export interface ErrorEntry {
  message: string
  path?: ReadonlyArray<string | number>
  extensions?: {
    code?: string
    category?: string
    http_status?: number
    request_id?: string
    timestamp?: string
    details?: readonly string[]
    context?: Record<string, unknown>
  }
}

interface ErrorFacts {
  code: ErrorCode
  category: ErrorCategory
  httpStatus?: number | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  errors?: readonly ErrorEntry[]
  data?: unknown
  cause?: unknown
}

/** A failed request. The fields contain the first error of the response. */
export class QuestboardError extends Error {
  override name = 'QuestboardError'
  readonly code: ErrorCode
  readonly category: ErrorCategory
  /** The HTTP status; undefined without a response. */
  readonly httpStatus: number | undefined
  /** The id of the request in the service's log. */
  readonly requestId: string | undefined
  /** The time of the error by the service: ISO 8601. */
  readonly timestamp: string | undefined
  /** Further details as `name: value`. */
  readonly details: readonly string[]
  readonly context: Record<string, unknown> | undefined
  /** The path of the field that failed, if any. */
  readonly path: ReadonlyArray<string | number> | undefined
  /** The wait that the service requires before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** All errors of the response. */
  readonly errors: readonly ErrorEntry[]
  /** The data of the fields that did not fail. */
  readonly data: unknown

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    const [first] = facts.errors ?? []
    this.code = facts.code
    this.category = facts.category
    this.httpStatus = facts.httpStatus
    this.requestId = facts.requestId
    this.timestamp = first?.extensions?.timestamp
    this.details = first?.extensions?.details ?? []
    this.context = first?.extensions?.context
    this.path = first?.path
    this.retryAfterMs = facts.retryAfterMs
    this.errors = facts.errors ?? []
    this.data = facts.data
  }
}

/** The object does not exist, and the service returned null without an error. */
export function notFound(message: string): QuestboardError {
  return new QuestboardError(message, { code: 'NOT_FOUND', category: 'NOT_FOUND', httpStatus: 404 })
}

/** The response violates the API. */
export function invalidResponse(message: string, facts: Partial<ErrorFacts> = {}): QuestboardError {
  return new QuestboardError(message, { code: 'INVALID_RESPONSE', category: 'CLIENT', ...facts })
}

/** Returns null instead of an error with this message, which servers return for an object that does not exist. */
export async function nullIf<Value>(
  message: string,
  read: () => Promise<Value | null | undefined>,
): Promise<Value | null> {
  try {
    return (await read()) ?? null
  } catch (error) {
    if (error instanceof QuestboardError && error.message === message) return null
    throw error
  }
}
