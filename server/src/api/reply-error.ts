import type { FastifyInstance } from 'fastify'
import { isUnavailable } from '../database/connection.ts'
import { ApiError, apiError } from './api-error.ts'
import type { Services } from '../services.ts'

/** The error handler: `{"error": {"code", "message", "field"?, "request_id"}}`. */
export function answerApiErrors(scope: FastifyInstance, { log }: Services): void {
  scope.setErrorHandler((error, request, reply) => {
    const answer = toApiError(error)
    if (answer.status >= 500 && !(error instanceof ApiError))
      log.error({ err: error, request_id: request.id }, 'an API request failed')
    const { code, message, field } = answer
    return reply
      .code(answer.status)
      .headers({ 'cache-control': 'no-store', ...answer.headers })
      .send({ error: { code, message, ...(field !== undefined && { field }), request_id: request.id } })
  })
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error))
    return apiError('UNAVAILABLE', 'The service is temporarily unavailable', {
      headers: { 'retry-after': '1' },
    })
  const status = (error as { statusCode?: unknown }).statusCode
  if (status === 413) return apiError('PAYLOAD_TOO_LARGE', 'The body is too large')
  if (status === 415) return apiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json')
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new ApiError(status, 'invalid_argument', 'The request cannot be read: send well-formed JSON')
  return apiError('INTERNAL_ERROR', 'Internal error')
}
