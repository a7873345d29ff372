import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toServiceError } from '../api/to-service-error.ts'
import type { Dependencies } from '../services.ts'
import { unknownPath, type ServiceError, wrongMethod } from '../errors.ts'
import { failureShape } from './failure-shape.ts'
import { languages } from '../texts/languages.ts'
import { pageTexts } from '../texts/page-texts.ts'
import { languageOf } from '../texts/request-language.ts'
import type { MethodsAt } from './known-paths.ts'
import { isForPage, missingKindOf, missingKinds, missingPage, missingPageHeaders } from './missing-page.ts'

/**
 * Handles unknown paths, and failures that no route handles: browsers get a page, and programs get the usual error
 * format.
 */
export function registerNotFound(
  fastify: FastifyInstance,
  { clock, random, log, config }: Pick<Dependencies, 'clock' | 'random' | 'log' | 'config'>,
  methodsAt: MethodsAt,
): void {
  const pages = new Map(
    languages.flatMap((language) =>
      missingKinds.map(
        (kind) => [`${language} ${kind}`, missingPage(config.brand, pageTexts[language], kind)] as const,
      ),
    ),
  )
  const pageHeaders = missingPageHeaders(config.brand)
  const send = (request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply => {
    const requestId = random.requestId()
    if (error.status >= 500) log.error({ request_id: requestId, err: error.cause ?? error }, 'a request failed')
    void reply.code(error.status).headers({ 'x-request-id': requestId, vary: 'accept', ...error.headers })
    if (error.status === 404 && isForPage(request.method, request.headers.accept)) {
      const language = languageOf(request)
      void reply.headers({ ...pageHeaders, 'content-language': language, vary: 'accept, accept-language' })
      return reply.type('text/html; charset=utf-8').send(pages.get(`${language} ${missingKindOf(request.url)}`))
    }
    const body = failureShape(request.url, error, { requestId, now: clock.now() })
    return reply.type('application/json; charset=utf-8').send(body)
  }
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { method } = request
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = methodsAt(path)
    const known = allowed.length > 0 && !allowed.includes(method)
    return send(request, reply, known ? wrongMethod(method, path, allowed) : unknownPath(method, path))
  }
  fastify.setNotFoundHandler((request, reply) => void sendNotFound(request, reply))
  fastify.setErrorHandler((error, request, reply) =>
    // For an unknown path, 404 is more useful than an error about the body.
    request.is404 ? sendNotFound(request, reply) : send(request, reply, toServiceError(error)),
  )
}
