import {
  type ApiCode,
  apiCodeOf,
  apiCodes,
  type ConflictCode,
  type IngestCode,
  type QueryCode,
  queryCodes,
} from './error-codes.ts'
import { type Fault, fault as faultOf } from './texts/faults.ts'

/** A position in a GraphQL document, counted from 1, as in `errors[].locations`. */
export interface SourceLocation {
  line: number
  column: number
}

interface ErrorExtras {
  /** Strings `name: value` for `extensions.details`. */
  details?: string[]
  /** Response headers, if the error is the whole response. */
  headers?: Record<string, string>
  cause?: unknown
  reason?: RefusalReason | undefined
}

/** Distinguishes refusals with the same code in the metrics. */
export type RefusalReason = 'origin' | StreamLimit | 'stopping'
/** The limit of open streams that is reached: that of the worker, the token, or its network. */
export type StreamLimit = 'worker full' | 'token full' | 'network full'

/** An error that is reported to the client. Other thrown errors become INTERNAL_ERROR. */
export class ServiceError extends Error {
  readonly code: QueryCode
  readonly details: string[] | undefined
  readonly headers: Record<string, string>
  readonly reason: RefusalReason | undefined
  /** The position in the document, if the error is in the document. */
  locations: readonly SourceLocation[] | undefined

  constructor(code: QueryCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ServiceError'
    this.code = code
    this.details = extras.details
    this.headers = extras.headers ?? {}
    this.reason = extras.reason
  }

  locatedAt(locations: readonly SourceLocation[] | undefined): this {
    this.locations = locations
    return this
  }

  get category(): string {
    return queryCodes[this.code].category
  }

  get status(): number {
    return queryCodes[this.code].status
  }
}

/** A request that was rejected for one or several reasons. */
export class RequestFailure extends Error {
  override name = 'RequestFailure'
  readonly errors: readonly ServiceError[]

  constructor(errors: readonly ServiceError[]) {
    super(errors.map((error) => error.message).join('; '))
    this.errors = errors
  }
}

// Authentication

const TOKEN_SHAPE = 'allowed: a server access token, which is qbs_ and 49 letters and digits'
/** @param received a header that was probably meant as the token */
export const tokenRequired = (received?: string) =>
  new ServiceError('TOKEN_REQUIRED', 'Access token is required', {
    details: [
      'header: access-token',
      'alias: Authorization: Bearer TOKEN',
      'alias: access_token',
      TOKEN_SHAPE,
      ...(received === undefined ? [] : [`received: ${received}`]),
    ],
  })
/** @param received the kind of the invalid token, if known */
export const invalidToken = (reason: string, received?: string, shape = TOKEN_SHAPE) =>
  new ServiceError('INVALID_TOKEN', `Invalid access token: ${reason}`, {
    details: [
      `reason: ${reason}`,
      ...(reason === 'malformed' ? [shape] : []),
      ...(received === undefined ? [] : [`received: ${received}`]),
    ],
  })
const PUBLISHABLE_SHAPE = 'allowed: a publishable token, which is qbp_ and 49 letters and digits'
export const malformedPublishableToken = () => invalidToken('malformed', undefined, PUBLISHABLE_SHAPE)
// These errors do not list what a publishable token allows, because everyone can read such a token.
const LISTED = 'that the token lists; its owner sees them on the page Server API'
/** @param origin undefined if the request has no Origin */
export const originDenied = (origin: string | undefined) =>
  new ServiceError('PERMISSION_DENIED', 'This publishable token may not be used from this origin', {
    details: [
      `origin: ${origin === undefined ? 'the request has no header Origin' : origin.slice(0, 200)}`,
      `allowed: the origins ${LISTED}`,
    ],
    reason: 'origin',
  })
export const spaceDenied = (spaceId: number | string) =>
  new ServiceError('PERMISSION_DENIED', 'This publishable token may not read this space', {
    details: [`space: ${spaceId}`, `allowed: the spaces ${LISTED}`],
  })
/** Does not name the space: the caller knows the ID of the quest, but may not know its space. */
export const questDenied = () =>
  new ServiceError('PERMISSION_DENIED', 'This publishable token may not read this quest', {
    details: [`allowed: the quests of the spaces ${LISTED}`],
  })
