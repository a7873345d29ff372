import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { overloaded } from '../errors.ts'
import { lateBodies } from './late-bodies.ts'

/** Requests other than queries and ingest (which has limits of its own) that a process works on at the same time. */
export const MOST_OTHERS = 512

/** What an operator has to reach most of all when there is too much of everything else. */
export const ALWAYS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Refuses what is too much at once, before anything is done for it. A request takes its place when its body is there,
 * and gives it back with its answer: who sends or reads slowly keeps nobody out. @throws UNAVAILABLE
 */
export function limitOtherRequests(fastify: FastifyInstance, most = MOST_OTHERS): void {
  const late = lateBodies(most)
  const underWay = new Set<IncomingMessage>()
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isLimited(request)) return
    if (underWay.size >= most) throw overloaded()
    const { raw } = request
    // Who has gone already is told of no end.
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
    if (underWay.size >= most) throw overloaded()
    if (!reply.raw.destroyed) underWay.add(request.raw)
  })
  fastify.addHook('onSend', async ({ raw }) => void underWay.delete(raw))
}

function isLimited({ url }: FastifyRequest): boolean {
  return !ALWAYS.has(url) && !url.startsWith('/ingest/')
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
