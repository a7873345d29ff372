import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { overloaded } from '../errors.ts'
import { lateBodies } from './late-bodies.ts'

/** Requests other than queries, ingest and streams (which have separate limits) that a process works on at the same time. */
export const MAX_OTHER_REQUESTS = 512

/** Paths without a limit, so that operators can reach them under overload. */
export const ALWAYS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Rejects excess requests before any other work for them. A request takes its place when its body has arrived, and
 * releases it with its response, so slow clients block no places. @throws UNAVAILABLE
 */
export function limitOtherRequests(fastify: FastifyInstance, max = MAX_OTHER_REQUESTS): void {
  const late = lateBodies(max)
  const underWay = new Set<IncomingMessage>()
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isLimited(request)) return
    if (underWay.size >= max) throw overloaded()
    const { raw } = request
    // A closed connection emits no further end event.
    if (reply.raw.destroyed) return
    if (bringsBody(raw)) late.add(raw)
    reply.raw.once('close', () => {
      late.delete(raw)
      underWay.delete(raw)
    })
  })
  fastify.addHook('preHandler', async (request, reply) => {
    if (!isLimited(request)) return
    late.delete(request.raw)
    if (underWay.size >= max) throw overloaded()
    if (!reply.raw.destroyed) underWay.add(request.raw)
  })
  fastify.addHook('onSend', async ({ raw }) => void underWay.delete(raw))
}

function isLimited({ url }: FastifyRequest): boolean {
  return !ALWAYS.has(url) && !url.startsWith('/ingest/') && !url.startsWith('/live/')
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
