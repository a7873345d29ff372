import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { DB } from '../database/tables.ts'
import { isOperator } from '../accounts/account.queries.ts'
import type { AccountCaller } from '../api/route.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Services } from '../services.ts'
import { hasRight, ROLES, type Right, type Role, rolesWith } from './roles.ts'
import { findRole } from './roles.queries.ts'

/** The role of an account in a space, or `operator`: operators have all rights in all spaces. */
export type EffectiveRole = Role | 'operator'

export const effectiveRoleShape = z.enum([...ROLES, 'operator']).describe('The role of the caller in this space')

export const mayDo = (role: EffectiveRole, right: Right): boolean => role === 'operator' || hasRight(role, right)

/** The effective role of an account in a space; null without any. @throws ApiError not_found */
export async function findEffectiveRole(
  kysely: Kysely<DB>,
  accountId: string,
  spaceId: number,
): Promise<EffectiveRole | null> {
  const role = await findRole(kysely, spaceId, accountId)
  if (role === undefined) throw notFound('Space')
  return (await isOperator(kysely, accountId)) ? 'operator' : role
}

/**
 * The only place that decides whether an account may do something in a space.
 * @throws ApiError not_found, permission_denied
 */
export async function requireRight(
  kysely: Kysely<DB>,
  accountId: string,
  spaceId: number,
  right: Right,
): Promise<EffectiveRole> {
  const role = await findEffectiveRole(kysely, accountId, spaceId)
  if (role === null || !mayDo(role, right)) throw rightRequired(right)
  return role
}

/** Why an account without the right in a space gets 403: the `missingRight` of route descriptions. */
export const missingRights = {
  view: 'the account is not in the team of the space',
  edit: 'the account may not edit content of the space',
  manage: 'the account does not manage the space',
  own: 'the account does not own the space',
} as const satisfies Record<Right, string>

/** The caller of a route whose path names a space. */
export type SpaceCaller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: number } }

/**
 * The `resource` of routes that need a right in the space in the path. A change checks the right again in its transaction.
 * @throws ApiError not_found, permission_denied
 */
const spaceWith =
  (right: Right) =>
  ({ services, accountId, params: { id } }: SpaceCaller): Promise<EffectiveRole> =>
    requireRight(services.database.kysely, accountId, id, right)

export const visibleSpace = spaceWith('view')
export const editableSpace = spaceWith('edit')
export const managedSpace = spaceWith('manage')
export const ownedSpace = spaceWith('own')

const rightRequired = (right: Right) =>
  new ApiError(
    'permission_denied',
    `Only these may do this: ${rolesWith(right).join(', ')} of the space, and operators`,
  )
