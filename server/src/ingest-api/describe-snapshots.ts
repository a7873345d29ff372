import type { ApiAnswer, ApiOperation, ApiParameter } from '../api/openapi-document.ts'
import { type JsonSchema, schemaOf } from '../api/json-schema.ts'
import { previewShape, proofShape, snapshotShape, statementShape } from '../snapshots/answer-shapes.ts'
import { formatNames } from '../snapshots/download.ts'
import { snapshotRequestShape } from '../snapshots/snapshot-request.ts'
import { JSON_TYPE } from './limits.ts'

const failed = (description: string): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Failure' } } },
})
const answer = (description: string, schema: JsonSchema): ApiAnswer => ({
  description,
  content: { [JSON_TYPE]: { schema } },
})

const common = { tag: 'snapshots', security: ['ingestToken', 'accessToken'] }
const snapshot = schemaOf(snapshotShape)
const failures = {
  400: failed('A field or parameter is malformed; `field` names it.'),
  401: failed('The token is missing (`TOKEN_REQUIRED`), or unknown, revoked or expired (`INVALID_TOKEN`).'),
  429: failed('The token has too many concurrent requests.'),
  503: failed('The database is unreachable. Retry the request.'),
}
const one = { ...failures, 404: failed('The snapshot does not exist, or the token may not use it.') }
const sealed = { ...one, 409: failed('The snapshot is not sealed (yet).') }

const id: ApiParameter = {
  name: 'id',
  in: 'path',
  description: 'The snapshot.',
  schema: { type: 'string', format: 'uuid' },
  example: '0d9f5c3a-7b1e-4c8a-9f64-2f1f3c5b7a90',
}
const address: ApiParameter = {
  name: 'address',
  in: 'path',
  description: 'A member of the snapshot.',
  schema: { type: 'string' },
  example: '0x52908400098527886e0f7030069857d2e4169ee7',
}

/** The OpenAPI operations of snapshots. */
export const describeSnapshots: Record<
  'create' | 'list' | 'show' | 'download' | 'proof' | 'statement' | 'delete',
  ApiOperation
> = {
  create: {
    ...common,
    summary: 'Seal a list',
    description:
      'Fixes the version of the list and responds at once; the list is sealed in the background. Read the snapshot until its state is `sealed` or `failed`. With `dryRun`, no snapshot is made.',
    body: {
      content: { [JSON_TYPE]: { schema: schemaOf(snapshotRequestShape), example: { spaceId: 900, dryRun: true } } },
    },
    answers: {
      200: answer('The counts and the first members of a dry run.', schemaOf(previewShape)),
      202: answer('The snapshot, in the state `waiting`.', snapshot),
      ...failures,
      403: failed('The token may not use this space or credential.'),
      404: failed('The space, sprint, credential or quest does not exist.'),
      409: failed('The list is empty, or a holder list is being replaced.'),
    },
  },
  list: {
    ...common,
    summary: 'List snapshots',
    description: 'The snapshots of the spaces and credentials that the token may write, newest first.',
    parameters: [
      {
        name: 'first',
        in: 'query',
        description: 'The page size, 1 to 1000; default: 100.',
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
        example: 100,
      },
      { name: 'after', in: 'query', description: 'The `next` of the previous page.', schema: { type: 'string' } },
    ],
    answers: {
      200: answer('A page.', {
        type: 'object',
        required: ['items', 'next'],
        properties: { items: { type: 'array', items: snapshot }, next: { type: ['string', 'null'] } },
      }),
      ...failures,
    },
  },
  show: {
    ...common,
    summary: 'Show a snapshot',
    parameters: [id],
    answers: { 200: answer('Counts, digest and Merkle root.', snapshot), ...one },
  },
  download: {
    ...common,
    summary: 'Download the list of a snapshot',
    parameters: [
      id,
      {
        name: 'format',
        in: 'query',
        description: 'Default: csv, whose SHA-256 is the digest.',
        schema: { type: 'string', enum: formatNames },
        example: 'csv',
      },
    ],
    answers: {
      200: {
        description: 'The file.',
        content: {
          'text/csv': { schema: { type: 'string' } },
          'application/x-ndjson': { schema: { type: 'string' } },
        },
      },
      ...sealed,
    },
  },
  proof: {
    ...common,
    summary: 'Prove that an address is in a snapshot',
    parameters: [id, address],
    answers: { 200: answer('The Merkle proof.', schemaOf(proofShape)), ...sealed },
  },
  statement: {
    ...common,
    summary: 'Sign a statement about an address in a snapshot',
    parameters: [id, address],
    answers: { 200: answer('The statement, as a JWT and as EIP-712.', schemaOf(statementShape)), ...sealed },
  },
  delete: {
    ...common,
    summary: 'Delete a snapshot',
    description: 'Deletes the list and the Merkle tree, so proofs are no longer available. Writes an audit entry.',
    parameters: [
      id,
      {
        name: 'confirm',
        in: 'query',
        required: true,
        description: 'The id again, as a confirmation.',
        schema: { type: 'string' },
        example: id.example,
      },
    ],
    answers: {
      200: answer('Deleted.', { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }),
      ...one,
    },
  },
}
