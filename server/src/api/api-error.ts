/** A failure of the JSON API that is the caller's to know (contract 6). Anything else that is thrown is an internal error. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    extras: { field?: string; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.field = extras.field
    this.headers = extras.headers ?? {}
  }
}

export const invalidField = (field: string, message: string) =>
  new ApiError(400, 'invalid_argument', `${field} ${message}`, { field })
export const signInRequired = () => new ApiError(401, 'sign_in_required', 'Sign in first')
export const freshSignInRequired = () =>
  new ApiError(403, 'fresh_sign_in_required', 'Sign in again first: this needs a sign-in within the last hour')
export const badCsrfToken = () =>
  new ApiError(403, 'bad_csrf_token', 'Send the csrfToken of GET /api/session in the header x-csrf-token')
export const notFound = (what: string) => new ApiError(404, 'not_found', `${what} not found`)
export const conflict = (code: string, message: string) => new ApiError(409, code, message)
export const operatorRequired = () => new ApiError(403, 'permission_denied', 'Only an operator may do this')
export const tooManyRequests = (seconds: number) =>
  new ApiError(429, 'too_many_requests', 'Too many attempts; try again later', {
    headers: { 'retry-after': String(seconds) },
  })
