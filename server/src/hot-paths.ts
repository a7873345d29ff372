import type { IncomingMessage, ServerResponse } from 'node:http'
import { createAuthenticator } from './access/authenticate-server-token.ts'
import { createPublishableAuthenticator } from './access/authenticate-publishable.ts'
import { createPersistedDocuments } from './access/persisted-documents.ts'
import { createQuota } from './access/quota.ts'
import { createRequestLog } from './access/request-log.ts'
import { createUsageRecorder } from './access/usage.ts'
import { createCursors } from './graphql/signed-cursors.ts'
import { encryptCursors } from './graphql/encrypted-cursors.ts'
import { installationValue } from './database/installation.queries.ts'
import type { Replicas } from './database/replicas.ts'
import type { Services } from './services.ts'
import { fieldTable } from './resolvers/tables.ts'
import { createCompiler } from './graphql/compile.ts'
import { CacheValidators } from './graphql/cache-validators.ts'
import { admit } from './http/admission.ts'
import { createTokenDetailRefusal, createTokenDetailRoute } from './oauth/token-detail.ts'
import { createResponseCache } from './http/response-cache.ts'
import { isMcp } from './http/count-request.ts'
import { keepForwardedAddresses } from './http/forwarded-for.ts'
import type { Metrics } from './http/metrics.ts'
import { createPublishableRoute } from './http/publishable/route.ts'
import { isPublishable } from './http/publishable/tokens.ts'
import { createQueryRoute, type QueryRouteServices } from './http/query-route.ts'
import { countRefusals, createRefusal } from './http/refuse-request.ts'
import { createNetworkOf } from './audit/network-of-request.ts'
import { accessLog } from './logging/log.ts'
import type { Tracing } from './tracing/tracing.ts'
import type { Checks } from './sync/checks.ts'
import { MANUAL_FOLDER } from './manual/routes.ts'
import { createManualSearch } from './manual/search.ts'
import { failureOf } from './mcp/message.ts'
import { createMcpRoute } from './mcp/route.ts'
import { createUserAuthenticator } from './mcp/user-caller.ts'
import { awaitingDueTransitions } from './ranking/quests/transitions.ts'

const CURSOR_KEY_BYTES = 32

/** Handles requests without Fastify. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** The hot paths, which bypass Fastify: queries of every kind, MCP, and the details of a token. */
export async function createHotPaths(
  services: Services,
  {
    metrics,
    tracing,
    replicas,
    checkLive,
  }: { metrics: Metrics; tracing: Tracing; replicas: Replicas; checkLive: Checks['live'] },
) {
  const { database, clock, random, log, config, site } = services
  const cursorKey = await installationValue(database.kysely, 'cursor-key', () =>
    random.bytes(CURSOR_KEY_BYTES).toString('hex'),
  )
  const cursors = createCursors(Buffer.from(cursorKey, 'hex'))
  const publicCursors = encryptCursors(cursors, Buffer.from(cursorKey, 'hex'))
  const quota = createQuota(database.pool, clock, log)
  const usage = createUsageRecorder(database.pool, clock, log)
  const tokenRequests = createRequestLog(database.pool, log)
  const newestBoards = new Map<number, number>()
  const dueTransitions = awaitingDueTransitions({ database, clock })
  const requestLog = tracing.accessLog(accessLog(log, clock))
  const queryServices: QueryRouteServices = {
    clock,
    random,
    log,
    accessLog: requestLog,
    authenticator: tracing.methods(createAuthenticator(database, clock), { authenticate: 'authenticate' }),
    quota: tracing.methods(quota, { spend: 'quota' }),
    usage,
    tokenRequests,
    compiler: tracing.methods(createCompiler(fieldTable(site)), { compile: 'compile' }),
    responseCache: tracing.methods(createResponseCache(database, clock), { find: 'cache' }),
    metrics,
    contextFor: (caller) => {
      const reader = tracing.reader(replicas.forRequest())
      return {
        reader,
        clock,
        cursors: caller.publishable ? publicCursors : cursors,
        newestBoards,
        cacheValidators: new CacheValidators(),
        accountId: caller.accountId,
        areas: caller.areas,
        spacesOfToken: caller.publishable?.spaces,
        checkLive,
        applyDueTransitions: () => dueTransitions().finally(() => reader.wrote()),
      }
    },
  }
  const networkOf = createNetworkOf(config)
  const publicRoute = {
    ...queryServices,
    responseCache: tracing.methods(createResponseCache(database, clock), { find: 'cache' }),
    publishable: tracing.methods(createPublishableAuthenticator(database, clock), { authenticate: 'authenticate' }),
    metrics,
    documents: createPersistedDocuments(services, metrics.persistedDocument),
    networkOf(request: IncomingMessage) {
      keepForwardedAddresses(request)
      return networkOf(request)
    },
  }
  const query = createQueryRoute(queryServices)
  const publishableQuery = createPublishableRoute(publicRoute)
  const mcp = createMcpRoute({
    ...queryServices,
    site,
    authenticateUser: createUserAuthenticator(services),
    searchManual: createManualSearch(MANUAL_FOLDER, site.issuer),
  })
  const anyQuery = tracing.handler((request, response) => {
    if (isMcp(request)) return mcp(request, response)
    return isPublishable(request) ? publishableQuery(request, response) : query(request, response)
  })
  const admitted = admit(anyQuery, createRefusal({ clock, random, log, metrics, mcpFailure: failureOf }), clock)
  metrics.watch({
    name: 'questboard_queries_under_way',
    help: 'Queries of this process that run or wait, by state.',
    label: 'state',
    read: admitted.load,
  })
  const tokenDetail = admit(
    tracing.handler(createTokenDetailRoute(services, requestLog)),
    createTokenDetailRefusal(services, countRefusals(log)),
    clock,
  )
  return {
    queryServices,
    publicRoute,
    query,
    dueTransitions,
    handlers: { anyQuery, admitted, tokenDetail },
    async close() {
      await Promise.all([quota.close(), usage.close(), tokenRequests.close()])
    },
  }
}
