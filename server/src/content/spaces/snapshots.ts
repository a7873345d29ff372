import { fault } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { route } from '../../api/route.ts'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import type { DB } from '../../database/tables.ts'
import { conflict } from '../../errors.ts'
import { snapshotLookUpsByAccount, snapshotsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { lockAccountAndSession, type SessionServices } from '../../sessions/with-account.ts'
import { sendFile } from '../../snapshots/download.ts'
import { lookUpMember } from '../../snapshots/look-up-member.ts'
import type { SnapshotRequest } from '../../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../../snapshots/snapshots.ts'
import { countSnapshots } from '../../snapshots/snapshots.queries.ts'
import { lockTeam } from '../../teams/members.queries.ts'
import { requireRight } from '../../teams/permissions.ts'
import { MAX_SNAPSHOTS, MAX_WAITING, snapshotDescriptions } from './snapshot-route-descriptions.ts'

const PAGE_SIZE = 50

/** `/api/spaces/:id/snapshots…`: sealed lists of a space. */
export function registerSpaceSnapshots(scope: FastifyInstance, services: Services): void {
  route(scope, services, snapshotDescriptions.list, ({ query: after, resource }) =>
    listSnapshots(services, { first: PAGE_SIZE, after, scope: resource }),
  )

  route(scope, services, snapshotDescriptions.preview, async (call) => {
    await limitByAccount(services, snapshotsByAccount, call.accountId)
    return (await previewSnapshot(services, requestOf(call), call.resource)).preview
  })

  route(scope, services, snapshotDescriptions.create, async (call) => {
    await limitByAccount(services, snapshotsByAccount, call.accountId)
    const begin = async (trx: Transaction<DB>) => {
      await checkAgain(call, trx)
      // The lock serializes the requests of a space, so that each counts the earlier ones.
      await lockTeam(trx, call.params.id)
      requireRoom(await countSnapshots(trx, call.resource))
    }
    const note = noteOf(call, 'snapshot.created')
    return requestSnapshot(services, requestOf(call), { begin, note, scope: call.resource })
  })

  route(scope, services, snapshotDescriptions.download, async ({ params, query: format, resource, reply }) =>
    sendFile(reply, services.database.kysely, await requireSealed(services, params.snapshot, resource), format),
  )

  route(scope, services, snapshotDescriptions.member, async ({ accountId, params, resource }) => {
    await limitByAccount(services, snapshotLookUpsByAccount, accountId)
    return lookUpMember(services, await requireSealed(services, params.snapshot, resource), params.address)
  })

  route(scope, services, snapshotDescriptions.delete, (call) => {
    const begin = (trx: Transaction<DB>) => checkAgain(call, trx)
    const note = noteOf(call, 'snapshot.deleted')
    return deleteSnapshot(services, call.params.snapshot, { begin, note, scope: call.resource })
  })
}

interface ChangingCall {
  services: SessionServices
  accountId: string
  network: string
  params: { id: number }
}

/** Checks the session and the right in the transaction of the change. @throws ApiError */
async function checkAgain({ services, accountId, params: { id } }: ChangingCall, trx: Transaction<DB>): Promise<void> {
  await lockAccountAndSession(trx, accountId, services.actor)
  await requireRight(trx, accountId, id, 'manage')
}

const noteOf =
  ({ services, accountId, network }: ChangingCall, event: SecurityEvent): Note =>
  (trx, details) =>
    audit(services, { accountId, network, event, details }, trx)

/** @throws ApiError */
function requireRoom({ all, waiting }: { all: number; waiting: number }): void {
  if (all >= MAX_SNAPSHOTS)
    throw conflict(
      'conflict',
      `The space has ${MAX_SNAPSHOTS} snapshots; delete one first`,
      fault('too_many_snapshots', { max: MAX_SNAPSHOTS }),
    )
  if (waiting >= MAX_WAITING)
    throw conflict(
      'conflict',
      `${MAX_WAITING} snapshots of the space wait to be sealed; try again later`,
      fault('too_many_unsealed', { max: MAX_WAITING }),
    )
}

/** Without a quest, the list is the board of the space. */
const requestOf = ({ body, params: { id } }: { body: SnapshotRequest; params: { id: number } }): SnapshotRequest =>
  body.questId === undefined ? { ...body, spaceId: id } : body
