import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import { audit, type SecurityEvent } from '../audit/audit.ts'
import { conflict, invalidField } from '../errors.ts'
import type { Services } from '../services.ts'
import { sendFile } from '../snapshots/download.ts'
import { answering } from '../snapshots/routes.ts'
import { readSnapshotRequest, type SnapshotRequest } from '../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../snapshots/snapshots.ts'
import { countSnapshots, type Within } from '../snapshots/snapshots.queries.ts'
import { requireRight } from '../teams/permissions.ts'
import { MAX_SNAPSHOTS, snapshotOperations } from './snapshot-operations.ts'

const PAGE_SIZE = 50

/** `/api/spaces/:id/snapshots…`: sealed lists of a space. */
export function registerSpaceSnapshots(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  /** @throws ApiError */
  const scopeOf = async ({ accountId, params: { id } }: Call): Promise<Within> => {
    await requireRight(kysely, accountId, id, 'manage')
    return { spaceIds: [id], credentialIds: [] }
  }

  route(scope, services, snapshotOperations.list, async (call) =>
    listSnapshots(services, { first: PAGE_SIZE, after: call.query, scope: await scopeOf(call) }),
  )

  route(scope, services, snapshotOperations.preview, async (call) => {
    const within = await scopeOf(call)
    return answering(async () => (await previewSnapshot(services, readRequest(call), within)).preview)
  })

  route(scope, services, snapshotOperations.create, async (call) => {
    const within = await scopeOf(call)
    if ((await countSnapshots(kysely, within)) >= MAX_SNAPSHOTS)
      throw conflict('conflict', `The space has ${MAX_SNAPSHOTS} snapshots; delete one first`)
    const note = noteOf(call, 'snapshot.created')
    return answering(() => requestSnapshot(services, readRequest(call), { note, scope: within }))
  })

  route(scope, services, snapshotOperations.download, async (call) => {
    const within = await scopeOf(call)
    return answering(async () =>
      sendFile(call.reply, kysely, await requireSealed(services, call.params.snapshot, within), call.query),
    )
  })

  route(scope, services, snapshotOperations.delete, async (call) => {
    const within = await scopeOf(call)
    const note = noteOf(call, 'snapshot.deleted')
    return answering(() => deleteSnapshot(services, call.params.snapshot, { note, scope: within }))
  })

  /** Checks the right again in the transaction of the change. */
  const noteOf =
    ({ accountId, network, params: { id } }: Call & { network: string }, event: SecurityEvent): Note =>
    async (trx, details) => {
      await requireRight(trx, accountId, id, 'manage')
      await audit(services, { accountId, network, event, details }, trx)
    }
}

interface Call {
  accountId: string
  params: { id: number }
}

/** A request without a quest is about the board of the space. @throws SnapshotError, ApiError */
function readRequest({ body, params: { id } }: Call & { body: unknown }): SnapshotRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return readSnapshotRequest(body)
  if ('spaceId' in body) throw invalidField('spaceId', 'is part of the path')
  if ('credentialId' in body) throw invalidField('credentialId', 'is not allowed here; operators seal lists of holders')
  return readSnapshotRequest('questId' in body ? body : { ...body, spaceId: id })
}
