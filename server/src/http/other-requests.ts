import type { FastifyInstance } from 'fastify'
import { overloaded } from '../errors.ts'

/** Requests other than queries and ingest (which has limits of its own) that a process works on at the same time. */
export const MOST_OTHERS = 512

/** What an operator has to reach most of all when there is too much of everything else. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics'])

/** Refuses what is too much at once, before anything is done for it. @throws UNAVAILABLE */
export function limitOtherRequests(fastify: FastifyInstance, most = MOST_OTHERS): void {
  let underWay = 0
  fastify.addHook('onRequest', async (request, reply) => {
    if (ALWAYS.has(request.url) || request.url.startsWith('/ingest/')) return
    if (underWay >= most) throw overloaded()
    // Who has gone already is told of no end.
    if (reply.raw.destroyed) return
    underWay++
    reply.raw.once('close', () => underWay--)
  })
}
