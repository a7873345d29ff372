import type { FastifyInstance } from 'fastify'

/**
 * Treats an empty body as a missing one, because many clients send `content-type: application/json` with every request,
 * even with DELETE.
 */
export function takeEmptyJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeContentTypeParser('application/json')
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else void parse(request, text, done)
  })
}
