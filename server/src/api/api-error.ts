import { codes, type ErrorCode } from '../errors.ts'

interface ApiErrorExtras {
  field?: string | undefined
  headers?: Record<string, string>
}

/** An error response of the JSON API or the ingest API. Every other error that is thrown is an internal error. */
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

/** An error of the catalogue in errors.ts; the JSON API writes its codes in lower case. */
export const apiError = (code: ErrorCode, message: string, extras?: ApiErrorExtras) =>
  new ApiError(codes[code].status, code.toLowerCase(), message, extras)

/** The same for the ingest API, which writes the codes as the catalogue does. */
export const ingestError = (code: ErrorCode, message: string, extras?: ApiErrorExtras) =>
  new ApiError(codes[code].status, code, message, extras)

export const invalidField = (field: string, message: string) =>
  apiError('INVALID_ARGUMENT', `${field} ${message}`, { field })
export const signInRequired = () => new ApiError(401, 'sign_in_required', 'Sign in first')
export const freshSignInRequired = () =>
  new ApiError(403, 'fresh_sign_in_required', 'Sign in again first: this needs a sign-in within the last hour')
export const badCsrfToken = () =>
  new ApiError(403, 'bad_csrf_token', 'Send the csrfToken of GET /api/session in the header x-csrf-token')
export const notFound = (what: string) => apiError('NOT_FOUND', `${what} not found`)
export const conflict = (code: string, message: string) => new ApiError(409, code, message)
export const operatorRequired = () => apiError('PERMISSION_DENIED', 'Only an operator may do this')
export const tooManyRequests = (seconds: number) =>
  new ApiError(429, 'too_many_requests', 'Too many attempts; try again later', {
    headers: { 'retry-after': String(seconds) },
  })
