import Fastify from 'fastify'
import { SECOND } from '../clock.ts'
import type { Dependencies } from '../dependencies.ts'
import { adoptConnections } from '../http/adopted-connections.ts'
import { guardConnections } from '../http/connections.ts'
import { areaOf, countRequest, isQuery } from '../http/count-request.ts'
import { registerHealth } from '../http/health.ts'
import type { Accept } from '../http/listeners.ts'
import type { Metrics } from '../http/metrics.ts'
import { ALWAYS } from '../http/other-requests.ts'
import { createRefusal } from '../http/refuse-request.ts'
import { takeOriginForm } from '../http/request-target.ts'
import { answerUnreadable } from '../http/unreadable-requests.ts'

export interface FallbackServer {
  accept: Accept
  close: () => Promise<void>
}

/**
 * Answers, in the first process, the connections that no worker has had time to take: 503 with Retry-After, and what
 * operators ask for. Each answer ends its connection: the client's next one may find a worker.
 */
export async function createFallbackServer(
  deps: Pick<Dependencies, 'clock' | 'random' | 'log' | 'database'>,
  metrics: Metrics,
  { render, whyNotReady }: { render: Metrics['render']; whyNotReady: Parameters<typeof registerHealth>[3] },
): Promise<FallbackServer> {
  const refuse = createRefusal({ ...deps, metrics })
  const unreadable = answerUnreadable(deps)
  const guarded = guardConnections()
  const fastify = Fastify({
    logger: false,
    clientErrorHandler: (error, socket) => unreadable.answerConnection(error, socket, guarded.underWay(socket)),
    serverFactory: (forOperators) =>
      guarded.createServer((request, response) => {
        response.setHeader('connection', 'close')
        takeOriginForm(request)
        if (!isQuery(request)) countRequest(metrics, areaOf(request), response)
        if (ALWAYS.has(request.url ?? '')) forOperators(request, response)
        else refuse(request, response)
      }),
  })
  registerHealth(fastify, deps.database, { render }, whyNotReady)
  await fastify.ready()
  const connections = adoptConnections(fastify.server)
  return {
    accept: connections.adopt,
    async close() {
      // Those who were refused just now have their answer coming.
      const impatient = setTimeout(() => fastify.server.closeAllConnections(), SECOND)
      await connections.allEnded()
      clearTimeout(impatient)
      await fastify.close()
    },
  }
}
