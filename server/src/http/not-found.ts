import type { FastifyInstance } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { nothingHere } from '../errors.ts'
import { failureBody } from './error-envelope.ts'
import { isForPage, MISSING_PAGE, MISSING_PAGE_HEADERS } from './missing-page.ts'

/**
 * What stands at no path: a page for who looks for one, and for programs the envelope of every other error, with a hint
 * for those who look for the endpoint.
 */
export function registerNotFound(
  fastify: FastifyInstance,
  { clock, random }: Pick<Dependencies, 'clock' | 'random'>,
): void {
  fastify.setNotFoundHandler((request, reply) => {
    const requestId = random.requestId()
    void reply.code(404).headers({ 'x-request-id': requestId, vary: 'accept' })
    if (isForPage(request.method, request.headers.accept))
      return reply.headers(MISSING_PAGE_HEADERS).type('text/html; charset=utf-8').send(MISSING_PAGE)
    const path = request.url.split('?', 1)[0] ?? ''
    const body = failureBody([nothingHere(request.method, path)], { requestId, now: clock.now() }, false)
    return reply.type('application/json; charset=utf-8').send(body)
  })
}
