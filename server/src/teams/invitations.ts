import type { Kysely, Transaction } from 'kysely'
import { audit } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { conflict, notFound } from '../errors.ts'
import { TEAM_LINK_LIFETIME } from '../lifetimes.ts'
import { formatToken, isWellFormedToken } from '../secrets/token-format.ts'
import { hashOf } from '../secrets/hashes.ts'
import { later, nowOf, type Services } from '../services.ts'
import type { SessionServices } from '../sessions/with-account.ts'
import {
  deleteTeamInvitation,
  findTeamInvitation,
  insertTeamInvitation,
  listTeamInvitations,
  type TeamInvitation,
} from './invitations.queries.ts'
import { lockTeam, storeMember } from './members.queries.ts'
import { findEffectiveRole, mayDo, requireRight } from './permissions.ts'
import { type MemberRole, rightToGive, ROLES } from './roles.ts'

const MAX_OPEN = 50

export interface TeamLink {
  invitationId: string
  url: string
  role: MemberRole
  expiresAt: Date
}

/** Creates a one-time link into the team of a space. Only the hash of its code is stored. @throws ApiError */
export async function inviteToTeam(
  services: SessionServices,
  trx: Transaction<DB>,
  spaceId: number,
  role: MemberRole,
): Promise<TeamLink> {
  const { accountId, network } = services.actor
  await lockTeam(trx, spaceId)
  await requireRight(trx, accountId, spaceId, rightToGive(role))
  const createdAt = nowOf(services)
  if ((await listTeamInvitations(trx, spaceId, createdAt)).length >= MAX_OPEN)
    throw conflict('too_many_invitations', `A space may have ${MAX_OPEN} open invitations; withdraw one first`)
  const code = formatToken('qbt', services.random.bytes(32))
  const invitationId = services.random.uuid()
  const expiresAt = later(createdAt, TEAM_LINK_LIFETIME)
  const invitation = { invitationId, spaceId, role, invitedBy: accountId, createdAt, expiresAt }
  await insertTeamInvitation(trx, hashOf(code), invitation)
  await audit(services, { accountId, network, event: 'team.invited', details: detailsOf(invitation) }, trx)
  // Browsers do not send the part after #, so that no proxy logs the code.
  return { invitationId, url: `${services.site.issuer}/team-invitation#${code}`, role, expiresAt }
}

/** @throws ApiError */
export async function withdrawTeamInvitation(
  services: SessionServices,
  trx: Transaction<DB>,
  spaceId: number,
  invitationId: string,
): Promise<void> {
  const { accountId, network } = services.actor
  await requireRight(trx, accountId, spaceId, 'manage')
  const invitation = await deleteTeamInvitation(trx, spaceId, invitationId)
  if (!invitation) throw notFound('Invitation')
  await requireRight(trx, accountId, spaceId, rightToGive(invitation.role))
  await audit(services, { accountId, network, event: 'team.invitation-withdrawn', details: detailsOf(invitation) }, trx)
}

/** The invitation of a code. @throws ApiError not_found if it is unknown, used, withdrawn, expired or void */
export async function readTeamInvitation(
  services: Pick<Services, 'clock'>,
  kysely: Kysely<DB>,
  code: string,
  { lock = false } = {},
): Promise<TeamInvitation> {
  const found = isWellFormedToken('qbt', code)
    ? await findTeamInvitation(kysely, hashOf(code), nowOf(services), { lock })
    : undefined
  if (!found) throw notFound('Invitation')
  // An invitation is invalid if its author may no longer assign the role.
  const author = await findEffectiveRole(kysely, found.invitedBy, found.spaceId)
  if (author === null || !mayDo(author, rightToGive(found.role))) throw notFound('Invitation')
  return found
}

/**
 * Assigns the role of an invitation to the account of the session. A higher role stays.
 * @throws ApiError not_found, already_member
 */
export async function acceptTeamInvitation(
  services: SessionServices,
  trx: Transaction<DB>,
  code: string,
): Promise<TeamInvitation> {
  const { accountId, network } = services.actor
  const found = await readTeamInvitation(services, trx, code, { lock: true })
  const { spaceId, role, invitationId } = found
  await lockTeam(trx, spaceId)
  const standing = await findEffectiveRole(trx, accountId, spaceId)
  const current = ROLES.findIndex((one) => one === standing)
  if (current >= 0 && current <= ROLES.indexOf(role))
    throw conflict('already_member', `This account is already ${standing} of the space`)
  await storeMember(trx, spaceId, { accountId, role, addedAt: nowOf(services) })
  await deleteTeamInvitation(trx, spaceId, invitationId)
  await audit(services, { accountId, network, event: 'team.joined', details: detailsOf(found) }, trx)
  return found
}

const detailsOf = ({ spaceId, role }: Pick<TeamInvitation, 'spaceId' | 'role'>) => ({ space: String(spaceId), role })
