import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging/log.ts'

/** Writes one log line for each response (docs/watch.md). */
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