export const spaceRequired = (argument: string) =>
  new ServiceError('PERMISSION_DENIED', 'This publishable token may not read all spaces', {
    details: [`argument: ${argument}`, `allowed: one of the spaces ${LISTED}`],
  })
export const fieldDenied = (coordinate: string) =>
  new ServiceError('PERMISSION_DENIED', `A publishable token may not read the field ${coordinate}`, {
    details: [`field: ${coordinate}`, 'allowed: fields without data of single persons, or a server access token'],
  })
export const otherOriginDenied = (received: string, allowed: string) =>
  new ServiceError('PERMISSION_DENIED', 'Pages of other origins may not send this request', {
    details: [`origin: ${received.slice(0, 200)}`, `allowed: no header Origin, or ${allowed}`],
  })
export const scopeDenied = (scope: string) =>
  new ServiceError('PERMISSION_DENIED', 'The access token does not have the scope that this endpoint needs', {
    details: [`scope: ${scope}`],
  })
export const areaDenied = (area: string, allowed: readonly string[]) =>
  new ServiceError('PERMISSION_DENIED', `This access token may not read the area "${area}"`, {
    details: [`area: ${area}`, `allowed: ${allowed.join(', ')}`],
  })
export const dailyQuotaExceeded = (limit: number, headers: Record<string, string>) =>
  new ServiceError('QUOTA_EXCEEDED', 'API quota exceeded: daily limit reached', {
    details: ['quota_type: daily', `limit: ${limit}`],
    headers,
  })
export const rateLimitExceeded = (limit: number, headers: Record<string, string>) =>
  new ServiceError('QUOTA_EXCEEDED', 'Rate limit exceeded', {
    details: ['quota_type: per_second', `limit: ${limit}`],
    headers,
  })

export const networkRateExceeded = (limit: number, headers: Record<string, string>) =>
  new ServiceError('QUOTA_EXCEEDED', 'Rate limit exceeded', {
    details: ['quota_type: network_per_second', `limit: ${limit}`],
    headers,
  })
export const networkQuotaExceeded = (limit: number, headers: Record<string, string>) =>
  new ServiceError('QUOTA_EXCEEDED', 'API quota exceeded: daily limit of this network reached', {
    details: ['quota_type: network_daily', `limit: ${limit}`],
    headers,
  })

// Objects that do not exist, and invalid arguments

const noSuch = (message: string) => new ServiceError('NOT_FOUND', message)
export const starboardNotFound = () => noSuch('Starboard not found')
export const twitterUserNotFound = () => noSuch('Twitter user not found')
export const spaceNotFound = () => noSuch('Space not found')
export const memberNotFound = (address: string) =>
  new ServiceError('NOT_FOUND', 'Member not found', { details: [`address: ${address}`] })
export const credentialNotFound = () => noSuch('Credential not found')
export const questNotFound = () => noSuch('Quest not found')
export const questIsPrivate = () => new ServiceError('PERMISSION_DENIED', 'Quest is private')

export const invalidArgument = (message: string, ...details: string[]) =>
  new ServiceError('INVALID_ARGUMENT', message, details.length > 0 ? { details } : {})
export const invalidPagination = (reason: string) => invalidArgument('Invalid pagination', `reason: ${reason}`)
export const SPRINTS = 'allowed: the id of a sprint of the space, or null for the overall board'
export const invalidSprint = (sprintId: number) =>
  invalidArgument('Invalid sprint ID', `sprintId: ${sprintId}`, SPRINTS)
export const invalidCursor = (reason: string) => invalidArgument('Invalid cursor', `reason: ${reason}`)
export const versionExpired = (reason: string) =>
  new ServiceError('VERSION_EXPIRED', 'Version expired', {
    details: [`reason: ${reason}`, 'action: read the pages of the board again, and continue from their version'],
  })
export const addressNotProvided = (argument: string) =>
  invalidArgument('Address not provided', `argument: ${argument}`, 'allowed: an address, not empty')
export const invalidAddress = (argument: string, allowed: string) =>
  invalidArgument('Invalid address', `argument: ${argument}`, `allowed: ${allowed}`)
export const tooManyAddresses = (argument: string, limit: number, actual: number) =>
  invalidArgument('Too many addresses', `argument: ${argument}`, `limit: ${limit}`, `actual: ${actual}`)
export const invalidTypeFilter = (allowed: readonly string[], value?: string) =>
  invalidFilter('Invalid type filter', allowed, value)
