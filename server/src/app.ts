import type { Server } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Caller } from './access/caller.ts'
import { AREAS } from './graphql/context.ts'
import { INSTALLATION } from './audit/audit.ts'
import { createPageCache, type PageCache } from './public-pages/page-cache.ts'
import { registerPublicPages } from './public-pages/routes.ts'
import { connectionOf } from './database/connection-url.ts'
import type { Database } from './database/connection.ts'
import { openReplicas, type Replicas } from './database/replicas.ts'
import { type Owners, readAtOwners } from './distribution/read-at-owners.ts'
import { createServices, type Dependencies, type Services } from './services.ts'
import { sdl } from './graphql/schema.ts'
import { registerIngest } from './ingest-api/routes.ts'
import { registerApi } from './routes.ts'
import type { PagesHttp } from './dashboard/routes.ts'
import { guardConnections } from './http/connections.ts'
import { isTokenDetailRequest } from './oauth/token-detail.ts'
import { createRenderer } from './images/renderer.ts'
import { areaOf, countRequest, isMcp, isQuery } from './http/count-request.ts'
import { takeEmptyJson } from './http/empty-json.ts'
import {
  watchUnsentResponses,
  watchConnections,
  watchInstallation,
  watchNodes,
  watchReplicas,
  watchWorkers,
} from './http/metric-collectors.ts'
import { keepForwardedAddresses } from './http/forwarded-for.ts'
import { registerHealth } from './http/health.ts'
import { knownPaths } from './http/known-paths.ts'
import { longUploads } from './http/long-uploads.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { registerNotFound } from './http/not-found.ts'
import { limitOtherRequests } from './http/other-requests.ts'
import { registerPages } from './http/pages.ts'
import { isPreflight } from './http/publishable/tokens.ts'
import { createServiceQuery, createValidatedQuery } from './http/service-query.ts'
import { takeOriginForm } from './http/request-target.ts'
import { registerLive } from './live/routes.ts'
import type { BoardName } from './live/subscription.ts'
import { unsentResponses } from './http/unsent-responses.ts'
import { answerUnreadable, invalidHeaders, notAPath } from './http/unreadable-requests.ts'
import { ANSWER_DEADLINE } from './lifetimes.ts'
import { openTracing, type Tracing } from './tracing/tracing.ts'
import { type Claims, createClaims } from './claims/claims.ts'
import { createMemberQuests } from './claims/member-quests.ts'
import { abilityOf } from './sync/source.ts'
import { createQuizzes } from './verify/quizzes.ts'
import { createVerifications } from './verify/verifications.ts'
import { createVisits } from './verify/visits.ts'
import { type Checks, createChecks } from './sync/checks.ts'
import { registerManual } from './manual/routes.ts'
import { createHotPaths, type RequestHandler } from './hot-paths.ts'

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
  /** Ends the connections and timers of the app. Several calls close it once. */
  close(): Promise<void>
}

export interface AppOptions {
  /** Milliseconds that a request waits for a replica; see database/replicas.ts. */
  replicaWait?: number
  /** The database of background work in this process, for the metrics of its connections. */
  background?: Pick<Database, 'pool'>
  /** Set if this process is one of several workers of an instance. */
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

/** The caller for the queries of public pages: an account that owns no objects, without a token and a quota. */
const PUBLIC = { tokenId: '', accountId: INSTALLATION, areas: AREAS, perSecond: null, perDay: null }
/** The caller for a live board that pages read with publishable tokens. */
const visitorOf = (board: BoardName): Caller => {
  const spaces = board.kind === 'space' ? [board.id] : []
  return { ...PUBLIC, publishable: { spaces, network: { id: '', perSecond: null, perDay: null } } }
}
const WEB_DIST = join(import.meta.dirname, '..', '..', 'web', 'dist')

/** Creates the HTTP application. The caller makes its server listen. */
export async function createApp(
  given: Dependencies,
  { replicaWait, background, among }: AppOptions = {},
): Promise<App> {
  const { clock, random, log } = given
  const { readUrls, nodeUrls, readConnections } = given.config
  const owners = await readAtOwners({ database: given.database, nodeUrls, readConnections, log })
  const database = { ...given.database, ...owners.reader }
  const deps = { ...given, database }
  const metrics = createMetrics(among?.number)
  const tracing = await openTracing(deps)
  const connections = readUrls.map(connectionOf)
  const replicas = openReplicas({ connections, primary: database, readConnections, maxWait: replicaWait, clock, log })
  watchConnections(metrics, { requests: database, background })
  watchReplicas(metrics, replicas)
  watchNodes(metrics, owners)
  if (!among) {
    watchInstallation(metrics, deps)
    watchWorkers(metrics, () => ({ serving: 1, starting: 0 }))
  }
  const services = createServices(deps)
  const { site } = services
  const { brand } = deps.config
  const checks = createChecks({ ...deps, secret: services.secret })
  const claims = createClaims({ database, clock, random, log, checkLive: checks.live })
  const hot = await createHotPaths(services, { metrics, tracing, replicas, checkLive: checks.live })
  const pageCache = createPageCache(database, clock)
  const web = createWebServer(deps, { metrics, tracing, pageCache, handlers: hot.handlers })
  const { fastify } = web
  let draining = false

  const render = among?.renderMetrics ?? metrics.render
  const notReadyReason = () => (draining ? 'stopping' : among?.isComplete() === false ? 'starting' : undefined)
  registerHealth(fastify, database, { render }, notReadyReason)
  const uploads = longUploads()
  const http: PagesHttp = { answerQuery: hot.query, allowLongUpload: (request) => uploads.allow(request) }
  const renderer = createRenderer(clock)
  const acts = createMemberActs(services, { checks, claims, applyDueTransitions: hot.dueTransitions })
  await registerApi(fastify, services, { ...acts, renderer, http })
  await registerIngest(fastify, services, { uploads, metrics, claims })
  fastify.get('/schema.graphql', (_, reply) => reply.type('application/graphql; charset=utf-8').send(sdl))
  await registerPages(fastify, { webDist: WEB_DIST, random, site, brand })
  const publicPages = { database, clock, site, brand, renderer, pageCache, webDist: WEB_DIST }
  registerPublicPages(
    fastify,
    publicPages,
    createServiceQuery(hot.queryServices, PUBLIC),
    createValidatedQuery(hot.queryServices, PUBLIC),
  )
  const live = await registerLive(fastify, deps, {
    ...hot.publicRoute,
    queryAs: (view, board) =>
      view === 'all'
        ? createServiceQuery(hot.queryServices, PUBLIC)
        : createServiceQuery(hot.publicRoute, visitorOf(board)),
    releaseConnection: web.releaseConnection,
  })
  metrics.watch({
    name: 'questboard_live_streams',
    help: 'Open streams of live boards.',
    read: () => live.streams(),
  })
  await registerManual(fastify, deps.config)
  web.registerNotFound()
  await fastify.ready()
  uploads.attach(fastify.server)
  let closing: Promise<void> | undefined

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
      web.endConnections()
      live.close()
    },
    close: () => (closing ??= closeAll()),
  }

  async function closeAll(): Promise<void> {
    live.close()
    await fastify.close()
    await Promise.all([hot.close(), replicas.close(), tracing.close(), renderer.close()])
    await owners.close()
  }
}

