/** A request to the ingest API that was refused as a whole. Anything else that is thrown is an internal error. */
export class IngestError extends Error {
  override name = 'IngestError'
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
    this.status = status
    this.code = code
    this.field = extras.field
    this.headers = extras.headers ?? {}
  }
}

export const invalidRequest = (message: string, field?: string) =>
  new IngestError(400, 'INVALID_ARGUMENT', message, field === undefined ? {} : { field })
export const tokenRequired = () =>
  new IngestError(
    401,
    'TOKEN_REQUIRED',
    'Access token is required: an ingest token (qbi_…) in the header Authorization: Bearer',
  )
export const invalidToken = (reason: string) => new IngestError(401, 'INVALID_TOKEN', `Invalid access token: ${reason}`)
export const permissionDenied = (message: string, field?: string) =>
  new IngestError(403, 'PERMISSION_DENIED', message, field === undefined ? {} : { field })
export const tooLarge = (message: string) => new IngestError(413, 'PAYLOAD_TOO_LARGE', message)
export const unsupportedMediaType = (message: string) => new IngestError(415, 'UNSUPPORTED_MEDIA_TYPE', message)
export const tooManyAtOnce = (message: string) =>
  new IngestError(429, 'QUOTA_EXCEEDED', message, { headers: { 'retry-after': '1' } })
export const overloaded = () =>
  new IngestError(503, 'UNAVAILABLE', 'More is arriving than can be stored; send it again later', {
    headers: { 'retry-after': '1' },
  })
export const unavailable = () =>
  new IngestError(503, 'UNAVAILABLE', 'The service is temporarily unavailable; send it again later', {
    headers: { 'retry-after': '1' },
  })