export const invalidStatusFilter = (allowed: readonly string[], value?: string) =>
  invalidFilter('Invalid status filter', allowed, value)
const invalidFilter = (message: string, allowed: readonly string[], value: string | undefined) =>
  invalidArgument(message, ...(value === undefined ? [] : [`value: ${value}`]), `allowed: ${allowed.join(', ')}`)

// Request

export const tooComplex = (what: string, limit: number, actual: number) =>
  new ServiceError('COMPLEXITY_LIMIT_EXCEEDED', `The document asks for too much: ${what}`, {
    details: [`limit: ${limit}`, `actual: ${actual}`],
  })
export const introspectionTooDeep = (limit: number) =>
  new ServiceError('DEPTH_LIMIT_EXCEEDED', 'The introspection query is nested too deeply', {
    details: [`limit: ${limit} of fields, interfaces, possibleTypes and inputFields nested in each other`],
  })
export const tooDeep = (limit: number, actual: number | string) =>
  new ServiceError('DEPTH_LIMIT_EXCEEDED', 'The document is nested too deeply', {
    details: [`limit: ${limit}`, `actual: ${actual}`],
  })
export const methodNotAllowed = (received: string) =>
  new ServiceError('METHOD_NOT_ALLOWED', 'Queries are sent with POST', {
    details: [`received: ${received}`, 'allowed: POST'],
    headers: { allow: 'POST' },
  })
/** The path exists with other methods. */
export const wrongMethod = (method: string, path: string, allowed: readonly string[]) =>
  new ServiceError('METHOD_NOT_ALLOWED', `${path.slice(0, 200)} does not take ${method}`, {
    details: [`received: ${method}`, `allowed: ${allowed.join(', ')}`],
    headers: { allow: allowed.join(', ') },
  })
export const unknownPath = (method: string, path: string) =>
  new ServiceError('NOT_FOUND', `Not found: ${method} ${path.slice(0, 200)}. ${hintForPath(path)}`)
const hintForPath = (path: string): string => {
  if (path.startsWith('/api')) return 'GET /api/openapi.json lists the routes'
  return path.startsWith('/ingest') ? '/ingest/openapi.json lists the routes' : 'Queries go to POST /query'
}
/** Clients with persisted queries recognize this message, and repeat the request with the document. */
export const persistedQueryNotFound = () =>
  new ServiceError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', {
    details: ['allowed: the same request with "query", which stores the document'],
  })
export const wrongDocumentHash = (received: string) =>
  new ServiceError('INVALID_ARGUMENT', 'The hash is not the SHA-256 of the document', {
    details: ['field: extensions.persistedQuery.sha256Hash', `received: ${received}`],
  })
export const unreadableRequest = (message: string) => new ServiceError('INVALID_ARGUMENT', message)
export const requestTimeout = () => new ServiceError('TIMEOUT', 'The request did not arrive in time')
export const headersTooLarge = () => new ServiceError('HEADERS_TOO_LARGE', 'The headers of the request are too large')
export const expectationFailed = () =>
  new ServiceError('EXPECTATION_FAILED', 'The header Expect may only be 100-continue')
export const rangeNotSatisfiable = (contentRange: string) =>
  new ServiceError('RANGE_NOT_SATISFIABLE', 'The header Range names no part of this file', {
    details: ['allowed: a range inside of the file, or no Range'],
    headers: { 'content-range': contentRange },
  })
export const notAcceptable = () =>
  new ServiceError('NOT_ACCEPTABLE', 'Accept must allow application/json or application/graphql-response+json')
export const payloadTooLarge = (limit: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is too large', {
    details: [`limit: ${limit} bytes`],
  })
export const contentEncodingNotAccepted = (received: string) =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding is not accepted: send the body uncompressed', {
    details: [`received: ${received.slice(0, 100)}`, 'allowed: no Content-Encoding, or identity'],
    headers: { 'accept-encoding': 'identity' },
  })
export const unsupportedMediaType = (received: string | undefined) =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json in UTF-8', {
    details: [`received: ${received?.slice(0, 100) ?? 'no Content-Type'}`, 'allowed: application/json'],
  })

// Server

