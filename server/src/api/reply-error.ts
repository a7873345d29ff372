import type { FastifyInstance } from 'fastify'
import { apiCodeOf } from '../error-codes.ts'
import { ApiError, SharedApiError } from '../errors.ts'
import { toServiceError } from './to-service-error.ts'
import type { Services } from '../services.ts'

/** The error handler: `{"error": {"code", "message", "field"?, …details, "request_id"}}`. */
export function answerApiErrors(scope: FastifyInstance, { log }: Services): void {
  scope.setErrorHandler((thrown, request, reply) => {
    const error = thrown instanceof SharedApiError ? thrown.toApiError() : thrown
    const answer = toApiError(error)
    if (answer.status >= 500 && !(error instanceof ApiError))
      log.error({ err: error, request_id: request.id }, 'an API request failed')
    const { code, message, field, details } = answer
    return reply
      .code(answer.status)
      .headers({ 'cache-control': 'no-store', ...answer.headers })
      .send({ error: { code, message, ...(field !== undefined && { field }), ...details, request_id: request.id } })
  })
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { code, message, headers } = toServiceError(error)
  return new ApiError(apiCodeOf(code), message, { headers })
}
