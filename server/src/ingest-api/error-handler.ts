import type { FastifyInstance } from 'fastify'
import { toServiceError } from '../api/to-service-error.ts'
import { ImportRefusedError } from '../ingest/problems.ts'
import { ImportFileError } from '../ingest/source.ts'
import type { Logger } from '../logging/log.ts'
import { apiCodeOf } from '../error-codes.ts'
import { ApiError, SharedApiError } from '../errors.ts'
import { invalidRequest, tooLarge, unsupportedMediaType } from './ingest-error.ts'
import { NDJSON_TYPE } from './limits.ts'

/** The error handler: `{"error": {"code", "message", "field"?, "request_id"}}`. */
export function registerErrorHandler(scope: FastifyInstance, log: Logger): void {
  scope.setErrorHandler((error, request, reply) => {
    const answer = toApiError(error, request.routeOptions.bodyLimit)
    if (answer.status >= 500 && !(error instanceof ApiError))
      log[answer.status === 503 ? 'warn' : 'error']({ err: error, request_id: request.id }, 'ingest request failed')
    const { code, message, field } = answer
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .send({
        error: {
          code: code.toUpperCase(),
          message,
          ...(field !== undefined && { field }),
          request_id: request.id,
          ...problemsOf(error),
        },
      })
  })
  scope.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200)
    const message = `Not found: ${request.method} ${path}. /ingest/openapi.json lists the routes`
    return reply.code(404).send({ error: { code: 'NOT_FOUND', message, request_id: request.id } })
  })
}

/** The problems of the lines of a rejected list. */
function problemsOf(error: unknown) {
  if (!(error instanceof ImportRefusedError)) return {}
  return {
    problems: error.problems.map(({ line, field, reason }) => ({
      line,
      ...(field !== undefined && { field }),
      message: field === undefined ? reason : `${field}: ${reason}`,
    })),
  }
}

/** @param bodyLimit the largest body of the route, in bytes */
function toApiError(error: unknown, bodyLimit: number): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof SharedApiError) return error.toApiError()
  if (error instanceof ImportRefusedError)
    return invalidRequest(`Nothing was stored: ${error.count} ${error.count === 1 ? 'line is' : 'lines are'} invalid`)
  if (error instanceof ImportFileError) return invalidRequest(`Nothing was stored. ${error.message}`)
  const { code, message, headers } = toServiceError(error)
  if (code === 'PAYLOAD_TOO_LARGE') return tooLarge(`The body is too large; allowed: ${bodyLimit} bytes`)
  if (code === 'UNSUPPORTED_MEDIA_TYPE')
    return unsupportedMediaType(`Content-Type must be one that /ingest lists for this path, such as ${NDJSON_TYPE}`)
  return new ApiError(apiCodeOf(code), message, { headers })
}
