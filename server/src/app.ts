import type { IncomingMessage, Server } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Caller, createAuthenticator } from './access/authenticate.ts'
import { createPublishableAuthenticator } from './access/authenticate-publishable.ts'
import { createPersistedDocuments } from './access/persisted-documents.ts'
import { createQuota } from './access/quota.ts'
import { createRequestLog } from './access/request-log.ts'
import { createUsageRecorder } from './access/usage.ts'
import { AREAS } from './graphql/context.ts'
import { INSTALLATION } from './audit/audit.ts'
import { registerCommunity } from './community/routes.ts'
import { createCursors } from './graphql/cursor.ts'
import { sealCursors } from './graphql/sealed-cursors.ts'
import { connectionOf } from './database/connection-url.ts'
import { installationValue } from './database/installation.queries.ts'
import { openReplicas, type Replicas } from './database/replicas.ts'
import { type Owners, readAtOwners } from './distribution/read-at-owners.ts'
import { createServices, type Dependencies } from './services.ts'
import { fieldTable } from './features/tables.ts'
import { createCompiler } from './graphql/compile.ts'
import { CacheValidators } from './graphql/cache-validators.ts'
import { sdl } from './graphql/schema.ts'
import { registerIngest } from './ingest-api/routes.ts'
import { registerApi } from './routes.ts'
import type { PagesHttp } from './dashboard/routes.ts'
import { admit } from './http/admission.ts'
import { guardConnections } from './http/connections.ts'
import { isTokenDetailRequest, createTokenDetailRefusal, createTokenDetailRoute } from './oauth/token-detail.ts'
import { createRenderer } from './images/renderer.ts'
import { createResponseCache } from './http/response-cache.ts'
import { areaOf, countRequest, isMcp, isQuery } from './http/count-request.ts'
import { takeEmptyJson } from './http/empty-json.ts'
import {
  watchAnswers,
  watchConnections,
  watchInstallation,
  watchNodes,
  watchReplicas,
  watchWorkers,
} from './http/figures.ts'
import { keepForwardedAddresses } from './http/forwarded-for.ts'
import { registerHealth } from './http/health.ts'
import { knownPaths } from './http/known-paths.ts'
import { longUploads } from './http/long-uploads.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { registerNotFound } from './http/not-found.ts'
import { limitOtherRequests } from './http/other-requests.ts'
import { registerPages } from './http/pages.ts'
import { createPublishableRoute } from './http/publishable/route.ts'
import { isPreflight, isPublishable } from './http/publishable/tokens.ts'
import { createServiceQuery, createQueryRoute, createValidatedQuery, type QueryRoute } from './http/query-route.ts'
import { countRefusals, createRefusal } from './http/refuse-request.ts'
import { takeOriginForm } from './http/request-target.ts'
import { registerLive } from './live/routes.ts'
import type { BoardName } from './live/subscription.ts'
import { unsentAnswers } from './http/unsent-answers.ts'
import { answerUnreadable, invalidHeaders, notAPath } from './http/unreadable-requests.ts'
import { ANSWER_DEADLINE } from './lifetimes.ts'
import { createNetworkOf } from './audit/network-of-request.ts'
import { accessLog } from './logging/log.ts'
import { openTracing } from './tracing/tracing.ts'
import { createClaims } from './claims/claims.ts'
import { createMemberQuests } from './claims/member-quests.ts'
import { abilityOf } from './sync/source.ts'
import { createQuizzes } from './verify/quizzes.ts'
import { createVerifications } from './verify/verifications.ts'
import { createVisits } from './verify/visits.ts'
import { createChecks } from './sync/checks.ts'
import { MANUAL_FOLDER, registerManual } from './manual/routes.ts'
import { createManualSearch } from './manual/search.ts'
import { failureOf } from './mcp/message.ts'
import { createMcpRoute } from './mcp/route.ts'
import { createUserAuthenticator } from './mcp/user-caller.ts'
import { awaitingDueTransitions } from './ranking/quests/transitions.ts'

export interface App {
  server: Server
  fastify: FastifyInstance
  replicas: Replicas
  owners: Owners
  metrics: Metrics
  /** Makes `/readyz` return 503. Requests are still served. */
  drain(): void
  /** Closes each connection with its next response from now on. */
  endConnections(): void
  close(): Promise<void>
}

