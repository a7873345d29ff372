import { fault } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { route } from '../../api/route.ts'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { limitByAccount } from '../../rate-limit/limit-by-account.ts'
import type { DB } from '../../database/tables.ts'
import { conflict, invalidField } from '../../errors.ts'
import { snapshotLookUpsByAccount, snapshotsByAccount } from '../../rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'
import { lockAccountAndSession, type SessionServices } from '../../sessions/with-account.ts'
import { sendFile } from '../../snapshots/download.ts'
import { lookUpMember } from '../../snapshots/look-up-member.ts'
import { answering } from '../../snapshots/routes.ts'
import { readRequestWithoutDryRun, type SnapshotRequest } from '../../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
} from '../../snapshots/snapshots.ts'
import { countSnapshots, type Within } from '../../snapshots/snapshots.queries.ts'
import { lockTeam } from '../../teams/members.queries.ts'
import { requireRight } from '../../teams/permissions.ts'
import { MAX_SNAPSHOTS, MAX_WAITING, snapshotOperations } from './snapshot-operations.ts'

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
    await limitByAccount(services, snapshotsByAccount, call.accountId)
    return answering(async () => (await previewSnapshot(services, readRequest(call), within)).preview)
  })

  route(scope, services, snapshotOperations.create, async (call) => {
    const within = await scopeOf(call)
    await limitByAccount(services, snapshotsByAccount, call.accountId)
    const begin = async (trx: Transaction<DB>) => {
      await checkAgain(call, trx)
      // The lock serializes the requests of a space, so that each counts the earlier ones.
      await lockTeam(trx, call.params.id)
      requireRoom(await countSnapshots(trx, within))
    }
    const note = noteOf(call, 'snapshot.created')
    return answering(() => requestSnapshot(services, readRequest(call), { begin, note, scope: within }))
  })

  route(scope, services, snapshotOperations.download, async (call) => {
    const within = await scopeOf(call)
    return answering(async () =>
      sendFile(call.reply, kysely, await requireSealed(services, call.params.snapshot, within), call.query),
    )
  })

  route(scope, services, snapshotOperations.member, async (call) => {
    const within = await scopeOf(call)
    await limitByAccount(services, snapshotLookUpsByAccount, call.accountId)
    const { snapshot, address } = call.params
    return answering(async () => lookUpMember(services, await requireSealed(services, snapshot, within), address))
  })

  route(scope, services, snapshotOperations.delete, async (call) => {
    const within = await scopeOf(call)
    const begin = (trx: Transaction<DB>) => checkAgain(call, trx)
    const note = noteOf(call, 'snapshot.deleted')
    return answering(() => deleteSnapshot(services, call.params.snapshot, { begin, note, scope: within }))
  })
}

interface Call {
  accountId: string
  params: { id: number }
}

interface ChangingCall extends Call {
  services: SessionServices
  network: string
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

/** A request without a quest is about the board of the space. @throws SnapshotError, ApiError */
function readRequest({ body, params: { id } }: Call & { body: unknown }): SnapshotRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return readRequestWithoutDryRun(body)
  if ('spaceId' in body) throw invalidField('spaceId', 'is part of the path', fault('unknown_field'))
  if ('credentialId' in body)
    throw invalidField('credentialId', 'is not allowed here; operators seal lists of holders', fault('operators_only'))
  return readRequestWithoutDryRun('questId' in body ? body : { ...body, spaceId: id })
}
