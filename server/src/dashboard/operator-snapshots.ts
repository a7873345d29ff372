import type { FastifyInstance } from 'fastify'
import { audit, type SecurityEvent } from '../audit/audit.ts'
import { route } from '../api/route.ts'
import type { Services } from '../services.ts'
import { sendFile } from '../snapshots/download.ts'
import { answering } from '../snapshots/routes.ts'
import { readSnapshotRequest } from '../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../snapshots/snapshots.ts'
import { operatorOperations } from './operator-operations.ts'

const PAGE_SIZE = 50

/** `/api/operator/snapshots…`: sealed lists. */
export function registerOperatorSnapshots(scope: FastifyInstance, services: Services): void {
  route(scope, services, operatorOperations.snapshots, ({ query: after }) =>
    listSnapshots(services, { first: PAGE_SIZE, after }),
  )

  route(scope, services, operatorOperations.previewSnapshot, ({ body }) =>
    answering(async () => (await previewSnapshot(services, readSnapshotRequest(body))).preview),
  )

  route(scope, services, operatorOperations.createSnapshot, ({ services, accountId, network, body }) =>
    answering(() =>
      requestSnapshot(services, readSnapshotRequest(body), {
        note: noteFor(services, { accountId, network }, 'snapshot.created'),
      }),
    ),
  )

  route(scope, services, operatorOperations.downloadSnapshot, ({ params: { id }, query: format, reply }) =>
    answering(async () => sendFile(reply, services.database.kysely, await requireSealed(services, id), format)),
  )

  route(scope, services, operatorOperations.deleteSnapshot, ({ services, accountId, network, params: { id } }) =>
    answering(() =>
      deleteSnapshot(services, id, { note: noteFor(services, { accountId, network }, 'snapshot.deleted') }),
    ),
  )
}

const noteFor =
  (services: Services, who: { accountId: string; network: string }, event: SecurityEvent): Note =>
  (trx, details) =>
    audit(services, { ...who, event, details }, trx)