export interface AppOptions {
  /** Milliseconds that a request waits for a replica; see database/replicas.ts. */
  replicaWait?: number
  /** Set when this process is one of several of an instance. */
  among?: WorkerContext
}

/** This worker, and the state of all workers of the instance. */
export interface WorkerContext {
  number: number
  /** Whether all workers accept connections. */
  isComplete(): boolean
  /** The metrics of all workers. */
  renderMetrics: Metrics['render']
}

const CURSOR_KEY_BYTES = 32
/** The caller for public pages: an account without objects. */
const PUBLIC = { tokenId: '', accountId: INSTALLATION, areas: AREAS, perSecond: null, perDay: null }
/** The caller for a live board that pages read with publishable tokens. */
const visitorOf = (board: BoardName): Caller => {
  const spaces = board.kind === 'space' ? [board.id] : []
  return { ...PUBLIC, publishable: { spaces, network: { id: '', perSecond: null, perDay: null } } }
}
const WEB_DIST = join(import.meta.dirname, '..', '..', 'web', 'dist')

/** Creates the service. The caller starts to listen. */
export async function createApp(given: Dependencies, { replicaWait, among }: AppOptions = {}): Promise<App> {
  const { clock, random, log } = given
  const { readUrls, nodeUrls, readConnections } = given.config
  const owners = await readAtOwners({ database: given.database, nodeUrls, readConnections, log })
  const database = { ...given.database, ...owners.reader }
  const deps = { ...given, database }
  const cursorKey = await installationValue(database.kysely, 'cursor-key', () =>
    random.bytes(CURSOR_KEY_BYTES).toString('hex'),
  )
  const cursors = createCursors(Buffer.from(cursorKey, 'hex'))
  const publicCursors = sealCursors(cursors, Buffer.from(cursorKey, 'hex'))
  const quota = createQuota(database.pool, clock, log)
  const usage = createUsageRecorder(database.pool, clock, log)
  const tokenRequests = createRequestLog(database.pool, log)
  const metrics = createMetrics(among?.number)
  const tracing = await openTracing(deps)
  const connections = readUrls.map(connectionOf)
  const replicas = openReplicas({ connections, primary: database, readConnections, maxWait: replicaWait, clock, log })
  watchConnections(metrics, database)
  watchReplicas(metrics, replicas)
  watchNodes(metrics, owners)
  if (!among) {
    watchInstallation(metrics, deps)
    watchWorkers(metrics, () => ({ serving: 1, starting: 0 }))
  }
  const services = createServices(deps)
  const { secret, site } = services
  const checks = createChecks({ ...deps, secret })
  const checkLive = checks.live
  const claims = createClaims({ database, clock, random, log, checkLive })
  const newestBoards = new Map<number, number>()
  const dueTransitions = awaitingDueTransitions({ database, clock })
  const quests = createMemberQuests({
    ...deps,
    checkLive,
    claims,
    applyDueTransitions: dueTransitions,
    abilityOf,
  })
  const verifications = createVerifications({ database, clock, checks, quests })
  const quizzes = createQuizzes({ database, clock, random, log, secret, quests })
  const visits = createVisits({ database, clock, random, log, secret, quests })
  let draining = false
  let ending = false

  // Hot paths bypass Fastify.
  const requestLog = tracing.accessLog(accessLog(log, clock))
  const tokenDetail = admit(
    tracing.handler(createTokenDetailRoute(services, requestLog)),
    createTokenDetailRefusal(deps, countRefusals(log)),
    clock,
  )
  const queryRoute: QueryRoute = {
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
  const query = createQueryRoute(queryRoute)
  const networkOf = createNetworkOf(deps.config)
  const publicRoute = {
    ...queryRoute,
    responseCache: tracing.methods(createResponseCache(database, clock), { find: 'cache' }),
    publishable: tracing.methods(createPublishableAuthenticator(database, clock), { authenticate: 'authenticate' }),
    metrics,
    documents: createPersistedDocuments(deps, metrics.persistedDocument),
    networkOf(request: IncomingMessage) {
      keepForwardedAddresses(request)
      return networkOf(request)
    },
  }
  const publishableQuery = createPublishableRoute(publicRoute)
  const mcp = createMcpRoute({
    ...queryRoute,
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
  const unreadable = answerUnreadable(deps)
  const unsent = unsentAnswers(clock)
  watchAnswers(metrics, unsent)
  const guarded = guardConnections({ unsent })
  const fastify = Fastify({
    logger: false,
    // Names of members have up to 320 characters.
    routerOptions: { maxParamLength: 320 },
    clientErrorHandler: (error, socket) => unreadable.answerConnection(error, socket, guarded.underWay(socket)),
    frameworkErrors: (error, { raw }, reply) => unreadable.answer(notAPath(error, raw), raw, reply.raw),
    handlerTimeout: ANSWER_DEADLINE,
    trustProxy: deps.config.trustedProxies,
    // route() validates with zod. These stubs prevent Fastify from loading its JSON Schema compilers in each worker.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    serverFactory: (others) => {
      const pageOrOther = tracing.handler((request, response) => {
        const sending = keptPages.send(request, response)
        if (!sending) return passOn()
        sending.then(
          (sent) => sent || passOn(),
          () => response.destroy(),
        )

        function passOn(): void {
          response.setHeader('x-content-type-options', 'nosniff')
          keepForwardedAddresses(request)
          others(request, response)
        }
      })
      return guarded.createServer((request, response) => {
        if (ending) response.setHeader('connection', 'close')
        takeOriginForm(request)
        const invalid = invalidHeaders(request)
        if (invalid) return unreadable.answer(invalid, request, response)
        // Preflights skip admission: they need no database. If a preflight fails, the page cannot read the status.
        if (isQuery(request)) return void (isPreflight(request) ? anyQuery : admitted)(request, response)
        if (isMcp(request)) return admitted(request, response)
        const isTokenDetail = isTokenDetailRequest(request)
        countRequest({ metrics, clock }, isTokenDetail ? 'oauth' : areaOf(request), response)
        if (isTokenDetail) return tokenDetail(request, response)
        pageOrOther(request, response)
      })
    },
  })

  const methodsAt = knownPaths(fastify)
  limitOtherRequests(fastify)
  takeEmptyJson(fastify)
  const render = among?.renderMetrics ?? metrics.render
  const notReadyReason = () => (draining ? 'stopping' : among?.isComplete() === false ? 'starting' : undefined)
  registerHealth(fastify, database, { render }, notReadyReason)
  const uploads = longUploads()
  const http: PagesHttp = { answerQuery: query, allowLongUpload: (request) => uploads.allow(request) }
  const renderer = createRenderer(clock)
  await registerApi(fastify, services, { quests, verifications, quizzes, visits, renderer, http })
  await registerIngest(fastify, services, { uploads, metrics, claims })
  fastify.get('/schema.graphql', (_, reply) => reply.type('application/graphql; charset=utf-8').send(sdl))
  await registerPages(fastify, { webDist: WEB_DIST, random, site, brand: deps.config.brand })
  const community = { database, clock, site, brand: deps.config.brand, renderer, webDist: WEB_DIST }
  const keptPages = registerCommunity(
    fastify,
    community,
    createServiceQuery(queryRoute, PUBLIC),
    createValidatedQuery(queryRoute, PUBLIC),
  )
  const live = await registerLive(fastify, deps, {
    ...publicRoute,
    queryAs: (view, board) =>
      view === 'all' ? createServiceQuery(queryRoute, PUBLIC) : createServiceQuery(publicRoute, visitorOf(board)),
    releaseConnection: guarded.release,
  })
  metrics.watch({
    name: 'questboard_live_streams',
    help: 'Open streams of live boards.',
    read: () => live.streams(),
  })
  await registerManual(fastify, deps.config)
  registerNotFound(fastify, deps, methodsAt)
  await fastify.ready()
  uploads.attach(fastify.server)

  return {
    server: fastify.server,
    fastify,
    replicas,
    owners,
    metrics,
    drain() {
      draining = true
    },
    endConnections() {
      ending = true
      guarded.lastAnswers()
      live.close()
    },
    async close() {
      live.close()
      await fastify.close()
      await Promise.all([
        quota.close(),
        usage.close(),
        tokenRequests.close(),
        replicas.close(),
        tracing.close(),
        renderer.close(),
      ])
      await owners.close()
    },
  }
}

function noCompiler(): never {
  throw new Error('describe a route with route() instead of a JSON Schema')
}
