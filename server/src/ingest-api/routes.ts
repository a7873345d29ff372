import type { FastifyInstance } from 'fastify'
import { collectRoutes } from '../api/openapi-document.ts'
import type { LongUploads } from '../http/long-uploads.ts'
import type { Services } from '../services.ts'
import { logAccess } from './access-log.ts'
import { admit } from './admit.ts'
import { registerErrorHandler } from './error-handler.ts'
import { type BatchDependencies, registerBatches } from './batch-routes.ts'
import { registerDocument } from './document.ts'
import { registerLedger } from './ledger.ts'
import { registerLists } from './lists.ts'
import { registerObjects } from './objects.ts'
import { registerRefresh } from './refreshes.ts'
import { registerSnapshotRoutes } from './snapshots.ts'

/** The parts of the HTTP server that this API uses. */
export interface IngestHttp extends Pick<BatchDependencies, 'metrics' | 'claims'> {
  uploads: LongUploads
}

/** `/ingest`: writes from the operator's own systems (docs/ingest.md). */
export async function registerIngest(fastify: FastifyInstance, deps: Services, http: IngestHttp): Promise<void> {
  await fastify.register(
    async (scope) => {
      const routes = collectRoutes(scope)
      scope.setGenReqId(() => deps.random.bytes(16).toString('hex'))
      scope.addHook('onRequest', async (request, reply) => {
        void reply.headers({
          'x-request-id': request.id,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
      })
      registerErrorHandler(scope, deps.log)
      await scope.register(
        async (v1) => {
          logAccess(v1, deps.log)
          admit(v1, deps)
          await v1.register(async (batches) => registerBatches(batches, { ...deps, ...http }))
          await v1.register(async (lists) => registerLists(lists, deps, http.uploads))
          registerRefresh(v1, deps, http.uploads)
          registerObjects(v1, deps)
          registerLedger(v1, deps)
          registerSnapshotRoutes(v1, deps)
        },
        { prefix: '/v1' },
      )
      registerDocument(scope, routes)
    },
    { prefix: '/ingest' },
  )
}
