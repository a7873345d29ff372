import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Claims } from '../claims/claims.ts'
import type { Dependencies, Services } from '../services.ts'
import { starboardNotFound } from '../errors.ts'
import type { LongUploads } from '../http/long-uploads.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Format } from '../ingest/read-rows.ts'
import { kinds } from '../ingest/kinds.ts'
import { collectRoutes, openApiDocument } from '../api/openapi-document.ts'
import { apiPage } from '../api/openapi-page.ts'
import { UPLOAD_TIMEOUT, SILENT_UPLOAD } from '../lifetimes.ts'
import { logAccess } from './access-log.ts'
import { admit, callerOf } from './admit.ts'
import { answerErrors } from './answer-errors.ts'
import { createAwardQueue } from './award-queue.ts'
import { storeAwards } from './awards.ts'
import { batchKinds } from './batch-kinds.ts'
import { storeItems } from './batches.ts'
import { boundBodies } from './bodies.ts'
import { requireQuest, storeCompletions } from './completions.ts'
import {
  describeAwards,
  describeBatch,
  describeCompletions,
  describeDocument,
  describePage,
  describeReferrals,
  describeRefresh,
  describeReplace,
  describeReversals,
  description,
} from './describe.ts'
import { permissionDenied, tooLarge } from './ingest-error.ts'
import { BATCHES, BODY_LIMIT, JSON_TYPE, NDJSON_TYPE, UPLOAD_LIMIT, UPLOADS } from './limits.ts'
import { registerLedger } from './ledger.ts'
import { registerObjects } from './objects.ts'
import { type RawBody, readItems } from './read-items.ts'
import { storeReferrals } from './referrals.ts'
import { createRefreshes } from './refreshes.ts'
import { replaceList, type Upload } from './replace-list.ts'
import type { BatchAnswer } from './results.ts'
import { createReversalQueue, storeReversals } from './reversals.ts'
import { registerSnapshotRoutes } from './snapshots.ts'
import { createSlots } from './slots.ts'

/** The parts of the HTTP server that this API uses. */
export interface IngestHttp {
  uploads: LongUploads
  metrics: Pick<Metrics, 'ingested' | 'watch'>
  claims: Claims
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
      answerErrors(scope, deps.log)
      await scope.register(
        async (v1) => {
          logAccess(v1, deps.log)
          admit(v1, deps)
          await v1.register(async (batches) => registerBatches(batches, deps, http))
          await v1.register(async (lists) => registerLists(lists, deps, http))
          registerRefresh(v1, deps, http)
          registerObjects(v1, deps)
          registerLedger(v1, deps)
          registerSnapshotRoutes(v1, deps)
        },
        { prefix: '/v1' },
      )
      scope.get('/openapi.json', { config: { api: describeDocument } }, async () =>
        openApiDocument(description, routes),
      )
      scope.get('/', { config: { api: describePage } }, async (_request, reply) => {
        const { html, contentSecurityPolicy } = apiPage(description, routes, '/ingest/openapi.json')
        return reply
          .type('text/html; charset=utf-8')
          .headers({ 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' })
          .send(html)
      })
    },
    { prefix: '/ingest' },
  )
}

