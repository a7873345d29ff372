import type { FastifyInstance, FastifyRequest } from 'fastify'
import { audit, type SecurityEvent } from '../audit/audit.ts'
import type { Services } from '../services.ts'
import { formatNames, sendFile } from '../snapshots/download.ts'
import { proveMember } from '../snapshots/proof.ts'
import { readSnapshotRequest } from '../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
  showSnapshot,
} from '../snapshots/snapshots.ts'
import { stateMember } from '../snapshots/statements.ts'
import { callerOf } from './admit.ts'
import { describeSnapshots } from './describe-snapshots.ts'
import { invalidRequest } from './ingest-error.ts'

type Request = FastifyRequest<{ Params: { id: string; address: string }; Querystring: Record<string, unknown> }>

/** `/ingest/v1/snapshots…`: the snapshots of spaces and credentials that the token may write. */
export function registerSnapshotRoutes(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  scope.post('/snapshots', { config: { api: describeSnapshots.create } }, async (request, reply) => {
    const { scope: within } = callerOf(request)
    const { dryRun, ...wanted } = readSnapshotRequest(request.body)
    if (dryRun) return (await previewSnapshot(services, wanted, within)).preview
    const note = noteFor(services, request, 'snapshot.created')
    return reply.code(202).send(await requestSnapshot(services, wanted, { note, scope: within }))
  })

  scope.get('/snapshots', { config: { api: describeSnapshots.list } }, (request: Request) => {
    const { first = '100', after } = request.query
    if (typeof first !== 'string' || !/^[1-9][0-9]{0,3}$/.test(first) || Number(first) > 1_000)
      throw invalidRequest('first must be a whole number from 1 to 1000', 'first')
    if (after !== undefined && (typeof after !== 'string' || !/^[0-9a-f-]{36}$/.test(after)))
      throw invalidRequest('after must be the value of `next` from a response', 'after')
    return listSnapshots(services, { first: Number(first), after, scope: callerOf(request).scope })
  })

  scope.get('/snapshots/:id', { config: { api: describeSnapshots.show } }, (request: Request) =>
    showSnapshot(services, request.params.id, callerOf(request).scope),
  )

  scope.get(
    '/snapshots/:id/download',
    { config: { api: describeSnapshots.download } },
    async (request: Request, reply) => {
      const format = formatNames.find((name) => name === (request.query.format ?? 'csv'))
      if (!format) throw invalidRequest(`format must be one of ${formatNames.join(', ')}`, 'format')
      const snapshot = await requireSealed(services, request.params.id, callerOf(request).scope)
      return sendFile(reply, kysely, snapshot, format)
    },
  )

  scope.get('/snapshots/:id/proof/:address', { config: { api: describeSnapshots.proof } }, async (request: Request) => {
    const snapshot = await requireSealed(services, request.params.id, callerOf(request).scope)
    return proveMember(kysely, snapshot, request.params.address)
  })

  scope.get(
    '/snapshots/:id/statement/:address',
    { config: { api: describeSnapshots.statement } },
    async (request: Request) => {
      const snapshot = await requireSealed(services, request.params.id, callerOf(request).scope)
      return stateMember(services, snapshot, request.params.address)
    },
  )

  scope.delete('/snapshots/:id', { config: { api: describeSnapshots.delete } }, async (request: Request) => {
    const { id } = request.params
    if (request.query.confirm !== id)
      throw invalidRequest('confirm must be the id of the snapshot, which is deleted with its list and tree', 'confirm')
    await deleteSnapshot(services, id, {
      scope: callerOf(request).scope,
      note: noteFor(services, request, 'snapshot.deleted'),
    })
    return { id }
  })
}

const noteFor =
  (services: Services, request: FastifyRequest, event: SecurityEvent): Note =>
  (trx, details) => {
    const { accountId, tokenId } = callerOf(request)
    const all = { ...details, tokenId, by: 'ingest token' }
    return audit(services, { accountId, event, details: all, network: request.network }, trx)
  }
