import { isUnavailable } from '../database/connection.ts'
import { internalError, rangeNotSatisfiable, ServiceError, unavailable, unreadableRequest } from '../errors.ts'

/**
 * Converts anything that a handler or Fastify throws to an error of the catalogue. The families of endpoints (GraphQL,
 * JSON API, ingest API, OAuth) differ only in the shape of their response.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (isUnavailable(error)) return unavailable(error)
  const { statusCode: status, headers } = error as { statusCode?: unknown; headers?: Record<string, string> }
  if (status === 413) return new ServiceError('PAYLOAD_TOO_LARGE', 'The body is too large')
  if (status === 415) return new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type is not supported')
  // @fastify/static throws this error.
  if (status === 416) return rangeNotSatisfiable(headers?.['Content-Range'] ?? 'bytes */*')
  if (typeof status === 'number' && status >= 400 && status < 500)
    return unreadableRequest('The request cannot be read: its body is malformed')
  return internalError(error)
}
