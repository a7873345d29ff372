import type { FastifyInstance, FastifyReply } from 'fastify'
import { route } from '../api/route.ts'
import { tooManyRequests } from '../errors.ts'
import { snapshotReadsByNetwork } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import type { Services } from '../services.ts'
import { publicDescriptions } from './route-descriptions.ts'
import { proveMember } from './proof.ts'
import { snapshotNotFound } from './snapshot-error.ts'
import { requireSeal, showSnapshot } from './snapshots.ts'
import type { Snapshot } from './snapshots.queries.ts'
import { stateMember } from './statements.ts'

/** `/api/snapshots/…`: public snapshots, without a session. */
export function registerSnapshots(scope: FastifyInstance, services: Services): void {
  route(scope, services, publicDescriptions.show, (call) => readPublic(services, call))
  route(scope, services, publicDescriptions.proof, async (call) => {
    const snapshot = requireSeal(await readPublic(services, call))
    return proveMember(services.database.kysely, snapshot, call.params.address)
  })
  route(scope, services, publicDescriptions.statement, async (call) =>
    stateMember(services, requireSeal(await readPublic(services, call)), call.params.address),
  )
}

interface PublicCall {
  params: { id: string }
  network: string
  reply: FastifyReply
}

/** Counts the request, and lets scripts of all origins read the response. Responds with 404 for a private snapshot. */
async function readPublic(services: Services, { params: { id }, network, reply }: PublicCall): Promise<Snapshot> {
  const { exceeded, retryAfter } = await countAttempt(services, snapshotReadsByNetwork, network)
  if (exceeded) throw tooManyRequests(retryAfter)
  const snapshot = await showSnapshot(services, id)
  if (!snapshot.public) throw snapshotNotFound(id)
  void reply.header('access-control-allow-origin', '*')
  return snapshot
}
