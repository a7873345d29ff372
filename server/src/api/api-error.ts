import { codes, type ErrorCode } from '../errors.ts'

interface ApiErrorExtras {
  field?: string | undefined
  headers?: Record<string, string>
}

/** An error response of the JSON or ingest API. Other thrown errors are internal errors. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  readonly headers: Record<string, string>

  constructor(status: number, code: string, message: string, extras: ApiErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = extras.field
    this.headers = extras.headers ?? {}
  }
}

/** An error from the catalogue in errors.ts. The JSON API uses lower-case codes. */
export const apiError = (code: ErrorCode, message: string, extras?: ApiErrorExtras) =>
  new ApiError(codes[code].status, code.toLowerCase(), message, extras)

/** An error of the ingest API, which uses the codes as they are in the catalogue. */
export const ingestError = (code: ErrorCode, message: string, extras?: ApiErrorExtras) =>
  new ApiError(codes[code].status, code, message, extras)

export const invalidField = (field: string, message: string) =>
  apiError('INVALID_ARGUMENT', `${field} ${message}`, { field })
export const signInRequired = () => new ApiError(401, 'sign_in_required', 'Sign in first')
export const freshSignInRequired = () =>
  new ApiError(403, 'fresh_sign_in_required', 'Sign in again: this requires a sign-in within the last hour')
export const badCsrfToken = () =>
  new ApiError(403, 'bad_csrf_token', 'Send the csrfToken of GET /api/session in the header x-csrf-token')
export const notFound = (what: string) => apiError('NOT_FOUND', `${what} not found`)
export const conflict = (code: string, message: string) => new ApiError(409, code, message)
export const operatorRequired = () => apiError('PERMISSION_DENIED', 'Only an operator may do this')
export const tooManyRequests = (seconds: number) =>
  new ApiError(429, 'too_many_requests', 'Too many attempts; try again later', {
    headers: { 'retry-after': String(seconds) },
  })
