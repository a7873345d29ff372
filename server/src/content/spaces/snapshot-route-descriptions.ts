import { z } from 'zod'
import { readUuid, uuidParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { snapshotLookUpsByAccount, snapshotsByAccount } from '../../rate-limits/limits.ts'
import { memberShape, previewShape, snapshotShape } from '../../snapshots/response-shapes.ts'
import { formatNames, readFormat } from '../../snapshots/formats.ts'
import { missingRights } from '../../teams/permissions.ts'
import { spaceSnapshotBody } from '../../snapshots/snapshot-request.ts'
import { snapshotScope } from './snapshot-scope.ts'
import { spaceId } from './space-route-descriptions.ts'

const tag = 'Content'

/** A team can seal a list while its space has fewer snapshots than this. All snapshots of the space count. */
export const MAX_SNAPSHOTS = 100
/** Like MAX_SNAPSHOTS, for those that wait to be sealed. */
export const MAX_WAITING = 5

const params = { id: spaceId, snapshot: uuidParameter('of the snapshot', 'Snapshot') }
const errors = { 404: 'The space, sprint or quest does not exist.' }

const TOO_MANY = `The account has sent more than ${snapshotsByAccount.max} previews and snapshots in the UTC hour.`

/** Snapshots of the boards of a space and of the participants of its quests, for those who manage the space. */
export const snapshotDescriptions = {
  list: {
    method: 'GET',
    path: '/api/spaces/:id/snapshots',
    who: 'account',
    summary: 'List the snapshots of a space and its quests',
    tag,
    params: { id: spaceId },
    resource: snapshotScope,
    missingRight: missingRights.manage,
    query: { after: { description: 'the `next` of the previous page', shape: z.string() } },
    readQuery: ({ after }) =>
      after === undefined ? undefined : readUuid(typeof after === 'string' ? after : '', 'Snapshot'),
    answer: {
      description: 'Newest first.',
      shape: z.strictObject({ items: z.array(snapshotShape), next: z.string().nullable() }),
    },
    errors,
  },
  preview: {
    method: 'POST',
    path: '/api/spaces/:id/snapshots/preview',
    who: 'account',
    summary: 'Count a list of a space before it is sealed',
    tag,
    params: { id: spaceId },
    resource: snapshotScope,
    missingRight: missingRights.manage,
    body: spaceSnapshotBody,
    answer: { description: 'Counts and first members. `asOf` as `at` seals the same version.', shape: previewShape },
    errors: { ...errors, 409: 'The list is empty.', 429: TOO_MANY },
  },
  create: {
    method: 'POST',
    path: '/api/spaces/:id/snapshots',
    who: 'account',
    recentSignIn: true,
    summary: 'Seal a list of a space',
    description: `Responds at once; the list is sealed in the background. If it is empty, the snapshot gets the state \`failed\`. Refused while the space has ${MAX_SNAPSHOTS} snapshots, or ${MAX_WAITING} that wait, whoever requested them.`,
    tag,
    params: { id: spaceId },
    resource: snapshotScope,
    missingRight: missingRights.manage,
    body: spaceSnapshotBody,
    answer: { status: 202, description: 'The snapshot, in the state `waiting`.', shape: snapshotShape },
    errors: { ...errors, 409: 'The board has no entries yet, or the space has too many snapshots.', 429: TOO_MANY },
  },
  download: {
    method: 'GET',
    path: '/api/spaces/:id/snapshots/:snapshot/download',
    head: false,
    who: 'account',
    summary: 'Download the list of a snapshot of a space',
    tag,
    params,
    resource: snapshotScope,
    missingRight: missingRights.manage,
    query: { format: { description: 'default: csv', shape: z.enum(formatNames) } },
    readQuery: ({ format }) => readFormat(format),
    answer: { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } },
    errors: { ...errors, 409: 'The snapshot is not sealed.' },
  },
  member: {
    method: 'GET',
    head: false,
    path: '/api/spaces/:id/snapshots/:snapshot/members/:address',
    who: 'account',
    summary: 'Look up a member of a snapshot of a space, with its proof and signed statements',
    tag,
    params: { ...params, address: 'an address or name of a member' },
    resource: snapshotScope,
    missingRight: missingRights.manage,
    answer: { description: 'The member.', shape: memberShape },
    errors: {
      ...errors,
      400: 'The address is malformed.',
      404: 'The space or snapshot does not exist, or the address is not in the snapshot.',
      409: 'The snapshot is not sealed.',
      429: `The account has looked up more than ${snapshotLookUpsByAccount.max} members in a minute.`,
    },
  },
  delete: {
    method: 'DELETE',
    path: '/api/spaces/:id/snapshots/:snapshot',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a snapshot of a space with its list and Merkle tree, whoever requested it',
    tag,
    params,
    resource: snapshotScope,
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'Deleted.' },
    errors,
  },
} as const satisfies Record<string, RouteDescription>
