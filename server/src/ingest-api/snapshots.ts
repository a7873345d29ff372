import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { schemaOf } from '../api/json-schema.ts'
import { audit, type SecurityEvent } from '../audit/audit.ts'
import type { Services } from '../services.ts'
import { previewShape, proofShape, snapshotShape, statementShape } from '../snapshots/response-shapes.ts'
import { sendFile } from '../snapshots/download.ts'
import { formatNames } from '../snapshots/formats.ts'
import { proveMember } from '../snapshots/proof.ts'
import { readSnapshotRequest, snapshotRequestShape } from '../snapshots/snapshot-request.ts'
import {
  deleteSnapshot,
  listSnapshots,
  type Note,
  previewSnapshot,
  requestSnapshot,
  requireSealed,
  showSnapshot,
  SNAPSHOT_ID,
} from '../snapshots/snapshots.ts'
import { stateMember } from '../snapshots/statements.ts'
import { JSON_TYPE, NDJSON_TYPE, SNAPSHOT_BODY_LIMIT } from './limits.ts'
import { afterParameter, confirmParameter, firstParameter, pageOf } from './parameters.ts'
import { type IngestCall, ingestRoute } from './route.ts'

const tag = 'snapshots'
const EXAMPLE = '0d9f5c3a-7b1e-4c8a-9f64-2f1f3c5b7a90'
const id = { description: 'The snapshot.', shape: z.string().meta({ format: 'uuid' }), example: EXAMPLE }
const address = {
  description: 'A member of the snapshot.',
  example: '0x52908400098527886e0f7030069857d2e4169ee7',
}
const text = { schema: { type: 'string' } }
const missing = { 404: 'The snapshot does not exist, or the token may not use it.' }
const unsealed = { ...missing, 409: 'The snapshot is not sealed (yet).' }

/** `/ingest/v1/snapshots…`: the snapshots of spaces and credentials that the token may write. */
export function registerSnapshotRoutes(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  ingestRoute(
    scope,
    {
      method: 'POST',
      path: '/snapshots',
      tag,
      summary: 'Seal a list',
      description:
        'Fixes the version of the list and responds at once; the list is sealed in the background. Read the snapshot until its state is `sealed` or `failed`. With `dryRun`, no snapshot is made.',
      body: {
        content: { [JSON_TYPE]: { schema: schemaOf(snapshotRequestShape), example: { spaceId: 900, dryRun: true } } },
        bytes: SNAPSHOT_BODY_LIMIT,
      },
      answers: {
        200: { description: 'The counts and the first members of a dry run.', shape: previewShape },
        202: { description: 'The snapshot, in the state `waiting`.', shape: snapshotShape },
      },
      failures: {
        403: 'The token may not use this space or credential.',
        404: 'The space, sprint, credential or quest does not exist.',
        409: 'The list is empty, or a holder list is being replaced.',
      },
    },
    async (call) => {
      const { scope: within } = call.caller
      const { dryRun, ...wanted } = readSnapshotRequest(call.request.body)
      if (dryRun) return (await previewSnapshot(services, wanted, within)).preview
      const note = noteFor(services, call, 'snapshot.created')
      return call.reply.code(202).send(await requestSnapshot(services, wanted, { note, scope: within }))
    },
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/snapshots',
      tag,
      summary: 'List snapshots',
      description: 'The snapshots of the spaces and credentials that the token may write, newest first.',
      query: {
        first: firstParameter,
        after: afterParameter((after) => (SNAPSHOT_ID.test(after) ? after : undefined)),
      },
      answers: { 200: { description: 'A page.', shape: pageOf(snapshotShape) } },
    },
    ({ caller, query }) => listSnapshots(services, { ...query, scope: caller.scope }),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/snapshots/:id',
      tag,
      summary: 'Show a snapshot',
      params: { id },
      answers: { 200: { description: 'Counts, digest and Merkle root.', shape: snapshotShape } },
      failures: missing,
    },
    ({ caller, params }) => showSnapshot(services, params.id, caller.scope),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/snapshots/:id/download',
      tag,
      summary: 'Download the list of a snapshot',
      params: { id },
      query: {
        format: {
          description: 'Default: csv, whose SHA-256 is the digest.',
          shape: z.enum(formatNames),
          example: 'csv',
          read: (format) => formatNames.find((name) => name === format),
          allowed: `one of ${formatNames.join(', ')}`,
          byDefault: 'csv',
        },
      },
      answers: { 200: { description: 'The file.', content: { 'text/csv': text, [NDJSON_TYPE]: text } } },
      failures: unsealed,
    },
    async ({ caller, params, query, reply }) =>
      sendFile(reply, kysely, await requireSealed(services, params.id, caller.scope), query.format),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/snapshots/:id/proof/:address',
      tag,
      summary: 'Prove that an address is in a snapshot',
      params: { id, address },
      answers: { 200: { description: 'The Merkle proof.', shape: proofShape } },
      failures: unsealed,
    },
    async ({ caller, params }) =>
      proveMember(kysely, await requireSealed(services, params.id, caller.scope), params.address),
  )

  ingestRoute(
    scope,
    {
      method: 'GET',
      path: '/snapshots/:id/statement/:address',
      tag,
      summary: 'Sign a statement about an address in a snapshot',
      params: { id, address },
      answers: { 200: { description: 'The statement, as a JWT and as EIP-712.', shape: statementShape } },
      failures: unsealed,
    },
    async ({ caller, params }) =>
      stateMember(services, await requireSealed(services, params.id, caller.scope), params.address),
  )

  ingestRoute(
    scope,
    {
      method: 'DELETE',
      path: '/snapshots/:id',
      tag,
      summary: 'Delete a snapshot',
      description: 'Deletes the list and the Merkle tree, so proofs are no longer available. Writes an audit entry.',
      params: { id },
      query: {
        confirm: confirmParameter('the id of the snapshot, which is deleted with its list and tree', EXAMPLE),
      },
      answers: { 200: { description: 'Deleted.', shape: z.object({ id: z.string() }) } },
      failures: missing,
    },
    async (call) => {
      const note = noteFor(services, call, 'snapshot.deleted')
      await deleteSnapshot(services, call.params.id, { scope: call.caller.scope, note })
      return { id: call.params.id }
    },
  )
}

const noteFor =
  (services: Services, { caller, request }: Pick<IngestCall, 'caller' | 'request'>, event: SecurityEvent): Note =>
  (trx, details) => {
    const { accountId, tokenId } = caller
    const all = { ...details, tokenId, by: 'ingest token' }
    return audit(services, { accountId, event, details: all, network: request.network }, trx)
  }
