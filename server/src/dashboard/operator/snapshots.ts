import type { FastifyInstance } from 'fastify'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { route } from '../../api/route.ts'
import type { Services } from '../../services.ts'
import { lockOperatorAndSession, type SessionServices } from '../../sessions/with-account.ts'
import { sendFile } from '../../snapshots/download.ts'
import { answering } from '../../snapshots/routes.ts'
import { readRequestWithoutDryRun } from '../../snapshots/snapshot-request.ts'
import {
  type Change,
  deleteSnapshot,
  listSnapshots,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../../snapshots/snapshots.ts'
import { operatorOperations } from './operations.ts'

const PAGE_SIZE = 50

/** `/api/operator/snapshots…`: sealed lists. */
export function registerOperatorSnapshots(scope: FastifyInstance, services: Services): void {
  route(scope, services, operatorOperations.snapshots, ({ query: after }) =>
    listSnapshots(services, { first: PAGE_SIZE, after }),
  )

  route(scope, services, operatorOperations.previewSnapshot, ({ body }) =>
    answering(async () => (await previewSnapshot(services, readRequestWithoutDryRun(body))).preview),
  )

  route(scope, services, operatorOperations.createSnapshot, (call) =>
    answering(() =>
      requestSnapshot(call.services, readRequestWithoutDryRun(call.body), changeBy(call, 'snapshot.created')),
    ),
  )

  route(scope, services, operatorOperations.downloadSnapshot, ({ params: { id }, query: format, reply }) =>
    answering(async () => sendFile(reply, services.database.kysely, await requireSealed(services, id), format)),
  )

  route(scope, services, operatorOperations.deleteSnapshot, (call) =>
    answering(() => deleteSnapshot(call.services, call.params.id, changeBy(call, 'snapshot.deleted'))),
  )
}

interface Call {
  services: SessionServices
  accountId: string
  network: string
}

const changeBy = ({ services, accountId, network }: Call, event: SecurityEvent): Change => ({
  begin: (trx) => lockOperatorAndSession(trx, services.actor),
  note: (trx, details) => audit(services, { accountId, network, event, details }, trx),
})
