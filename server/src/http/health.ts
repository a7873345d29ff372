import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/connection.ts'
import { takesWrites } from './health.queries.ts'
import type { Metrics } from './metrics.ts'

/** Paths for operators: `/healthz`, `/readyz` and `/metrics`. */
export function registerHealth(
  fastify: FastifyInstance,
  database: Pick<Database, 'read' | 'pool'>,
  { render }: Pick<Metrics, 'render'>,
  notReadyReason: () => 'starting' | 'stopping' | undefined,
): void {
  fastify.get('/healthz', () => ({ status: 'ok' }))
  fastify.get('/readyz', async (_, reply) => {
    const notReady = (status: string) => reply.code(503).header('retry-after', '1').send({ status })
    const reason = notReadyReason()
    if (reason !== undefined) return notReady(reason)
    try {
      return (await takesWrites(database)) ? { status: 'ok' } : await notReady('database read-only')
    } catch {
      return notReady('database unreachable')
    }
  })
  fastify.get('/metrics', async (_, reply) => {
    const { type, body } = await render()
    return reply.type(type).send(body)
  })
}
