import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { uuidParameter } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { notFound } from '../errors.ts'
import { TOKEN_LENGTH } from '../secrets/token-format.ts'
import { managedSpace, missingRights, ownedSpace, visibleSpace } from './permissions.ts'
import { MEMBER_ROLES, ROLES } from './roles.ts'

const tag = 'Teams'

/** @throws ApiError not_found */
function readSpaceId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > 2_147_483_647) throw notFound('Space')
  return Number(text)
}

const id = { description: 'of the space', read: readSpaceId }
const account = uuidParameter('id of the account', 'Member')
const role = z.enum(MEMBER_ROLES, `must be one of ${MEMBER_ROLES.join(', ')}`)
const code = z.strictObject({ code: z.string().max(TOKEN_LENGTH).describe('The part of the link after `#`') })
const accountShape = z.strictObject({ id: uuid, username: z.string() })
const standing = z.enum([...ROLES, 'operator'])

export const teamDescriptions = {
  list: {
    method: 'GET',
    path: '/api/spaces/:id/team',
    who: 'account',
    summary: 'Get the team of a space',
    tag,
    params: { id },
    resource: visibleSpace,
    missingRight: missingRights.view,
    answer: {
      description: 'The owner, the members in the order of joining, and, for admins, the open invitations.',
      shape: z.strictObject({
        owner: accountShape.nullable(),
        members: z.array(z.strictObject({ account: accountShape, role, addedAt: time })),
        invitations: z.array(z.strictObject({ id: uuid, role, createdAt: time, expiresAt: time })),
        standing: standing.describe('What the caller is in this space'),
      }),
    },
  },
  invite: {
    method: 'POST',
    path: '/api/spaces/:id/team/invitations',
    who: 'account',
    summary: 'Create a one-time link into the team',
    description: 'Admins invite editors and viewers; the owner also invites admins. The link is shown once.',
    tag,
    params: { id },
    // The body names the role, so the right to give this role is checked after the body.
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: z.strictObject({ role }),
    answer: {
      status: 201,
      description: 'The link.',
      shape: z.strictObject({ id: uuid, url: z.string(), role, expiresAt: time }),
    },
    errors: { 409: 'The space has 50 open invitations.' },
  },
  withdraw: {
    method: 'DELETE',
    path: '/api/spaces/:id/team/invitations/:invitation',
    who: 'account',
    summary: 'Withdraw an invitation',
    tag,
    params: { id, invitation: uuidParameter('its id', 'Invitation') },
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'The link no longer works.' },
  },
  view: {
    method: 'POST',
    path: '/api/team-invitations/view',
    who: 'account',
    summary: 'Get the space and the role of an invitation',
    tag,
    body: code,
    answer: {
      description: 'The invitation.',
      shape: z.strictObject({
        space: z.strictObject({ spaceId: z.int(), name: z.string() }),
        role,
        expiresAt: time,
      }),
    },
    errors: { 404: 'The code is unknown, used, withdrawn or expired, or its author may no longer give the role.' },
  },
  accept: {
    method: 'POST',
    path: '/api/team-invitations/accept',
    who: 'account',
    summary: 'Join the team of a space with the code of a link',
    tag,
    body: code,
    answer: {
      description: 'The space, and the role of the account there.',
      shape: z.strictObject({ spaceId: z.int(), role }),
    },
    errors: {
      404: 'The code is unknown, used, withdrawn or expired, or its author may no longer give the role.',
      409: 'The account has this role or a higher one already. The link stays valid.',
    },
  },
  change: {
    method: 'PUT',
    path: '/api/spaces/:id/team/:account',
    who: 'account',
    summary: 'Change the role of a member',
    description: 'Takes effect at the next request of the member.',
    tag,
    params: { id, account },
    // The rights for the old and the new role are checked after the body, which names the new one.
    resource: managedSpace,
    missingRight: missingRights.manage,
    body: z.strictObject({ role }),
    answer: { status: 204, description: 'The member has the role.' },
    errors: { 409: 'The account is the owner.' },
  },
  remove: {
    method: 'DELETE',
    path: '/api/spaces/:id/team/:account',
    who: 'account',
    summary: 'Remove a member, or leave the team',
    description: 'Takes effect at the next request of the member. Members may leave without any right.',
    tag,
    params: { id, account },
    missingRight: missingRights.manage,
    answer: { status: 204, description: 'The account has no role in the space.' },
    errors: { 409: 'The account is the owner.' },
  },
  transfer: {
    method: 'PUT',
    path: '/api/spaces/:id/owner',
    who: 'account',
    recentSignIn: true,
    summary: 'Make another account the owner of a space',
    description:
      'The owner chooses a member of the team; operators choose any account, or none. The former owner becomes an admin.',
    tag,
    params: { id },
    resource: ownedSpace,
    missingRight: missingRights.own,
    body: z.strictObject({
      account: z.string().max(200).nullable().describe('The username or id; null removes the owner, for operators'),
    }),
    answer: { status: 204, description: 'The account is the owner.' },
  },
} as const satisfies Record<string, RouteDescription>
