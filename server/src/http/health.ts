import type { FastifyInstance } from 'fastify'
import type { Reader } from '../database/statement.ts'
import { askDatabase } from './health.queries.ts'
import type { Metrics } from './metrics.ts'

/** Paths for operators: alive at all, able to answer, and the figures. */
export function registerHealth(
  fastify: FastifyInstance,
  reader: Reader,
  { render }: Pick<Metrics, 'render'>,
  whyNotReady: () => 'starting' | 'stopping' | undefined,
): void {
  fastify.get('/healthz', () => ({ status: 'ok' }))
  fastify.get('/readyz', async (_, reply) => {
    const reason = whyNotReady()
    if (reason !== undefined) return reply.code(503).header('retry-after', '1').send({ status: reason })
    try {
      await askDatabase(reader)
      return { status: 'ok' }
    } catch {
      return reply.code(503).header('retry-after', '1').send({ status: 'database unreachable' })
    }
  })
  fastify.get('/metrics', async (_, reply) => {
    const { type, body } = await render()
    return reply.type(type).send(body)
  })
}