/** The actions of members in quests: claims, verifications, quizzes, visits. */
function createMemberActs(
  { database, clock, random, log, secret }: Services,
  { checks, claims, applyDueTransitions }: { checks: Checks; claims: Claims; applyDueTransitions: () => Promise<void> },
) {
  const checkLive = checks.live
  const quests = createMemberQuests({
    database,
    clock,
    random,
    log,
    checkLive,
    claims,
    applyDueTransitions,
    abilityOf,
  })
  return {
    quests,
    verifications: createVerifications({ database, clock, checks }),
    quizzes: createQuizzes({ database, clock, random, log, secret }),
    visits: createVisits({ database, clock, random, log, secret, quests }),
  }
}

/** The HTTP server: hot paths go to their handlers, other requests to Fastify. */
function createWebServer(
  deps: Dependencies,
  {
    metrics,
    tracing,
    pageCache,
    handlers: { anyQuery, admitted, tokenDetail },
  }: {
    metrics: Metrics
    tracing: Tracing
    pageCache: PageCache
    handlers: Record<'anyQuery' | 'admitted' | 'tokenDetail', RequestHandler>
  },
) {
  const { clock, config } = deps
  const unreadable = answerUnreadable(deps)
  const unsent = unsentResponses(clock)
  watchUnsentResponses(metrics, unsent)
  const guarded = guardConnections({ unsent })
  let ending = false
  const fastify = Fastify({
    logger: false,
    // Names of members have up to 320 characters.
    routerOptions: { maxParamLength: 320 },
    clientErrorHandler: (error, socket) => unreadable.answerConnection(error, socket, guarded.underWay(socket)),
    frameworkErrors: (error, { raw }, reply) => unreadable.answer(notAPath(error, raw), raw, reply.raw),
    handlerTimeout: ANSWER_DEADLINE,
    trustProxy: config.trustedProxies,
    // route() validates with zod. These stubs prevent Fastify from loading its JSON Schema compilers in each worker.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    serverFactory: (others) => {
      const pageOrOther = tracing.handler((request, response) => {
        const sending = pageCache.send(request, response)
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
        // Preflight requests skip admission: they need no database, and a page cannot read the status of a rejected one.
        if (isQuery(request)) return void (isPreflight(request) ? anyQuery : admitted)(request, response)
        if (isMcp(request)) return void admitted(request, response)
        const isTokenDetail = isTokenDetailRequest(request)
        countRequest({ metrics, clock }, isTokenDetail ? 'oauth' : areaOf(request), response)
        if (isTokenDetail) return void tokenDetail(request, response)
        pageOrOther(request, response)
      })
    },
  })
  const methodsAt = knownPaths(fastify)
  limitOtherRequests(fastify)
  takeEmptyJson(fastify)
  return {
    fastify,
    releaseConnection: guarded.release,
    registerNotFound: () => registerNotFound(fastify, deps, methodsAt),
    endConnections() {
      ending = true
      guarded.lastAnswers()
    },
  }
}

function noCompiler(): never {
  throw new Error('describe a route with route() instead of a JSON Schema')
}