export const internalError = (cause?: unknown) => new ServiceError('INTERNAL_ERROR', 'Internal error', { cause })
export const unavailable = (cause?: unknown) =>
  new ServiceError('UNAVAILABLE', 'The service is temporarily unavailable', { headers: { 'retry-after': '1' }, cause })
/** Admission control rejected the request before any work for it. */
export const overloaded = (reason?: RefusalReason) =>
  new ServiceError('UNAVAILABLE', 'The service is overloaded; retry later', {
    headers: { 'retry-after': '1' },
    reason,
  })
/** The credential's source did not respond; the rest of the response is valid. */
export const upstreamUnavailable = (cause?: unknown, retryAfterSeconds?: number) =>
  new ServiceError('UPSTREAM_UNAVAILABLE', 'The source of this credential does not respond', {
    cause,
    ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
  })

export const manualNotBuilt = (cause?: unknown) =>
  new ServiceError('UNAVAILABLE', 'The manual of this installation is not built', { cause })

// The JSON API and the ingest API

/** One of several invalid parts of a request. */
export interface FieldProblem {
  field: string
  message: string
  /** The content of `message`, for texts in other languages. */
  fault?: Fault
}

interface ApiErrorExtras {
  field?: string | undefined
  /** Why the field is refused, for texts in other languages. */
  fault?: Fault | undefined
  /** Further members of the error object. */
  details?: Record<string, unknown>
  headers?: Record<string, string>
  /** Replaces the status that error-codes.ts has for the code. */
  status?: number
}

/** An error response of the JSON or ingest API. Other thrown errors are internal errors. */
export class ApiError extends Error {
  readonly status: number
  /** The ingest API sends it in upper case. */
  readonly code: ApiCode
  readonly field: string | undefined
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(code: ApiCode, message: string, extras: ApiErrorExtras = {}) {
    super(message)
    const { field, fault, details, headers = {}, status = apiCodes[code] } = extras
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = field
    this.details = { ...(fault && { fault }), ...details }
    this.headers = headers
  }
}

/** @param fault undefined only if a validator found none; the pages then show the message */
export const invalidField = (field: string, message: string, fault: Fault | undefined) =>
  new ApiError('invalid_argument', `${field} ${message}`, { field, fault })
/** The cursor of a list in the JSON API has no valid form. */
export const unknownPage = (field: string) =>
  invalidField(field, 'must be the value of `next` from a response', faultOf('unknown_page'))
/** The first problem is the error; `problems` lists all. */
export function invalidFields(problems: readonly [FieldProblem, ...FieldProblem[]]): ApiError {
  const [{ field, message, fault }] = problems
  return new ApiError('invalid_argument', `${field} ${message}`.trim(), { field, fault, details: { problems } })
}
export const signInRequired = () => new ApiError('sign_in_required', 'Sign in first')
export const freshSignInRequired = () =>
  new ApiError('fresh_sign_in_required', 'Sign in again: this requires a sign-in within the last hour')
export const badCsrfToken = () =>
  new ApiError('bad_csrf_token', 'Send the csrfToken of GET /api/session in the header x-csrf-token')
export const accountSuspended = () =>
  new ApiError('account_suspended', 'This account is suspended; contact the operator of this service')
export const notFound = (what: string) => new ApiError('not_found', `${what} not found`)
export const conflict = (code: ConflictCode, message: string, fault?: Fault) => new ApiError(code, message, { fault })
/** The value of this field is valid, but does not fit the stored objects. */
export const fieldConflict = (field: string, code: ConflictCode, message: string, fault?: Fault) =>
  new ApiError(code, message, { field, fault })
export const operatorRequired = () => new ApiError('permission_denied', 'Only an operator may do this')
export const tooManyRequests = (seconds: number) =>
  new ApiError('too_many_requests', 'Too many attempts; try again later', {
    headers: { 'retry-after': String(seconds) },
  })

/** An error of a function that the JSON API and the ingest API call. Each API turns it into its own form. */
export class SharedApiError<Code extends IngestCode> extends Error {
  readonly code: Code
  readonly field: string | undefined
  readonly fault: Fault | undefined

  constructor(code: Code, message: string, field?: string, fault?: Fault) {
    super(message)
    this.code = code
    this.field = field
    this.fault = fault
  }

  toApiError(): ApiError {
    return new ApiError(apiCodeOf(this.code), this.message, { field: this.field, fault: this.fault })
  }
}
