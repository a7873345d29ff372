import type { FastifyInstance } from 'fastify'
import { isUnavailable } from '../database/connection.ts'
import { ApiError } from './api-error.ts'
import type { Services } from '../services.ts'

/** The one place where failures of the JSON API become answers: `{"error": {"code", "message", "field"?, "request_id"}}`. */
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
    return new ApiError(503, 'unavailable', 'The service is temporarily unavailable', {
      headers: { 'retry-after': '1' },
    })
  const status = (error as { statusCode?: unknown }).statusCode
  if (status === 413) return new ApiError(413, 'payload_too_large', 'The body is too large')
  if (status === 415) return new ApiError(415, 'unsupported_media_type', 'Content-Type must be application/json')
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new ApiError(status, 'invalid_argument', 'The request cannot be read: send well-formed JSON')
  return new ApiError(500, 'internal_error', 'Internal error')
}
