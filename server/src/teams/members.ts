import { fault } from '../texts/faults.ts'
import type { Transaction } from 'kysely'
import { audit } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { nowOf } from '../services.ts'
import type { SessionServices } from '../sessions/with-account.ts'
import { deleteMember, lockTeam, storeMember, storeSpaceOwner } from './members.queries.ts'
import { requireRight } from './permissions.ts'
import { type MemberRole, rightToGive } from './roles.ts'
import { findRole, findSpace } from './roles.queries.ts'

/** Changes the role of a member. The caller needs the rights for the old and the new role. @throws ApiError */
export async function changeRole(
  services: SessionServices,
  trx: Transaction<DB>,
  { spaceId, accountId, role }: { spaceId: number; accountId: string; role: MemberRole },
): Promise<void> {
  const before = await lockedRole(trx, spaceId, accountId)
  if (before === 'owner') throw ownerStays()
  await requireRight(trx, services.actor.accountId, spaceId, rightToGive(role))
  await requireRight(trx, services.actor.accountId, spaceId, rightToGive(before))
  if (before === role) return
  await storeMember(trx, spaceId, { accountId, role, addedAt: nowOf(services) })
  await note(services, trx, accountId, 'team.role-changed', { space: String(spaceId), role })
}

/** Removes a member. Members may remove themselves. @throws ApiError */
export async function removeMember(
  services: SessionServices,
  trx: Transaction<DB>,
  { spaceId, accountId }: { spaceId: number; accountId: string },
): Promise<void> {
  const actor = services.actor.accountId
  if (actor !== accountId) await requireRight(trx, actor, spaceId, 'manage')
  const role = await lockedRole(trx, spaceId, accountId)
  if (role === 'owner') throw ownerStays()
  if (actor !== accountId) await requireRight(trx, actor, spaceId, rightToGive(role))
  await deleteMember(trx, spaceId, accountId)
  await note(services, trx, accountId, 'team.left', { space: String(spaceId), role })
}

/**
 * Makes another account the owner. The owner gives the space to a member; operators to any account, or to none. The
 * former owner becomes an admin. @throws ApiError
 */
export async function transferSpace(
  services: SessionServices,
  trx: Transaction<DB>,
  { spaceId, accountId }: { spaceId: number; accountId: string | null },
): Promise<void> {
  const { accountId: actor } = services.actor
  await lockTeam(trx, spaceId)
  const standing = await requireRight(trx, actor, spaceId, 'own')
  const ownerId = (await findSpace(trx, spaceId))?.ownerAccountId ?? null
  if (ownerId === accountId) return
  if (standing !== 'operator' && (accountId === null || !(await findRole(trx, spaceId, accountId))))
    throw invalidField('account', 'must be a member of the team', fault('not_in_team'))
  await storeSpaceOwner(trx, spaceId, accountId)
  if (ownerId !== null) {
    await storeMember(trx, spaceId, { accountId: ownerId, role: 'admin', addedAt: nowOf(services) })
    await note(services, trx, ownerId, 'team.role-changed', { space: String(spaceId), role: 'admin' })
  }
  if (accountId !== null) await note(services, trx, accountId, 'space.given', { space: String(spaceId) })
}

async function lockedRole(trx: Transaction<DB>, spaceId: number, accountId: string) {
  if (!(await lockTeam(trx, spaceId))) throw notFound('Space')
  const role = await findRole(trx, spaceId, accountId)
  if (!role) throw notFound('Member')
  return role
}

/** A space with a team always keeps its owner. */
const ownerStays = () =>
  conflict('owner_stays', 'The owner cannot be changed or removed; make another account the owner first')

/** The entry is in the log of the account whose role changes. */
function note(
  services: SessionServices,
  trx: Transaction<DB>,
  accountId: string,
  event: 'team.role-changed' | 'team.left' | 'space.given',
  details: Record<string, string>,
): Promise<void> {
  const { network, accountId: actor } = services.actor
  const by = actor === accountId ? 'itself' : 'team'
  return audit(services, { accountId, network, event, details: { ...details, by } }, trx)
}
