import { ingestError } from '../errors.ts'

export const invalidRequest = (message: string, field?: string) => ingestError('INVALID_ARGUMENT', message, { field })
export const tokenRequired = () =>
  ingestError('TOKEN_REQUIRED', 'Access token is required: an ingest token (qbi_…) in the header Authorization: Bearer')
export const invalidToken = (reason: string) => ingestError('INVALID_TOKEN', `Invalid access token: ${reason}`)
export const permissionDenied = (message: string, field?: string) =>
  ingestError('PERMISSION_DENIED', message, { field })
export const tooLarge = (message: string) => ingestError('PAYLOAD_TOO_LARGE', message)
export const unsupportedMediaType = (message: string) => ingestError('UNSUPPORTED_MEDIA_TYPE', message)
export const tooManyAtOnce = (message: string) =>
  ingestError('QUOTA_EXCEEDED', message, { headers: { 'retry-after': '1' } })
export const overloaded = () =>
  ingestError('UNAVAILABLE', 'The service is overloaded; retry later', {
    headers: { 'retry-after': '1' },
  })
