import { ApiError } from '../errors.ts'

export const invalidRequest = (message: string, field?: string) => new ApiError('invalid_argument', message, { field })
export const tokenRequired = () =>
  new ApiError(
    'token_required',
    'Access token is required: an ingest token (qbi_…) in the header Authorization: Bearer',
  )
export const invalidToken = (reason: string) => new ApiError('invalid_token', `Invalid access token: ${reason}`)
export const permissionDenied = (message: string, field?: string) =>
  new ApiError('permission_denied', message, { field })
export const tooLarge = (message: string) => new ApiError('payload_too_large', message)
export const unsupportedMediaType = (message: string) => new ApiError('unsupported_media_type', message)
export const tooManyAtOnce = (message: string) =>
  new ApiError('quota_exceeded', message, { headers: { 'retry-after': '1' } })
export const overloaded = () =>
  new ApiError('unavailable', 'The service is overloaded; retry later', {
    headers: { 'retry-after': '1' },
  })
