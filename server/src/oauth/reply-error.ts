import type { FastifyInstance } from 'fastify'
import { toServiceError } from '../api/to-service-error.ts'
import type { Services } from '../services.ts'
import type { Subject } from './access-log.ts'
import { OauthError } from './errors.ts'
import { forbidStoring } from './http.ts'
import { RequestPageError } from './page-error.ts'
import { sendErrorPage } from './pages/error-page.ts'

export function answerOauthErrors(scope: FastifyInstance, services: Services): void {
  scope.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = describeFailure(services, error, { request_id: request.id, ...request.subject })
    forbidStoring(reply)
    return reply.code(status).headers(headers).send(body)
  })
}

/** The response of a failure. Details are only logged. */
export function describeFailure(
  { log }: Services,
  error: unknown,
  about: Subject & { request_id: string },
): Pick<OauthError, 'status' | 'headers' | 'body'> {
  const answer = toOauthError(error)
  if (answer.status >= 500) log.error({ err: error, ...about }, 'OAuth request failed')
  else log.info({ ...about, error: answer.code, detail: answer.detail ?? answer.message }, 'OAuth request refused')
  return { status: answer.status, headers: answer.headers, body: answer.body }
}

export function answerPageErrors(scope: FastifyInstance, { log, config }: Services): void {
  const { brand } = config
  scope.setErrorHandler((error, request, reply) => {
    if (error instanceof RequestPageError) {
      log.info({ request_id: request.id, detail: error.message }, 'authorization request refused')
      return sendErrorPage(reply, brand, error)
    }
    const answer = toOauthError(error)
    if (answer.status >= 500) log.error({ err: error, request_id: request.id }, 'sign-in page failed')
    const { status, headers } = answer
    const fault = status === 503 ? 'unavailable' : status >= 500 ? 'failed' : 'invalid'
    return sendErrorPage(reply.headers(headers), brand, { status, fault, detail: `${answer.message}.` })
  })
}

function toOauthError(error: unknown): OauthError {
  if (error instanceof OauthError) return error
  const { code, message, status, headers } = toServiceError(error)
  if (code === 'UNAVAILABLE') return new OauthError('temporarily_unavailable', message, { headers })
  if (code === 'INTERNAL_ERROR') return new OauthError('server_error', message, { headers })
  return new OauthError('invalid_request', message, { status, headers })
}
