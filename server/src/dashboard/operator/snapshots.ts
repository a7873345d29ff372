import type { FastifyInstance } from 'fastify'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { route } from '../../api/route.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { snapshotLookUpsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { lockOperatorAndSession, type SessionServices } from '../../sessions/with-account.ts'
import { sendFile } from '../../snapshots/download.ts'
import { lookUpMember } from '../../snapshots/look-up-member.ts'
import {
  type Change,
  deleteSnapshot,
  listSnapshots,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../../snapshots/snapshots.ts'
import { snapshotDescriptions } from './snapshot-route-descriptions.ts'

const PAGE_SIZE = 50

/** `/api/operator/snapshots…`: sealed lists. */
export function registerOperatorSnapshots(scope: FastifyInstance, services: Services): void {
  route(scope, services, snapshotDescriptions.list, ({ query: after }) =>
    listSnapshots(services, { first: PAGE_SIZE, after }),
  )

  route(
    scope,
    services,
    snapshotDescriptions.preview,
    async ({ body }) => (await previewSnapshot(services, body)).preview,
  )

  route(scope, services, snapshotDescriptions.create, (call) =>
    requestSnapshot(call.services, call.body, changeBy(call, 'snapshot.created')),
  )

  route(scope, services, snapshotDescriptions.download, async ({ params: { id }, query: format, reply }) =>
    sendFile(reply, services.database.kysely, await requireSealed(services, id), format),
  )

  route(scope, services, snapshotDescriptions.member, async ({ accountId, params: { id, address } }) => {
    await limitByAccount(services, snapshotLookUpsByAccount, accountId)
    return lookUpMember(services, await requireSealed(services, id), address)
  })

  route(scope, services, snapshotDescriptions.delete, (call) =>
    deleteSnapshot(call.services, call.params.id, changeBy(call, 'snapshot.deleted')),
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