function registerBatches(scope: FastifyInstance, deps: Dependencies, { metrics, claims }: IngestHttp): void {
  const awards = createAwardQueue(deps)
  metrics.watch({
    name: 'questboard_awards_waiting',
    help: 'Awards that this process has received and not stored yet.',
    read: awards.waiting,
  })
  metrics.watch({
    name: 'questboard_claims_waiting',
    help: 'Claims of quests that this process has accepted and not decided yet.',
    read: claims.waiting,
  })
  const reversals = createReversalQueue(deps)
  const slots = createSlots(BATCHES)
  boundBodies(scope)
  scope.removeAllContentTypeParsers()
  for (const [type, format] of [
    [JSON_TYPE, 'json'],
    [NDJSON_TYPE, 'ndjson'],
  ] as const)
    scope.addContentTypeParser(
      type,
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      async (_request: FastifyRequest, text: string | Buffer) => ({ format, text: String(text) }),
    )
  // Frees the text, which may be megabytes, while the request is processed.
  const itemsOf = (request: FastifyRequest) => {
    const body = request.body as RawBody | undefined
    request.body = undefined
    return readItems(body)
  }
  const counted = (kind: string, answer: BatchAnswer): BatchAnswer => {
    for (const [status, items] of Object.entries(answer.summary)) metrics.ingested(kind, status, items)
    return answer
  }

  scope.post('/awards', { config: { api: describeAwards } }, async (request) =>
    counted('awards', await storeAwards(awards, callerOf(request), itemsOf(request))),
  )
  scope.post('/awards/reversals', { config: { api: describeReversals } }, async (request) =>
    counted('reversals', await storeReversals(reversals, callerOf(request), itemsOf(request))),
  )
  scope.post(
    '/quests/:questId/completions',
    { config: { api: describeCompletions } },
    async (request: FastifyRequest<{ Params: { questId: string } }>) => {
      const { questId } = request.params
      const caller = callerOf(request)
      await requireQuest(deps, caller, questId)
      return counted('completions', await storeCompletions(claims, caller, questId, itemsOf(request)))
    },
  )
  scope.post('/referrals', { config: { api: describeReferrals } }, async (request) =>
    counted('referrals', await storeReferrals(deps, callerOf(request), itemsOf(request))),
  )
  for (const batch of batchKinds)
    scope.post(`/${batch.path}`, { config: { api: describeBatch(batch) } }, (request) => {
      const { tokenId, scope } = callerOf(request)
      const permissions = batch.scope(scope)
      // Parse after waiting, because parsed items take far more memory than the text.
      return slots.run(tokenId, async () => {
        const items = itemsOf(request)
        const kind = batch.prepare ? await batch.prepare(deps.database, items) : (batch.within?.(scope) ?? batch.kind)
        return counted(batch.path, await storeItems({ ...deps, actor: tokenId }, kind, permissions, items))
      })
    })
}

function registerLists(scope: FastifyInstance, deps: Dependencies, { uploads }: IngestHttp): void {
  const slots = createSlots(UPLOADS)
  scope.removeAllContentTypeParsers()
  for (const [type, format] of [
    ['text/plain', { type: 'list', field: 'address' }],
    [NDJSON_TYPE, { type: 'ndjson' }],
  ] satisfies [string, Format][])
    scope.addContentTypeParser(type, async (_request: FastifyRequest, bytes: Readable) => ({ format, bytes }))

  scope.post(
    '/holders/replace',
    { config: { api: describeReplace }, bodyLimit: UPLOAD_LIMIT, handlerTimeout: UPLOAD_TIMEOUT },
    (request: FastifyRequest<{ Querystring: { credentialId?: unknown } }>, reply) => {
      const caller = callerOf(request)
      if (Number(request.headers['content-length'] ?? 0) > UPLOAD_LIMIT)
        throw tooLarge(`The body is too large; allowed: ${UPLOAD_LIMIT} bytes`)
      // This runs before the wait, because the server would otherwise time out the request.
      uploads.allow(request.raw)
      reply.raw.once('close', () => drainRequest(request.raw))
      return slots.run(caller.tokenId, () =>
        replaceList(deps, caller, request.query.credentialId, request.body as Upload),
      )
    },
  )
}

/** After the response, reads the rest of the body for a while, so that the client can read the response. */
function drainRequest(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  const end = () => {
    if (!request.complete) request.destroy()
  }
  setTimeout(end, SILENT_UPLOAD).unref()
}

function registerRefresh(scope: FastifyInstance, deps: Dependencies, { uploads }: IngestHttp): void {
  const refresh = createRefreshes(deps)
  scope.post(
    '/starboards/:starboardId/refresh',
    { config: { api: describeRefresh }, handlerTimeout: UPLOAD_TIMEOUT },
    async (request: FastifyRequest<{ Params: { starboardId: string } }>) => {
      const { starboardId } = request.params
      const { tokenId, scope } = callerOf(request)
      if (kinds.starboards.fields.id?.read(starboardId) === undefined) throw starboardNotFound()
      const { starboardIds } = scope
      if (starboardIds && !starboardIds.includes(starboardId))
        throw permissionDenied(`This token may not write starboard ${starboardId.slice(0, 100)}`, 'starboardId')
      uploads.allow(request.raw)
      return refresh(tokenId, starboardId)
    },
  )
}
