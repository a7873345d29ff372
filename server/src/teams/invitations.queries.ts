import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { MemberRole } from './roles.ts'

export interface TeamInvitation {
  invitationId: string
  spaceId: number
  role: MemberRole
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

const columns = [
  'invitation_id as invitationId',
  'space_id as spaceId',
  'role',
  'invited_by as invitedBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

export async function insertTeamInvitation(
  trx: Transaction<DB>,
  codeHash: Buffer,
  invitation: TeamInvitation,
): Promise<void> {
  await trx
    .insertInto('space_invitations')
    .values({
      code_hash: codeHash,
      invitation_id: invitation.invitationId,
      space_id: invitation.spaceId,
      role: invitation.role,
      invited_by: invitation.invitedBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute()
}

/** The open invitations of a space, oldest first. */
export async function listTeamInvitations(kysely: Kysely<DB>, spaceId: number, now: Date): Promise<TeamInvitation[]> {
  const rows = await kysely
    .selectFrom('space_invitations')
    .select(columns)
    .where('space_id', '=', spaceId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .execute()
  return rows as TeamInvitation[]
}

/** An open invitation; with `lock`, of concurrent transactions one finds it at a time. */
export async function findTeamInvitation(
  kysely: Kysely<DB>,
  codeHash: Buffer,
  now: Date,
  { lock = false } = {},
): Promise<TeamInvitation | undefined> {
  const row = await kysely
    .selectFrom('space_invitations')
    .select(columns)
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row as TeamInvitation | undefined
}

/** @returns whether there was such an invitation */
export async function deleteTeamInvitation(
  trx: Transaction<DB>,
  spaceId: number,
  invitationId: string,
): Promise<TeamInvitation | undefined> {
  const row = await trx
    .deleteFrom('space_invitations')
    .where('space_id', '=', spaceId)
    .where('invitation_id', '=', invitationId)
    .returning(columns)
    .executeTakeFirst()
  return row as TeamInvitation | undefined
}
