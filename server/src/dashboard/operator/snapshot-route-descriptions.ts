import { z } from 'zod'
import { readUuid } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { snapshotLookUpsByAccount } from '../../rate-limits/limits.ts'
import { memberShape, previewShape, snapshotShape } from '../../snapshots/response-shapes.ts'
import { formatNames, readFormat } from '../../snapshots/formats.ts'
import { snapshotBody } from '../../snapshots/snapshot-request.ts'

const tag = 'Operators'

/** Snapshots of all spaces, credentials and quests. */
export const snapshotDescriptions = {
  list: {
    method: 'GET',
    path: '/api/operator/snapshots',
    who: 'operator',
    summary: 'List the snapshots',
    tag,
    query: { after: { description: 'the `next` of the previous page', shape: z.string() } },
    readQuery: ({ after }) =>
      after === undefined ? undefined : readUuid(typeof after === 'string' ? after : '', 'Snapshot'),
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({ items: z.array(snapshotShape), next: z.string().nullable() }),
    },
  },
  preview: {
    method: 'POST',
    path: '/api/operator/snapshots/preview',
    who: 'operator',
    summary: 'Count a list before it is sealed',
    tag,
    body: snapshotBody,
    answer: { description: 'Counts and first members. `asOf` as `at` seals the same version.', shape: previewShape },
    errors: { 404: 'The space, credential or quest does not exist.', 409: 'The list is empty or being replaced.' },
  },
  create: {
    method: 'POST',
    path: '/api/operator/snapshots',
    who: 'operator',
    recentSignIn: true,
    summary: 'Seal a list',
    description:
      'Responds at once; the list is sealed in the background. If it is empty, the snapshot gets the state `failed`.',
    tag,
    body: snapshotBody,
    answer: { status: 202, description: 'The snapshot, in the state `waiting`.', shape: snapshotShape },
    errors: {
      404: 'The space, credential or quest does not exist.',
      409: 'The board has no entries yet, or the list of holders is being replaced.',
    },
  },
  download: {
    method: 'GET',
    path: '/api/operator/snapshots/:id/download',
    head: false,
    who: 'operator',
    summary: 'Download the list of a snapshot',
    tag,
    params: { id: 'of the snapshot' },
    query: { format: { description: 'default: csv', shape: z.enum(formatNames) } },
    readQuery: ({ format }) => readFormat(format),
    answer: { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } },
    errors: { 409: 'The snapshot is not sealed.' },
  },
  member: {
    method: 'GET',
    head: false,
    path: '/api/operator/snapshots/:id/members/:address',
    who: 'operator',
    summary: 'Look up a member of a snapshot, with its proof and signed statements',
    tag,
    params: { id: 'of the snapshot', address: 'an address or name of a member' },
    answer: { description: 'The member.', shape: memberShape },
    errors: {
      400: 'The address is malformed.',
      404: 'The snapshot does not exist, or the address is not in it.',
      409: 'The snapshot is not sealed.',
      429: `The account has looked up more than ${snapshotLookUpsByAccount.max} members in a minute.`,
    },
  },
  delete: {
    method: 'DELETE',
    path: '/api/operator/snapshots/:id',
    who: 'operator',
    recentSignIn: true,
    summary: 'Delete a snapshot with its list and Merkle tree',
    tag,
    params: { id: 'of the snapshot' },
    answer: { status: 204, description: 'Deleted.' },
  },
} as const satisfies Record<string, RouteDescription>
