import type { FastifyInstance } from 'fastify'

/**
 * Takes an empty body as none: many clients say `content-type: application/json` with every request, also with a DELETE.
 * A route that needs a body says so itself. Bodies are read by the framework as ever.
 */
export function takeEmptyJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeContentTypeParser('application/json')
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else void parse(request, text, done)
  })
}
