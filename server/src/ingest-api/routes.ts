import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { collectRoutes } from '../openapi/document.ts'
import { answerErrors } from './answer-errors.ts'
import { authenticateIngest, type IngestCaller } from './authenticate.ts'
import { createAwardQueue } from './award-queue.ts'
import { storeAwards } from './awards.ts'
import { tooManyAtOnce, unsupportedMediaType } from './ingest-error.ts'
import { BODY_LIMIT, JSON_TYPE, MOST_AT_ONCE, NDJSON_TYPE } from './limits.ts'
import { type RawBody, readItems } from './read-items.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ingestCaller: IngestCaller | null
  }
}

/** `/ingest`: an operator's own systems write here (docs/ingest.md). */
export async function registerIngest(fastify: FastifyInstance, deps: Dependencies): Promise<void> {
  const awards = createAwardQueue(deps)
  await fastify.register(
    async (scope) => {
      collectRoutes(scope)
      scope.setGenReqId(() => deps.random.bytes(16).toString('hex'))
      scope.addHook('onRequest', async (request, reply) => {
        void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
      })
      answerErrors(scope, deps.log)
      await scope.register(
        async (v1) => {
          acceptBatches(v1)
          admit(v1, deps)
          v1.post('/awards', (request) => storeAwards(awards, callerOf(request), itemsOf(request)))
        },
        { prefix: '/v1' },
      )
    },
    { prefix: '/ingest' },
  )
}

/** Bodies stay text until the token is known to be good. */
function acceptBatches(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_LIMIT
  })
  scope.removeAllContentTypeParsers()
  for (const [type, format] of [
    [JSON_TYPE, 'json'],
    [NDJSON_TYPE, 'ndjson'],
  ] as const)
    scope.addContentTypeParser(
      type,
      { parseAs: 'string' },
      async (_request: FastifyRequest, text: string | Buffer) => ({
        format,
        text: String(text),
      }),
    )
}

/** Lets in who has a token, and of each token only so many requests at once. */
function admit(scope: FastifyInstance, deps: Dependencies): void {
  const atWork = new Map<string, number>()
  scope.decorateRequest('ingestCaller', null)
  scope.addHook('onRequest', async (request, reply) => {
    const caller = await authenticateIngest(deps, request)
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity')
      throw unsupportedMediaType('Content-Encoding is not supported; send the body as it is')
    const running = atWork.get(caller.tokenId) ?? 0
    if (running >= MOST_AT_ONCE)
      throw tooManyAtOnce(`This token has ${running} requests under way; allowed: ${MOST_AT_ONCE} at once`)
    atWork.set(caller.tokenId, running + 1)
    reply.raw.once('close', () => {
      const left = (atWork.get(caller.tokenId) ?? 1) - 1
      if (left === 0) atWork.delete(caller.tokenId)
      else atWork.set(caller.tokenId, left)
    })
    request.ingestCaller = caller
  })
}

function callerOf(request: FastifyRequest): IngestCaller {
  if (!request.ingestCaller) throw new Error('a route of the ingest API runs without its caller')
  return request.ingestCaller
}

const itemsOf = (request: FastifyRequest) => readItems(request.body as RawBody | undefined)
