import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../access/authenticate-server-token.ts'
import type { PublishableAuthenticator } from '../access/authenticate-publishable.ts'
import { requireArea } from '../access/permissions.ts'
import type { Quota } from '../access/quota.ts'
import type { UsageRecorder } from '../access/usage.ts'
import { toServiceError } from '../api/to-service-error.ts'
import { queryCodes } from '../error-codes.ts'
import { overloaded, RequestFailure, type ServiceError } from '../errors.ts'
import { requireSpace } from '../resolvers/public-space.ts'
import { failureBody } from '../http/error-envelope.ts'
import { JSON_TYPE } from '../http/media-types.ts'
import { PREFLIGHT } from '../http/publishable/cors.ts'
import type { Metrics, StreamRefusal } from '../http/metrics.ts'
import type { ServiceQuery } from '../http/service-query.ts'
import { LIVE_BEAT, LIVE_TOKEN_CHECK } from '../lifetimes.ts'
import type { Dependencies } from '../services.ts'
import { authenticate } from './authenticate.ts'
import { openEventStream } from './event-stream.ts'
import { createFeeds, type View } from './feeds.ts'
import { Follower, type FollowerParts } from './follower.ts'
import { createGate } from './gate.ts'
import { createStreamSlots } from './stream-slots.ts'
import { type BoardName, readLastVersion, readSpaceName, readStarboardName, readSubscription } from './subscription.ts'

export interface LiveParts extends Omit<FollowerParts, 'clock' | 'metrics'> {
  metrics: Pick<Metrics, 'liveRefused' | 'liveStalled'>
  authenticator: Authenticator
  publishable: PublishableAuthenticator
  quota: Quota
  usage: UsageRecorder
  /** Returns the query function for a board; all streams of a board with the same view share one. */
  queryAs: (view: View, board: BoardName) => ServiceQuery
}

export interface Live {
  /** The number of open streams. */
  streams(): number
  /** Ends all streams; clients connect again to another process. */
  close(): void
}

/** Clients reconnect after a random time in this range, in milliseconds, so that they do not all reconnect at once. */
const RECONNECT = { min: 1_000, spread: 4_000 }

/** Maximum number of streams that open concurrently. Others wait, because many clients reconnect after a restart. */
const OPENING = 64

type LiveRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/** `GET /live/…`: boards as Server-Sent Events (docs/live.md). */
export async function registerLive(fastify: FastifyInstance, deps: Dependencies, parts: LiveParts): Promise<Live> {
  const { clock, random, log, config } = deps
  const { quota, usage, queryAs, metrics } = parts
  const followerParts = { ...parts, clock }
  const feeds = createFeeds({ kysely: deps.database.kysely, queryAs, clock, log })
  const slots = createStreamSlots(config.liveStreams)
  const gate = createGate(OPENING, config.liveStreams)
  let closing = false

  async function open(request: LiveRequest, reply: FastifyReply, boardOf: (request: LiveRequest) => BoardName) {
    const { raw } = request
    const started = clock.monotonic()
    const requestId = request.id
    const { caller, headers: cors, again } = await authenticate(raw, request.network, parts)
    void reply.headers(cors)
    const { tokenId, publishable } = caller
    const follower = new Follower(followerParts, { requestId, tokenId }, started)
    try {
      const board = boardOf(request)
      requireArea(board.kind, caller.areas)
      const subscription = readSubscription(board.kind, request.query)
      if (board.kind === 'space') requireSpace({ spacesOfToken: publishable?.spaces }, board.id)
      const headers = await quota.spend(caller)
      // The client has disconnected. A slot that is taken now would never be released.
      if (reply.raw.destroyed) return void reply.hijack()
      const holder = { tokenId, network: publishable?.network.id, authenticate: again }
      const slot = closing ? 'stopping' : slots.take(holder)
      if (typeof slot === 'string') throw overloaded(slot)
      follower.slot = slot
      const options = {
        clock,
        headers: { 'x-request-id': requestId, ...cors, ...headers },
        reconnectAfter: RECONNECT.min + Math.floor(((random.bytes(1)[0] ?? 0) * RECONNECT.spread) / 256),
      }
      const stream = openEventStream(reply.raw, subscription, options, follower)
      const view = publishable ? 'public' : 'all'
      const membership = await feeds.join(board, view, stream, readLastVersion(raw.headers['last-event-id']))
      reply.hijack()
      // Usage counts the time until the stream is open; the log has the duration of the stream.
      usage.record(tokenId, 'live', 200, follower.duration())
      if (stream.isOver) {
        membership.leave()
        return follower.log(200)
      }
      follower.membership = membership
      slot.hold(stream)
      stream.beat()
      if (closing) stream.end()
    } catch (error) {
      const [{ status }] = failuresOf(error)
      usage.record(tokenId, 'live', status, follower.duration())
      follower.log(status)
      throw error
    }
  }

  await fastify.register(
    async (scope) => {
      scope.setErrorHandler((error, request, reply) => {
        const errors = failuresOf(error)
        const [{ status, headers, cause }] = errors
        metrics.liveRefused(refusalOf(errors[0]))
        if (status >= queryCodes.INTERNAL_ERROR.status)
          log.error({ request_id: request.id, err: cause ?? error }, 'a live stream failed')
        return reply
          .code(status)
          .headers({ 'cache-control': 'no-store', 'x-request-id': request.id, ...headers })
          .type(`${JSON_TYPE}; charset=utf-8`)
          .send(failureBody(errors, { requestId: request.id, now: clock.now() }))
      })
      scope.setGenReqId(() => random.requestId())
      scope.get('/spaces/:id', { exposeHeadRoute: false }, (request: LiveRequest, reply) =>
        gate(() => open(request, reply, ({ params, query }) => readSpaceName(params.id, query))),
      )
      scope.get('/starboards/:id', { exposeHeadRoute: false }, (request: LiveRequest, reply) =>
        gate(() => open(request, reply, ({ params }) => readStarboardName(params.id))),
      )
      for (const path of ['/spaces/:id', '/starboards/:id'])
        scope.options(path, (_, reply) => reply.code(204).headers(PREFLIGHT).send())
    },
    { prefix: '/live' },
  )

  const beats = setInterval(() => void slots.beat(), LIVE_BEAT).unref()
  const checks = setInterval(() => void slots.check(), LIVE_TOKEN_CHECK).unref()

  return {
    streams: () => slots.size,
    close() {
      closing = true
      clearInterval(beats)
      clearInterval(checks)
      feeds.close()
    },
  }
}

function failuresOf(error: unknown): readonly [ServiceError, ...ServiceError[]] {
  const errors = error instanceof RequestFailure ? error.errors : [toServiceError(error)]
  return errors as readonly [ServiceError, ...ServiceError[]]
}

const refusalOf = ({ code, reason }: ServiceError): StreamRefusal =>
  reason ?? (code === 'QUOTA_EXCEEDED' ? 'quota' : 'other')
