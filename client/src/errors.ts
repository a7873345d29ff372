import type { Unlisted } from './schema.ts'

/**
 * Why a request failed. The first six are the specification's (7.2), the next ones a Questboard service's own;
 * the last ones come from this client: no answer, none in time, or one that is not what the interface promises.
 */
export type ErrorCode =
  | ('TOKEN_REQUIRED' | 'INVALID_TOKEN' | 'QUOTA_EXCEEDED' | 'PERMISSION_DENIED' | 'NOT_FOUND' | 'INVALID_ARGUMENT')
  | ('COMPLEXITY_LIMIT_EXCEEDED' | 'DEPTH_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'UNAVAILABLE')
  | ('NETWORK_ERROR' | 'TIMEOUT' | 'INVALID_RESPONSE')
  | Unlisted

/** The class of a code (specification 7.2); `CLIENT` for those that come from this client. */
export type ErrorCategory =
  | ('AUTHENTICATION' | 'AUTHORIZATION' | 'RATE_LIMIT' | 'NOT_FOUND' | 'VALIDATION' | 'INTERNAL' | 'UNAVAILABLE')
  | 'CLIENT'
  | Unlisted

/** One element of a response's `errors` (specification 7.1). Only `message` is sure to be there on every server. */
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

/** A request that failed. What the service said about it stands in the fields; the first of several errors counts. */
export class QuestboardError extends Error {
  override name = 'QuestboardError'
  readonly code: ErrorCode
  readonly category: ErrorCategory
  /** The status that the service gives this error; undefined when there was no answer. */
  readonly httpStatus: number | undefined
  /** Under which the service's log knows the request: quote it to the operator. */
  readonly requestId: string | undefined
  /** When the service says that it failed: ISO 8601. */
  readonly timestamp: string | undefined
  /** More, as `name: value`. */
  readonly details: readonly string[]
  readonly context: Record<string, unknown> | undefined
  /** The field that failed, when the failure is one field's. */
  readonly path: ReadonlyArray<string | number> | undefined
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** All errors, as the service sent them. */
  readonly errors: readonly ErrorEntry[]
  /** What was answered beside the errors: fields that did not fail. */
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

/** The service has no such thing, and said so without an error of its own. */
export function notFound(message: string): QuestboardError {
  return new QuestboardError(message, { code: 'NOT_FOUND', category: 'NOT_FOUND', httpStatus: 404 })
}

/** An answer that the interface does not allow. */
export function invalidResponse(message: string, facts: Partial<ErrorFacts> = {}): QuestboardError {
  return new QuestboardError(message, { code: 'INVALID_RESPONSE', category: 'CLIENT', ...facts })
}

/** Whether the reason is a message of the specification (7.3), such as `Twitter user not found`. */
export function hasMessage(error: unknown, message: string): boolean {
  return error instanceof QuestboardError && error.message === message
}
