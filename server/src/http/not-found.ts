import type { FastifyInstance } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { nothingHere } from '../errors.ts'
import { failureBody } from './error-envelope.ts'

/** What stands at no path: the envelope of every other error, with a hint for those who look for the endpoint. */
export function registerNotFound(
  fastify: FastifyInstance,
  { clock, random }: Pick<Dependencies, 'clock' | 'random'>,
): void {
  fastify.setNotFoundHandler((request, reply) => {
    const requestId = random.requestId()
    const path = request.url.split('?', 1)[0] ?? ''
    const body = failureBody([nothingHere(request.method, path)], { requestId, now: clock.now() }, false)
    return reply.code(404).type('application/json; charset=utf-8').header('x-request-id', requestId).send(body)
  })
}
