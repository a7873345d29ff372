import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging/log.ts'

/** A line in the log for each request that was answered, as queries have one (docs/watch.md). */
export function logAccess(scope: FastifyInstance, log: Logger): void {
  scope.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        token_id: request.ingestCaller?.tokenId,
        operation: `${request.method} ${request.routeOptions.url ?? ''}`,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1e3) / 1e3,
      },
      'ingest',
    )
  })
}
